//! The host as a service: a process that is asked over real sockets.

mod served;
mod acts;
mod bulk;
mod cancel;
mod rights;
mod tokens;
mod verbs;
mod works;
mod faces;
mod intake;
mod invoke;
mod life;
mod load;
mod outages;
mod primitives;
mod scenarios;
mod secrets;
mod signed;
mod stopping;
mod tokens;
mod verbs;
mod wire;
mod works;
