//! `retry_after` under libFuzzer; what must hold stands in the library.
#![no_main]

use onceward_fuzz::retry_after;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| retry_after::check(bytes));
