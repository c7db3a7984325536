//! The host as a service: a process that is asked over real sockets.

mod life;
