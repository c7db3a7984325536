//! What a fresh instance costs: instantiate, call `handle`, one call into the host, and drop it.
//!
//! Owns a runtime over a ledger that no disk holds up, and one claimed work a guest, which is run again and again: nothing is
//! settled. The floor is an engine's empty instance, set up as the host sets its own up.

use crate::bench::Bench;
use crate::figure::{Figure, Table};
use crate::ledger_unit::{TERMS, arrival};
use crate::sample::{Sample, Subject, in_turns};
use anyhow::{Context as _, bail};
use onceward::clock::{Clock, SystemClock};
use onceward::contract::capability::Mode;
use onceward::identity::key::digest;
use onceward::models::patience::Patience;
use onceward::models::scripted::{Scripted, ScriptedOptions};
use onceward::runtime::decide::{DecisionDesk, ModelSetup};
use onceward::runtime::job::{Grants, Job, RowTerms};
use onceward::runtime::limits::Limits;
use onceward::runtime::plugin::Plugin;
use onceward::runtime::registry::{EngineSettings, Runtime};
use onceward::runtime::run::Ended;
use onceward::store::claim::Claim;
use onceward::store::sqlite::{Outlives, SqliteSettings, SqliteStore};
use onceward::store::{Ledger as _, Store};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use support::paths;
use wasmtime::component::{Component, Linker};

/// What the model answers to leads.
const RULES: &str = include_str!("../../host/src/cli/classifier.rules.json");

/// A guest: what it is, its file, its payload, and how long a run may take in the middle, in microseconds, where that is aimed at.
struct Guest {
    what: &'static str,
    file: &'static str,
    lead: bool,
    aim_us: Option<f64>,
}

const GUESTS: [Guest; 4] = [
    Guest { what: "Rust, one row enqueued", file: "enqueues", lead: false, aim_us: Some(30.0) },
    Guest { what: "Rust, a lead classified", file: "lead_classifier", lead: true, aim_us: None },
    Guest {
        what: "TypeScript, a lead classified",
        file: "lead_classifier_ts",
        lead: true,
        aim_us: Some(300.0),
    },
    Guest { what: "Python, a lead classified", file: "lead_classifier_py", lead: true, aim_us: None },
];

/// Measure.
pub(crate) fn measure(bench: &Bench) -> anyhow::Result<Table> {
    let title = "A fresh instance, `handle` with one call into the host, and its end";
    let mut table = Table::new("guests", title);
    let (dir, runtime) = (bench.dir()?, bench.runtime()?);
    let sandbox = Sandbox::open(dir.path())?;
    let empty = Empty::new()?;
    for guest in GUESTS {
        let Some(bytes) = paths::step_where_built(guest.file) else {
            table.notes.push(format!("{}: not built.", guest.what));
            continue;
        };
        let ready = match runtime.block_on(sandbox.ready(&guest, &bytes)) {
            Ok(ready) => ready,
            Err(error) => {
                table.notes.push(format!("{}: not measured: {error:#}.", guest.what));
                continue;
            }
        };
        let mut subjects: [Subject<'_>; 2] = [
            Box::new(|| timed(bench, || runtime.block_on(empty.run()))),
            Box::new(|| timed(bench, || runtime.block_on(sandbox.run(&ready)).map(drop))),
        ];
        let series = in_turns(bench.rounds(), &mut subjects)?;
        drop(subjects);
        let [floor, runs] = &series[..] else { bail!("two subjects have two series") };
        let mut figure =
            Figure::new(guest.what, runs.micros_at(0.5), "µs").beside(floor.micros_at(0.5)).times(runs);
        if let Some(aim_us) = guest.aim_us {
            figure = figure.at_most(aim_us);
        }
        table.figures.push(figure);
    }
    Ok(table)
}

/// Run again and again for one turn.
fn timed(bench: &Bench, mut run: impl FnMut() -> anyhow::Result<()>) -> anyhow::Result<Sample> {
    let (begun, mut times) = (Instant::now(), Vec::new());
    while begun.elapsed() < bench.length() {
        let begun = Instant::now();
        run()?;
        times.push(begun.elapsed());
    }
    Sample::of(&times)
}

/// A runtime with a ledger and a model that answers at once.
struct Sandbox {
    store: Arc<SqliteStore>,
    runtime: Runtime,
    limits: Arc<Limits>,
}

/// A loaded guest with its work.
struct Ready {
    plugin: Arc<Plugin>,
    job: Arc<Job>,
}

impl Sandbox {
    fn open(dir: &Path) -> anyhow::Result<Self> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let settings = SqliteSettings { path: dir.join("ledger.db"), max_bytes: None };
        let store = Arc::new(SqliteStore::open_to(Outlives::Process, &settings, Arc::clone(&clock))?);
        let script = dir.join("rules.json");
        std::fs::write(&script, RULES).context("writing the model's script")?;
        let model = Arc::new(Scripted::load(&script, &ScriptedOptions::default())?);
        let setup = ModelSetup { model, patience: Patience::default() };
        let models = BTreeMap::from([("classifier".to_owned(), setup)]);
        let desk = DecisionDesk::new(Arc::clone(&store) as Arc<dyn Store>, clock, models);
        let limits = Limits::default();
        let engine = EngineSettings {
            cache_dir: Some(paths::compile_cache()),
            instances_max: 16,
            memory_bytes: limits.memory_bytes,
        };
        let runtime = Runtime::new(&engine, Arc::new(desk))?;
        Ok(Self { store, runtime, limits: Arc::new(limits) })
    }

    /// Load a guest, claim a work for it and run it once: what it decides is decided from then on.
    async fn ready(&self, guest: &Guest, bytes: &[u8]) -> anyhow::Result<Ready> {
        let plugin = self.runtime.loader().load(bytes, &self.limits).await?;
        let contract = plugin.contract();
        let payload = if guest.lead { lead() } else { json!({ "deal": { "title": "Ten licences" } }) };
        let key = digest("onceward/bench", &[guest.file.as_bytes()]);
        let arrival = arrival(&contract.name, guest.file, key, payload.to_string());
        let Claim::Acquired(held) = self.store.work_claim(arrival, TERMS).await? else {
            bail!("the work of {} is not free", guest.file)
        };
        let destinations =
            contract.destinations.iter().map(|wanted| (wanted.name.clone(), RowTerms::default()));
        let grants = Grants {
            destinations: destinations.collect(),
            models: contract.models.iter().cloned().collect(),
        };
        let job = Job {
            work: Arc::new(held.work),
            token: held.token,
            // What a lead's first run has decided is looked up.
            new: !guest.lead,
            durable: held.durable,
            mode: Mode::Recorded,
            grants: Arc::new(grants),
            holds: Arc::default(),
            stages: Arc::from(["received", "matched", "owned", "replied"].map(str::to_owned)),
            receipt_steps: Arc::default(),
        };
        let ready = Ready { plugin, job: Arc::new(job) };
        match self.run(&ready).await? {
            Ended::Finished { .. } => Ok(ready),
            other => bail!("{} ended with {other:?}", guest.file),
        }
    }

    async fn run(&self, ready: &Ready) -> anyhow::Result<Ended> {
        let place = self.runtime.place().await;
        let (job, limits) = (Arc::clone(&ready.job), Arc::clone(&self.limits));
        let run = self.runtime.run_in(place, &ready.plugin, job, limits, std::future::pending()).await;
        Ok(run.ended)
    }
}

fn lead() -> serde_json::Value {
    json!({
        "source": "web-form",
        "message_id": "m-1",
        "contact": { "name": "Ada", "email": "ada@example.com" },
        "text": "What is the price of ten licences?",
    })
}

/// An empty component: one core instance with a memory of a page.
struct Empty {
    engine: wasmtime::Engine,
    pre: wasmtime::component::InstancePre<()>,
}

impl Empty {
    fn new() -> anyhow::Result<Self> {
        let mut config = wasmtime::Config::new();
        let mut pool = wasmtime::PoolingAllocationConfig::default();
        pool.total_component_instances(16).total_core_instances(16).total_memories(16).total_stacks(16);
        config.allocation_strategy(wasmtime::InstanceAllocationStrategy::Pooling(pool));
        let engine = wasmtime::Engine::new(&config).map_err(refused)?;
        let bytes =
            wat::parse_str("(component (core module $m (memory 1)) (core instance (instantiate $m)))")?;
        let component = Component::new(&engine, bytes).map_err(refused)?;
        let pre = Linker::new(&engine).instantiate_pre(&component).map_err(refused)?;
        Ok(Self { engine, pre })
    }

    async fn run(&self) -> anyhow::Result<()> {
        let mut store = wasmtime::Store::new(&self.engine, ());
        self.pre.instantiate_async(&mut store).await.map_err(refused)?;
        Ok(())
    }
}

/// The engine's errors are of a type of their own.
fn refused(error: wasmtime::Error) -> anyhow::Error {
    anyhow::anyhow!("making an empty instance: {error:#}")
}
