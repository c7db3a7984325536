//! `onceward dev`: build, run on an event, show what it did; and again whenever something is saved.
//!
//! The run is the one that `verify` compares all others with: the host's own dispatcher before simulated destinations and models, and
//! nothing of it is kept.

use crate::cli::Ending;
use crate::cli::author::build;
use crate::cli::output;
use crate::cli::tell;
use crate::cli::verify::subject;
use crate::verify::outcome::Outcome;
use crate::verify::schedule::Schedule;
use crate::verify::search::replay;
use anyhow::{Context as _, Result};
use notify::{Event, RecursiveMode, Watcher};
use onceward_toolchain::{Interpreted, Language};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::mpsc;

/// An editor writes a file in several steps; so long after the last of them it is built. Milliseconds.
const SETTLED_MS: u64 = 200;

/// Arguments of `dev`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The step's folder.
    #[arg(value_name = "DIR", default_value = ".")]
    dir: PathBuf,
    /// The event, as `onceward run` takes it. `event.json` in the folder where it is left out.
    #[arg(long, value_name = "FILE")]
    event: Option<PathBuf>,
    /// Answers of models, as `onceward verify` takes them; without it answers are made up.
    #[arg(long, value_name = "FILE")]
    answers: Option<PathBuf>,
    /// Build and run once, and end.
    #[arg(long)]
    once: bool,
}

impl Args {
    fn event(&self) -> PathBuf {
        self.event.clone().unwrap_or_else(|| self.dir.join("event.json"))
    }
}

pub(in crate::cli) async fn dev(args: Args) -> Result<Ending> {
    if args.once {
        return once(&args).await.map(Ending::when);
    }
    let (saved, mut saves) = mpsc::unbounded_channel();
    let _watcher = watch(&args, saved)?;
    loop {
        if let Err(error) = once(&args).await {
            tell(&error);
        }
        output::progress(format!("watching {}; Ctrl-C ends it", args.dir.display()));
        tokio::select! {
            saved = saves.recv() => if saved.is_none() { return Ok(Ending::Done) },
            _ = tokio::signal::ctrl_c() => return Ok(Ending::Done),
        }
        while tokio::time::timeout(Duration::from_millis(SETTLED_MS), saves.recv())
            .await
            .is_ok_and(|it| it.is_some())
        {}
    }
}

/// What a build writes, by the ends of its paths: a component, and what an interpreter keeps.
const BUILT: [&str; 4] = ["wasm", "part", "pyc", "venv"];

/// Tell of whatever is saved: the source, the manifest, the event, the answers. What a build writes is none of it.
fn watch(args: &Args, saved: mpsc::UnboundedSender<()>) -> Result<impl Watcher> {
    let watching = || format!("watching {}", args.dir.display());
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        if event.is_ok_and(|event| !event.kind.is_access() && !event.paths.iter().all(|path| is_built(path)))
        {
            // Nobody listens any more when the command ends.
            let _ = saved.send(());
        }
    })
    .with_context(watching)?;
    let language = build::language(&args.dir)?;
    let depth = match language {
        // Its modules lie beside what is installed for it.
        Language::Interpreted(Interpreted::Python) => RecursiveMode::NonRecursive,
        Language::Rust | Language::Interpreted(Interpreted::TypeScript) => RecursiveMode::Recursive,
    };
    watcher.watch(&args.dir.join(language.source()), depth).with_context(watching)?;
    let files = [Some(args.dir.join(language.manifest())), Some(args.event()), args.answers.clone()];
    for file in files.into_iter().flatten() {
        let doing = || format!("watching {}: it must be there", file.display());
        watcher.watch(&file, RecursiveMode::NonRecursive).with_context(doing)?;
    }
    Ok(watcher)
}

fn is_built(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name == "__pycache__" || BUILT.iter().any(|end| name.rsplit('.').next() == Some(end))
}

/// Build, run, and show; whether the work is done.
async fn once(args: &Args) -> Result<bool> {
    let dir = args.dir.clone();
    let component = tokio::task::spawn_blocking(move || build::component(&dir, None))
        .await
        .context("building a step")??;
    let subject = subject::of_event(&component, &args.event(), args.answers.as_deref()).await?;
    let run = tokio::task::spawn_blocking(move || replay(&subject, &Schedule::clean()));
    let run = run.await.context("running the step: a run has panicked; that is a fault of the host")??;
    for trouble in &run.observed.troubles {
        output::progress(format!("the simulated model does not answer: {trouble}"));
    }
    show(&run.observed.outcome)?;
    Ok(run.observed.outcome.unfinished.is_empty())
}

fn show(outcome: &Outcome) -> Result<()> {
    for (part, text) in &outcome.parts {
        output::line(format!("{part}: {text}"))?;
    }
    for note in &outcome.notes {
        output::line(format!("note: {note}"))?;
    }
    for unfinished in &outcome.unfinished {
        output::line(unfinished.to_string())?;
    }
    Ok(())
}
