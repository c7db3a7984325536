//! The host as a service: a process that is asked over real sockets.

mod served;
mod acts;
mod bulk;
mod cancel;
mod tokens;
mod verbs;
mod works;
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
mod primitives;
mod stopping;
mod wire;
