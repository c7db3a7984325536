//! `journal`: notes for people.

use crate::runtime::state::RunState;
use crate::runtime::wit::since_v0_1_0::bindings::onceward::step::journal::Host;

impl Host for RunState {
    async fn note(&mut self, text: String) -> wasmtime::Result<()> {
        self.begin_call("journal.note").await?;
        self.sandbox.notes.add(text);
        Ok(())
    }
}
