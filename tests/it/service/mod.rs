//! The host as a service: a process that is asked over real sockets.

mod served;
mod faces;
mod intake;
mod invoke;
mod life;
mod primitives;
mod load;
mod outages;
mod scenarios;
mod secrets;
mod signed;
mod stopping;
mod wire;
