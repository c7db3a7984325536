//! `signature_headers` under libFuzzer; what must hold stands in the library.
#![no_main]

use onceward_fuzz::signature_headers;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| signature_headers::check(bytes));
