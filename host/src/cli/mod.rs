//! The command line: one file a verb. It composes everything, and only here errors become text for people.
//!
//! Exit codes: 0 done, 1 an error, 2 a wrong command line, 3 not done, and the output says how it stands. Done means: for
//! `run`, that the event's own work and all that descends from it are done, and with `--deliver` that their rows are sent, or
//! that a step which only reads has its result;
//! for `resume`, that no work waits, for its time or for a person, and with `--deliver` that every row is sent; for
//! `deliver`, that every row is sent; for `claim`, that the caller may act; for `verify`, that nothing was found; for what it says afterwards, that it counts.

pub mod config;
mod compiled;
pub mod compose;
pub mod output;
mod input;
mod client;
mod pages;
mod run;
mod serve;
mod resume;
mod deliver;
mod decide;
mod bulk;
mod erase;
mod work;
mod work_act;
mod work_show;
mod approve;
mod backup;
mod decision;
mod row_act;
mod outbox;
mod pause;
mod destination;
mod step;
mod retention;
mod token;
mod progress;
mod init;
mod author;
mod family;
mod hosted;
mod caller;
mod quarantine;
mod reprocess;
mod standing;
mod status;
mod wait;
mod verify;

use crate::cli::config::Config;
use crate::cli::output::Format;
use crate::telemetry;
use anyhow::{Result, bail};
use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// The exit code of a command whose work is not done yet.
const NOT_DONE: u8 = 3;

/// Runs workflow steps that are delivered at least once so that they act once.
#[derive(Debug, Parser)]
#[command(name = "onceward", version, about)]
struct Cli {
    /// The configuration file.
    #[arg(long, global = true, default_value = config::FILE)]
    config: PathBuf,
    /// The namespace, where it is not the configuration's first.
    #[arg(long, global = true, value_name = "NAME")]
    namespace: Option<String>,
    /// Print JSON, for programs.
    #[arg(long, global = true)]
    json: bool,
    /// Log what happens to standard error.
    #[arg(long, short, global = true)]
    verbose: bool,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Write a commented onceward.toml and the rules of a scripted model.
    Init(init::Args),
    /// Make a step to begin with: a crate with its own test, and the SDK that fits this host.
    New(author::NewArgs),
    /// Build a step's crate into a component, and check it.
    Build(author::BuildArgs),
    /// What a component is, asks for and takes, as a host sees it.
    Check(author::CheckArgs),
    /// Build a step and run it on an event, again whenever something is saved; nothing is kept.
    Dev(author::DevArgs),
    /// Run an event through the flow, or through one step.
    Run(run::Args),
    /// Serve the API, run what is due and deliver it, until told to stop.
    Serve(serve::Args),
    /// Take over unfinished work and run what is due.
    Resume(resume::Args),
    /// Send what is due in the outbox.
    Deliver(deliver::Args),
    /// How the namespace stands: what is at work, what is stuck, what is paused.
    Status,
    /// Works: what was asked for, and how it stands.
    #[command(subcommand)]
    Work(work::Verb),
    /// Decisions: what models answered, what it took, and what people say about it.
    #[command(subcommand)]
    Decision(decision::Verb),
    /// Outbox rows: what goes out, and how it stands.
    #[command(subcommand)]
    Outbox(outbox::Verb),
    /// Claim a key for a program outside that does its effects itself.
    Claim(caller::ClaimArgs),
    /// Say that an effect of a claim has happened.
    Record(caller::RecordArgs),
    /// Hold a claim for longer.
    Extend(caller::ExtendArgs),
    /// End a claim.
    Settle(caller::SettleArgs),
    /// Events whose identity is on record with other content, kept for a person.
    #[command(subcommand)]
    Quarantine(quarantine::Verb),
    /// Destinations, and which of them are paused.
    #[command(subcommand)]
    Destination(destination::Verb),
    /// Steps: what they promise and ask for, and what of it they are granted.
    #[command(subcommand)]
    Step(step::Verb),
    /// Stop a destination, a step, the namespace or everything; what is stopped.
    #[command(subcommand)]
    Pause(pause::Verb),
    /// Let something go on that is paused.
    #[command(subcommand)]
    Unpause(pause::Scope),
    /// How far handoffs have come, and which of them stand too long.
    #[command(subcommand)]
    Progress(progress::Verb),
    /// Forget what no window keeps any more.
    Retain(retention::Args),
    /// Markers, which end windows that no clock ends.
    #[command(subcommand)]
    Marker(retention::Verb),
    /// Copy the ledger into a new file, also while a host serves from it.
    Backup(backup::BackupArgs),
    /// Put a backup in the ledger's place. It starts paused, and what was under way is in doubt.
    Restore(backup::RestoreArgs),
    /// Crash-test a step or the flow: stop it at every place where something can go wrong.
    Verify(verify::Args),
    /// Tokens: who may ask a host for what over the network.
    #[command(subcommand)]
    Token(token::Verb),
}

/// Whether a command has done what it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Done,
    NotDone,
}

impl Ending {
    const fn when(done: bool) -> Self {
        if done { Self::Done } else { Self::NotDone }
    }
}

/// Run the command line.
#[must_use]
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&anyhow::Error::new(error).context("starting the async runtime")),
    };
    match runtime.block_on(run(cli)) {
        Ok(Ending::Done) => ExitCode::SUCCESS,
        Ok(Ending::NotDone) => ExitCode::from(NOT_DONE),
        Err(error) => fail(&error),
    }
}

fn fail(error: &anyhow::Error) -> ExitCode {
    tell(error);
    ExitCode::FAILURE
}

/// Print the whole chain: what was attempted, and why it failed.
fn tell(error: &anyhow::Error) {
    output::error_line(format!("error: {error}"));
    let mut printed = error.to_string();
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        // A transparent wrapper says the same as what it wraps.
        if cause != printed {
            output::error_line(format!("  because: {cause}"));
        }
        printed = cause;
    }
}

async fn run(cli: Cli) -> Result<Ending> {
    let format = if cli.json { Format::Json } else { Format::Text };
    let config = || Config::load(&cli.config)?.choose_namespace(cli.namespace.as_deref());
    // The service's log begins with the configuration, which says where traces go. Of what goes wrong in runs that are made to
    // go wrong a log would tell nothing but that.
    let silent = match cli.verb {
        Verb::Serve(_) => true,
        Verb::Verify(_) | Verb::Dev(_) => !cli.verbose,
        _ => false,
    };
    if !silent {
        telemetry::init(cli.verbose, None);
    }
    match cli.verb {
        Verb::Init(args) => init::init(&args),
        Verb::New(args) => author::new(&args),
        Verb::Build(args) => author::build(args, format).await,
        Verb::Check(args) => author::check(args, format).await,
        Verb::Dev(args) => author::dev(args).await,
        Verb::Run(args) => run::run(&config()?, &args, format).await,
        Verb::Serve(_) if cli.namespace.is_some() => {
            bail!("serving: a host serves every namespace of its configuration; leave --namespace out")
        }
        Verb::Serve(args) => serve::serve(&config()?, &args, cli.verbose, format).await,
        Verb::Resume(args) => resume::resume(&config()?, &args, format).await,
        Verb::Deliver(args) => deliver::deliver(&config()?, &args, format).await,
        Verb::Status => status::status(&config()?, format).await,
        Verb::Work(verb) => work::work(&config()?, verb, format).await,
        Verb::Quarantine(verb) => quarantine::quarantine(&config()?, verb, format).await,
        Verb::Claim(args) => caller::claim(&config()?, args, format).await,
        Verb::Record(args) => caller::record(&config()?, args, format).await,
        Verb::Extend(args) => caller::extend(&config()?, args, format).await,
        Verb::Settle(args) => caller::settle(&config()?, args, format).await,
        Verb::Decision(verb) => decision::decision(&config()?, verb, format).await,
        Verb::Outbox(verb) => outbox::outbox(&config()?, verb, format).await,
        Verb::Destination(verb) => destination::destination(&config()?, verb, format).await,
        Verb::Step(verb) => step::step(&config()?, &verb, format).await,
        Verb::Pause(verb) => pause::pause(&config()?, verb, format).await,
        Verb::Unpause(scope) => pause::unpause(&config()?, scope, format).await,
        Verb::Progress(verb) => progress::progress(&config()?, verb, format).await,
        Verb::Retain(args) => retention::retain(&config()?, &args, format).await,
        Verb::Marker(verb) => retention::marker(&config()?, verb, format).await,
        Verb::Backup(args) => backup::backup(&config()?, args, format).await,
        Verb::Restore(args) => backup::restore(&config()?, args, format).await,
        Verb::Verify(args) => verify::verify(config, args, format).await,
        Verb::Token(verb) => token::token(&config()?, verb, format).await,
    }
}
