//! Many at once: dead letters, and works in review, decided about alike, capped and spread.
//!
//! Works in batches, each of them one transaction and an act of its own. What has been decided about leaves the choice, so that
//! the same request goes on where it was cut off; with an `Idempotency-Key` it also keeps the spread, since each batch that is
//! on record is answered from there and the next one is due after it.

use crate::api::action::ActionKey;
use crate::api::auth::{Caller, Said};
use crate::api::body::JsonBody;
use crate::api::error::{Kind, Problem, ProblemBody};
use crate::api::service::Service;
use crate::store::bulk::{Batch, WorkChoice};
use crate::store::error::StoreError;
use crate::store::operate::{Actor, WorkDecision};
use crate::store::work::WorkState;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Decided about in one transaction at most, so that others' commits do not wait for long.
const BATCH_LIMIT: u32 = 200;

/// Decided about by one request where it does not say.
pub const LIMIT_DEFAULT: u32 = 1_000;

/// Decided about by one request at most: its sender waits for the answer.
pub const LIMIT_MAX: u32 = 100_000;

/// The widest spread between two, in milliseconds (an hour).
pub const EVERY_MAX_MS: u64 = 60 * 60 * 1_000;

/// The routes.
pub(super) fn routes() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(replay))
}

/// How many at once, and how fast.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    /// At most so many.
    pub limit: u32,
    /// Each is due so many milliseconds after the one before it.
    pub every_ms: u64,
}

/// What became of many.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct BulkActed {
    /// Whether it was only asked for how many there are.
    pub dry_run: bool,
    /// How many were decided about.
    pub decided: u64,
    /// How many are chosen now. The same request goes on with them, under a key of its own.
    pub left: u64,
}

impl Spread {
    /// Refuse what is beyond all bounds.
    ///
    /// # Errors
    /// [`Problem`], which says what.
    pub(super) fn check(self) -> Result<Self, Problem> {
        let Self { limit, every_ms } = self;
        if !(1..=LIMIT_MAX).contains(&limit) {
            let detail = format!("deciding about many: `limit` is {limit}, and can be 1 to {LIMIT_MAX}");
            return Err(Problem::new(Kind::Invalid, detail).remedy("decide about them in several requests"));
        }
        if every_ms > EVERY_MAX_MS {
            let detail =
                format!("deciding about many: `every_ms` is {every_ms}, and can be 0 to {EVERY_MAX_MS}");
            return Err(Problem::new(Kind::Invalid, detail));
        }
        Ok(self)
    }

    /// The batches. They depend on nothing but the request, so that a repeat of it makes the same ones.
    fn batches(self) -> impl Iterator<Item = Batch> + Send {
        let Self { limit, every_ms } = self;
        let every_ms = i64::try_from(every_ms).unwrap_or(i64::MAX);
        let batch = usize::try_from(BATCH_LIMIT).unwrap_or(usize::MAX);
        (0..limit).step_by(batch).map(move |before| Batch {
            limit: (limit - before).min(BATCH_LIMIT),
            first_in_ms: every_ms.saturating_mul(before.into()),
            every_ms,
        })
    }
}

/// Decide batch after batch, until the cap is reached or none is left; how many.
///
/// # Errors
/// [`StoreError`], where the store fails. What was decided before stays so.
pub(super) async fn in_batches<F>(
    spread: Spread,
    actor: &Actor,
    mut decide: impl FnMut(Batch, Actor) -> F,
) -> Result<u64, StoreError>
where
    F: Future<Output = Result<u64, StoreError>>,
{
    let mut decided = 0;
    for (number, batch) in spread.batches().enumerate() {
        let action = actor.action.as_ref().map(|key| format!("{key}/{number}"));
        let more = decide(batch, Actor { action, ..actor.clone() }).await?;
        decided += more;
        if more < u64::from(batch.limit) {
            break;
        }
    }
    Ok(decided)
}

/// Which works to replay, how many of them, and how fast.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplayMany {
    /// In this state: `dead`, `review`, or `in-doubt`, which says that it has not happened.
    #[serde(default = "dead")]
    pub state: WorkState,
    /// Only of this step.
    #[serde(default)]
    pub step: Option<String>,
    /// Only those whose cause holds this text.
    #[serde(default)]
    pub cause: Option<String>,
    /// Say how many there are, and change nothing.
    #[serde(default)]
    pub dry_run: bool,
    /// At most so many, the oldest first.
    #[serde(default = "limit")]
    pub limit: u32,
    /// Each is due so many milliseconds after the one before it.
    #[serde(default)]
    pub every_ms: u64,
    /// A person's name. With a token it is the token's to say, and this may be left out.
    #[serde(default)]
    pub by: Option<String>,
    /// Why, for those who read the evidence.
    pub why: String,
}

const fn dead() -> WorkState {
    WorkState::Dead
}

const fn limit() -> u32 {
    LIMIT_DEFAULT
}

/// Replay many works: each under its own identity, with a fresh budget, spread in time.
#[utoipa::path(
    post, path = "/v1/works/replay", tag = "operate", security(("token" = [])),
    params(ActionKey), request_body = ReplayMany,
    responses(
        (status = 200, body = BulkActed, description = "So many wait for a worker now; or how many would"),
        (status = 422, body = ProblemBody, description = "They can't be replayed in this state, or a number is out of bounds"),
    )
)]
async fn replay(
    State(service): State<Arc<Service>>,
    caller: Caller,
    ActionKey(key): ActionKey,
    JsonBody(asked): JsonBody<ReplayMany>,
) -> Result<Json<BulkActed>, Problem> {
    let ReplayMany { state, step, cause, dry_run, limit, every_ms, by, why } = asked;
    let spread = Spread { limit, every_ms }.check()?;
    let actor = caller.actor(Said { by, why }, key)?;
    let (replay, again) = (WorkDecision::Replay { due_in_ms: 0 }, WorkDecision::Again { due_in_ms: 0 });
    let possible = [replay.from_states(), again.from_states()].concat();
    if !possible.contains(&state) {
        let from = possible.into_iter().map(WorkState::word).collect::<Vec<_>>().join(" or ");
        let word = state.word();
        let detail = format!(
            "replaying works: this can be said of those that are {from}, and not of {word}; nothing was changed"
        );
        return Err(Problem::new(Kind::Invalid, detail));
    }
    let choice = WorkChoice { namespace: caller.namespace.name.clone(), state, step, cause };
    let store = &service.store;
    let decided = if dry_run {
        0
    } else {
        in_batches(spread, &actor, |batch, actor| store.work_replay_all(choice.clone(), batch, actor)).await?
    };
    Ok(Json(BulkActed { dry_run, decided, left: store.work_choose_count(choice).await? }))
}

#[cfg(test)]
mod tests {
    use super::{BATCH_LIMIT, Spread};

    #[test]
    fn batches_are_the_same_for_the_same_request_and_go_on_where_the_last_one_ended() {
        let check = |limit: u32, every_ms: u64, expected: &[(u32, i64)]| {
            let spread = Spread { limit, every_ms };
            let batches: Vec<_> = spread.batches().map(|batch| (batch.limit, batch.first_in_ms)).collect();
            assert_eq!(batches, expected, "{spread:?}");
        };
        check(1, 100, &[(1, 0)]);
        check(BATCH_LIMIT, 100, &[(BATCH_LIMIT, 0)]);
        check(2 * BATCH_LIMIT + 1, 100, &[(BATCH_LIMIT, 0), (BATCH_LIMIT, 20_000), (1, 40_000)]);
    }
}
