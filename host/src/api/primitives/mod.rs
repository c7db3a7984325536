//! The primitives, for programs that do their effects themselves.
//!
//! Owns what each of them is asked and answers. Every one is a path of its own, and all of them can be said in bulk
//! (`bulk`): one mechanism for both, so that an item of a bulk is answered as it would be alone. Each but the claim is said
//! under a claim's token, and saying it again under the same token is the same act. It refuses a token that does not hold the
//! work (`lease-lost`), except where an effect has happened, which nobody can refuse.

mod bulk;
pub mod claim;
mod decisions;
pub mod effect;
pub mod extend;
mod items;
mod outbox;
mod problem;
mod progress;
pub mod release;

use crate::api::auth::Caller;
use crate::api::body::{JsonBody, Raw};
use crate::api::context::RequestId;
use crate::api::error::{Kind, Problem, ProblemBody};
use crate::api::extract::Segment;
use crate::api::primitives::bulk::{BulkAnswer, BulkRequest, each};
use crate::api::primitives::claim::{ClaimAnswer, ClaimRequest};
use crate::api::primitives::decisions::{DecideRequest, DecisionAnswer, RecallRequest, StoreRequest};
use crate::api::primitives::effect::{RecordEffectAnswer, RecordEffectRequest};
use crate::api::primitives::extend::{ExtendAnswer, ExtendRequest};
use crate::api::primitives::items::{
    ClaimItemsAnswer, ClaimItemsRequest, RecordItemAnswer, RecordItemRequest,
};
use crate::api::primitives::outbox::{EnqueueAnswer, EnqueueRequest};
use crate::api::primitives::progress::{
    AdvanceAnswer, AdvanceRequest, CursorAnswer, LoadCursorRequest, SaveCursorRequest,
};
use crate::api::primitives::release::{ReleaseAnswer, ReleaseRequest};
use crate::api::service::Service;
use crate::api::works::find;
use crate::contract::fence::Token;
use crate::store::work::WorkRef;
use axum::extract::{Extension, State};
use axum::response::Response;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// What a caller asks for, and how it is answered.
trait Primitive: DeserializeOwned + Send + 'static {
    /// Do it.
    fn act(
        self,
        service: &Service,
        caller: &Caller,
    ) -> impl Future<Output = Result<Response, Problem>> + Send;

    /// Which items of a bulk it waits for: those of the same line that stand before it. One line for all where order may
    /// matter between any two.
    fn line(&self) -> &str {
        ""
    }
}

/// The work that a request names, and the proof that it brings along.
async fn holding(
    service: &Service,
    caller: &Caller,
    work: &str,
    token: i64,
) -> Result<(WorkRef, Token), Problem> {
    Ok((find(service, caller, work).await?, Token::from_number(token)))
}

/// A route for each primitive, and one for all of them in bulk.
macro_rules! primitives {
    ($($(#[$doc:meta])* $name:ident $word:literal $request:ident => $answer:ident;)*) => {
        $(
            $(#[$doc])*
            #[utoipa::path(
                post, path = concat!("/v1/primitives/", $word), tag = "primitives", security(("token" = [])),
                request_body = $request,
                responses(
                    (status = 200, body = $answer),
                    (status = 400, body = ProblemBody, description = "The request can't be read"),
                    (status = 404, body = ProblemBody, description = "There is no such work"),
                    (status = 409, body = ProblemBody, description = "The claim is no longer held (`lease-lost`), or something else is on record"),
                    (status = 422, body = ProblemBody, description = "A value is not usable"),
                )
            )]
            async fn $name(
                State(service): State<Arc<Service>>,
                caller: Caller,
                JsonBody(request): JsonBody<$request>,
            ) -> Result<Response, Problem> {
                request.act(&service, &caller).await
            }
        )*

        /// The routes.
        pub(super) fn routes() -> OpenApiRouter<Arc<Service>> {
            OpenApiRouter::new()$(.routes(routes!($name)))*.routes(routes!(bulk))
        }

        /// The words of all primitives.
        const WORDS: &[&str] = &[$($word,)*];

        async fn in_bulk(
            service: &Arc<Service>,
            caller: &Caller,
            word: &str,
            request: BulkRequest,
            request_id: &str,
        ) -> Result<Response, Problem> {
            match word {
                $($word => each::<$request>(service, caller, request, request_id).await,)*
                _ => {
                    let detail = format!("saying something in bulk: there is no primitive {word:?}");
                    Err(Problem::new(Kind::NotFound, detail).remedy(format!("take one of {}", WORDS.join(", "))))
                }
            }
        }
    };
}

primitives! {
    /// Claim a key, and say which effect you are about to do.
    ///
    /// 200 says that you hold the work, or how it ended before (`replay`, `acknowledged`); 409 how it stands, and whether to
    /// come back. A lease that ends while the effect is open puts the work in doubt, and without one lets the next claim
    /// take it over.
    claim "claim" ClaimRequest => ClaimAnswer;
    /// Hold a claim for longer, and say which effect comes next.
    extend "extend" ExtendRequest => ExtendAnswer;
    /// Say that an effect has happened. It is believed after the claim's end too (`late`), and puts unfinished work in doubt.
    record_effect "record-effect" RecordEffectRequest => RecordEffectAnswer;
    /// End a claim: done, again later, rejected, for a person, or in doubt.
    release "release" ReleaseRequest => ReleaseAnswer;
    /// The answer that a slot of the work has, at this attempt or an earlier one.
    recall "recall" RecallRequest => DecisionAnswer;
    /// Keep an answer that you have got by yourself. The first one stands, and is given back.
    store "store" StoreRequest => DecisionAnswer;
    /// The one answer of a slot: recalled, cached, or asked of a model of the host. A lost connection loses no answer.
    decide "decide" DecideRequest => DecisionAnswer;
    /// Enqueue a row for a destination. It is recorded at once, goes out however the claim ends, and is one row a slot.
    enqueue "enqueue" EnqueueRequest => EnqueueAnswer;
    /// Move the handoff on to a stage. One that lies behind changes nothing.
    advance "advance" AdvanceRequest => AdvanceAnswer;
    /// Keep how far a batch has come. Another place than before is progress: attempts and time begin anew.
    save_cursor "save-cursor" SaveCursorRequest => CursorAnswer;
    /// How far the batch had come, at this attempt or an earlier one.
    load_cursor "load-cursor" LoadCursorRequest => CursorAnswer;
    /// Claim items of a batch. What is not recorded as done is free again when the claim ends.
    claim_items "claim-items" ClaimItemsRequest => ClaimItemsAnswer;
    /// Say that an item has been done. Nobody gets it again.
    record_item "record-item" RecordItemRequest => RecordItemAnswer;
}

/// A primitive many times: each item is answered as it would be alone, in order, repeats inside the bulk included.
#[utoipa::path(
    post, path = "/v1/primitives/{primitive}/bulk", tag = "primitives", security(("token" = [])),
    params(("primitive" = String, Path, description = "The primitive's name, as in its own path")),
    request_body = BulkRequest,
    responses(
        (status = 200, body = BulkAnswer),
        (status = 400, body = ProblemBody, description = "The request can't be read as a list of items"),
        (status = 404, body = ProblemBody, description = "There is no such primitive"),
        (status = 422, body = ProblemBody, description = "Too many items"),
    )
)]
async fn bulk(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Extension(RequestId(request_id)): Extension<RequestId>,
    Segment(primitive): Segment<String>,
    raw: Raw,
) -> Result<Response, Problem> {
    let request = BulkRequest::read(&raw)?;
    in_bulk(&service, &caller, &primitive, request, &request_id).await
}
