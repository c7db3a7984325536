//! The host as a service: a process that is asked over real sockets.

mod served;
mod acts;
mod bulk;
mod cancel;
mod faces;
mod intake;
mod invoke;
mod life;
mod load;
mod outages;
mod primitives;
mod rights;
mod scenarios;
mod secrets;
mod signed;
mod stopping;
mod tokens;
mod verbs;
mod wire;
mod works;
