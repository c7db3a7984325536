//! The host as a service: a process that is asked over real sockets.

mod served;
mod faces;
mod intake;
mod invoke;
mod life;
mod primitives;
mod stopping;
mod wire;
