//! `configuration` under libFuzzer; what must hold stands in the library.
#![no_main]

use onceward_fuzz::configuration;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| configuration::check(bytes));
