//! `progress`: the handoff's stage, and a batch's cursor.

use crate::runtime::state::RunState;
use crate::runtime::stop::Stop;
use crate::runtime::wit::since_v0_1_0::bindings::onceward::step::progress::{Host, ProgressError};
use crate::store::work::Mark;

impl Host for RunState {
    async fn advance(&mut self, stage: String) -> wasmtime::Result<Result<(), ProgressError>> {
        self.begin_call("progress.advance").await?;
        if let Err(what) = self.refuse_read_only("moving a handoff") {
            return Ok(Err(ProgressError::UnknownStage(what)));
        }
        let stages = self.job.stages.clone();
        let place = |name: &str| stages.iter().position(|known| known == name);
        let Some(mark) = Mark::of(&stages, &stage) else {
            return Ok(Err(ProgressError::UnknownStage(format!("the stages are {}", stages.join(", ")))));
        };
        let reached = match &self.collected.mark {
            Some(mark) => Some(mark.stage.clone()),
            None => {
                let work = &self.job.work;
                self.desk.store().progress_find(&work.namespace, work.root_key).await.map_err(Stop::Store)?
            }
        };
        // A stage that the operator has taken out of the list holds nothing back.
        if let Some(reached) = reached
            && let (Some(at), Some(wanted)) = (place(&reached), place(&stage))
            && at > wanted
        {
            return Ok(Err(ProgressError::Backwards(reached)));
        }
        self.collected.mark = Some(mark);
        Ok(Ok(()))
    }

    async fn load_cursor(&mut self) -> wasmtime::Result<Option<String>> {
        self.begin_call("progress.load-cursor").await?;
        Ok(self.job.work.cursor.clone())
    }
}
