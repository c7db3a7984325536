//! `cargo xtask`: the project's own commands.
//!
//! Owns the command line. Each verb is a module of its own. It refuses verbs that it does not know, and fails with
//! the chain of causes on standard error and exit code 1.

mod bench;
mod bindings;
mod command;
mod debian;
mod fuzz;
mod guests;
mod interpreted;
mod js;
mod made_of;
mod n8n;
mod npm;
mod paths;
mod program;
mod rustup;
mod std_build;
mod summary;
mod test;
mod wasm_target;

use crate::n8n::N8n;
use crate::paths::Paths;
use clap::Parser;
use clap::Subcommand;
use std::process::ExitCode;

/// The project's own commands.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Make this machine able to build steps (wasm32-unknown-unknown), in the first way that works.
    WasmTarget,
    /// Write the SDK's bindings anew from the WIT files.
    Bindings,
    /// Build the plugins and the tests' guests, and put them into target/steps.
    Guests,
    /// Build everything and run all tests; the last line says how many passed.
    Test {
        /// Which n8n the nodes are tried in; with `none` they are not tried.
        #[arg(long, value_enum, default_value_t = N8n::V2_8_4)]
        n8n: N8n,
        /// Handed on to the test runner, after `--`.
        #[arg(last = true)]
        runner_args: Vec<String>,
    },
    /// Run the demo.
    Demo,
    /// Send new events and repeats over many connections; nothing may be lost. Says p50 and p99 beside a floor.
    Load {
        /// Handed on to `onceward-load`, after `--`: --connections, --events, --repeats.
        #[arg(last = true)]
        args: Vec<String>,
    },
    /// Measure what the host costs, beside what the same rows cost in bare SQLite.
    Bench {
        /// Handed on to `onceward-bench`: --quick, --only, --json, --write.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Kill the host again and again while events come in; nothing may be lost or done twice. Prints its counts.
    Torture {
        /// Handed on to `onceward-torture`: --minutes, --seed, --json.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Look for bytes from outside for which a claim does not hold, guided by what they reach in the host.
    Fuzz {
        /// How long each target is run.
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// One target; else each of them: canonical_json, retry_after, signature_headers, configuration, component_bytes.
        target: Option<String>,
    },
}

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    let paths = Paths::find()?;
    match arguments.verb {
        Verb::WasmTarget => wasm_target::ensure(&paths).map(drop)?,
        Verb::Bindings => bindings::write(&paths)?,
        Verb::Guests => guests::build_all(&paths)?,
        Verb::Test { n8n, runner_args } => return test::run(&paths, n8n, &runner_args),
        Verb::Demo => program::run(&paths, "demo", &[paths.target.join("demo")])?,
        Verb::Load { args } => program::run(&paths, "load", &args)?,
        Verb::Bench { args } => bench::run(&paths, &args)?,
        Verb::Fuzz { seconds, target } => return fuzz::run(&paths, target.as_deref(), seconds),
        Verb::Torture { args } => program::run(&paths, "torture", &args)?,
    }
    Ok(ExitCode::SUCCESS)
}
