//! The sandbox: steps as components, and the primitives they may use.
//!
//! Owns the engine, the loaded steps, their limits and the host's side of the WIT interfaces. A step runs in a fresh
//! instance each time and leaves nothing behind: what it enqueues, marks or notes is collected, and the caller commits
//! it. Only decisions are written while it runs. It refuses components that import anything but `onceward:step`
//! interfaces and WASI, by name, answers a part of WASI as a function of the work, and it never calls a destination. A run that breaks a limit or traps ends with the first
//! reason, as a [`run::Ended::Stopped`]; the host goes on.

pub mod limits;
mod name;
mod wall;
pub mod imports;
pub mod world;
pub mod stop;
mod calls;
mod notes;
mod wasi;
pub mod decide;
pub mod job;
pub mod probe;
pub mod row;
mod trap;
pub mod room;
mod state;
mod wit;
mod engine;
pub mod plugin;
pub mod run;
pub mod loader;
pub mod registry;
