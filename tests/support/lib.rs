//! What the tests run on: real parts, with faults on demand.

pub mod paths;
pub mod sim_clock;
pub mod oracle;
pub mod host;
pub mod observe;
pub mod people;
pub mod receiver;
pub mod model_server;
pub mod handoffs;
pub mod lead_config;
pub mod workspace;
pub mod tier_config;
pub mod service;
pub mod keep_alive;
pub mod load;
pub mod verified;
pub mod torture;
pub mod webhook;
