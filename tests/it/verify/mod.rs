//! `verify`: good steps come through every fault, each planted mistake is found, and so is each faulty host.

mod bad_hosts;
mod bad_steps;
mod bar;
mod command;
mod good;
