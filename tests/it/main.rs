//! The claims of Onceward. One binary, one file a subject.

mod process;
