#!/bin/sh
# The compiler for the workspace's own packages under `cargo xtask fuzz`: it marks every edge and comparison, so that the
# fuzzer sees what an input has reached. These are flags of a stable compiler, without a sanitizer.
exec "$@" \
    -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares
