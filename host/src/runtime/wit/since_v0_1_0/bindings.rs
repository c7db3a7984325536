//! Generated from `wit/since_v0.1.0`.
#![allow(missing_docs, unreachable_pub, reason = "generated; the WIT holds the documentation")]
#![allow(clippy::all, clippy::too_many_lines, reason = "generated")]

wasmtime::component::bindgen!({
    path: "../wit/since_v0.1.0",
    world: "step",
    imports: { default: async | trappable },
    exports: { default: async },
});
