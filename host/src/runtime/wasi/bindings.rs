//! Generated from `wit/wasi_0.2`.
#![allow(missing_docs, unreachable_pub, reason = "generated; the WIT holds the documentation")]
#![allow(clippy::all, clippy::too_many_lines, reason = "generated")]

wasmtime::component::bindgen!({
    path: "../wit/wasi_0.2",
    world: "answered",
    imports: { default: trappable },
    with: {
        "wasi:io/error.error": crate::runtime::wasi::streams::IoError,
        "wasi:io/poll.pollable": crate::runtime::wasi::poll::Pollable,
        "wasi:io/streams.input-stream": crate::runtime::wasi::streams::InputStream,
        "wasi:io/streams.output-stream": crate::runtime::wasi::output::Output,
        "wasi:cli/terminal-input.terminal-input": crate::runtime::wasi::cli::Terminal,
        "wasi:cli/terminal-output.terminal-output": crate::runtime::wasi::cli::Terminal,
    },
});
