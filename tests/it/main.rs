//! The claims of Onceward. One binary, one file a subject.

mod property;
mod conformance;
mod dead_letters;
mod disk_fails;
mod fuzzed;
mod sqlite;
mod guests;
mod protocol;
mod process;
mod service;
mod verify;
