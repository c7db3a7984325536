//! `component_bytes` under libFuzzer; what must hold stands in the library.
#![no_main]

use onceward_fuzz::component_bytes;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| component_bytes::check(bytes));
