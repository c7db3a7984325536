//! `canonical_json` under libFuzzer; what must hold stands in the library.
#![no_main]

use onceward_fuzz::canonical_json;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| canonical_json::check(bytes));
