//! Erasing: payloads go on request, and the identity stays.

use crate::api::action::ActionKey;
use crate::api::auth::{Caller, Said};
use crate::api::body::JsonBody;
use crate::api::error::{Kind, Problem, ProblemBody};
use crate::api::extract::Segment;
use crate::api::service::Service;
use crate::api::works::{find, unknown};
use crate::identity::key::WorkId;
use crate::store::retention::{Erased, Erasure};
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The routes.
pub(super) fn routes() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(erase))
}

/// A wish to erase.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Erase {
    /// Also rewrite the ledger's file without what was erased, which takes as long as copying it. Whoever erases much does it
    /// with the last one. Erasing the same again erases nothing, and rewrites the file.
    #[serde(default = "yes")]
    pub scrub: bool,
    /// A person's name. With a token it is the token's to say, and this may be left out.
    #[serde(default)]
    pub by: Option<String>,
    /// Why, for those who read the evidence.
    pub why: String,
}

const fn yes() -> bool {
    true
}

/// A work whose payloads are gone.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ErasedWork {
    /// Always `erased`.
    pub verdict: String,
    /// The work.
    pub work_id: WorkId,
    /// What was erased; all are 0 where it had been erased before.
    pub erased: Erased,
    /// Whether no copy is left in the ledger's files. Where that was wanted and is not so, something still reads an older
    /// state: ask again when it has ended.
    pub scrubbed: bool,
}

/// Erase the payloads of an event and of all that came of it. Its identity stays, so that a repeat is still one.
#[utoipa::path(
    post, path = "/v1/works/{work}/erase", tag = "operate", security(("token" = [])),
    params(("work" = String, Path, description = "The id, its beginning, or the readable key of any work of the event"), ActionKey),
    request_body = Erase,
    responses(
        (status = 200, body = ErasedWork, description = "The payloads are gone"),
        (status = 404, body = ProblemBody, description = "There is no such work"),
        (status = 409, body = ProblemBody, description = "Something of the event is unfinished; nothing was erased"),
        (status = 422, body = ProblemBody, description = "Nobody is named, or no reason; or the key was used for another act"),
    )
)]
async fn erase(
    State(service): State<Arc<Service>>,
    caller: Caller,
    ActionKey(key): ActionKey,
    Segment(text): Segment<String>,
    JsonBody(Erase { scrub, by, why }): JsonBody<Erase>,
) -> Result<Json<ErasedWork>, Problem> {
    let actor = caller.actor(Said { by, why }, key)?;
    let work = find(&service, &caller, &text).await?;
    let id = work.id;
    let unfinished = |what: String, remedy: &str| {
        let detail = format!("erasing the work {id}: {what}; nothing of this event was erased");
        Err(Problem::new(Kind::Unfinished, detail).work(id).remedy(remedy))
    };
    let erased = match service.store.payload_erase(work, actor).await? {
        Erasure::Applied(erased) => erased,
        Erasure::OpenWork { work, state } => {
            let what =
                format!("{work} of the same event is {}, and may still need its payload", state.word());
            return unfinished(what, "let it end, or end it: `onceward work cancel` or `reject`");
        }
        Erasure::OpenRow { row, state } => {
            let what = format!("its row {row} is {}, and may still go out", state.word());
            return unfinished(what, "deliver it, or end it: `onceward outbox resolve`");
        }
        Erasure::Unknown => return Err(unknown(&text)),
    };
    let scrubbed = scrub && service.store.payload_scrub().await?;
    Ok(Json(ErasedWork { verdict: "erased".to_owned(), work_id: id, erased, scrubbed }))
}
