//! Work ids: the hashes that decide what is the same work, the same effect and the same question.
//!
//! Owns the ways to derive an identity ([`Identity`]) and the byte layout of every derived id. All of them
//! are [`digest`]s over length-prefixed parts that begin with the namespace, so nothing is shared across
//! namespaces.
//!
//! ```text
//!  event ──identity──► values ─┬─ + contract version ─► work id ─► claim, attempts, decisions
//!                              └─ no version ─────────► root key ─► effects (row ids), follow-ups
//! ```
//!
//! It refuses an event that has no identity, instead of giving it an empty one, and a business key that is
//! volatile: the run is not the work. Nothing that a model wrote comes in here. The [`IdentityError`] names
//! the field.

use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::identity::canonical_json::canonical;
use crate::identity::event::Event;
use crate::identity::key::CacheKey;
use crate::identity::key::ContentHash;
use crate::identity::key::RootKey;
use crate::identity::key::RowId;
use crate::identity::key::WorkId;
use crate::identity::key::digest;
use crate::identity::pointer::POINTER_LIMIT_BYTES;
use crate::identity::pointer::Pointer;
use crate::identity::readable_key::readable_key;
use crate::identity::rules::Rules;
use crate::identity::rules::kind;
pub use crate::identity::work_id::error::IdentityError;

mod error;

/// The most fields of a business key; what needs more is the whole payload ([`Identity::Content`]).
pub const FIELDS_LIMIT: usize = 16;

/// The longest canonical text of one business-key value. It holds the longest address that servers take; what is
/// longer is content, not a key.
pub const VALUE_LIMIT_BYTES: usize = 8 * 1024;

/// How much of the root key's text stands for a payload in a readable key: enough to tell neighbours in a
/// list apart.
const SHOWN_HASH_LENGTH_CHARACTERS: usize = 16;

/// Parts of a field's name that mean "how to reach a person", compared in lower case without punctuation.
const CONTACT_WORDS: &[&str] =
    &["email", "mail", "phone", "mobile", "msisdn", "whatsapp", "telephone", "cellnumber"];

/// How a step's contract says what is the same work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Identity {
    /// The sender's key: its `source` and `id`, or, where the sender has no ids, `source` and original `time`
    /// (with all its digits).
    EventKey,
    /// The declared fields of the payload, as JSON Pointers without `*`; every one must hold a scalar.
    BusinessKey(Vec<String>),
    /// The whole normal payload.
    Content,
}

/// What [`identify`] found out about an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identified {
    /// Names the work under this version of the contract.
    pub work_id: WorkId,
    /// Names it under all versions.
    pub root_key: RootKey,
    /// For people, like `step:v1:source:id`; it decides nothing, since it is escaped and cut.
    pub readable_key: String,
    /// What a second delivery under the same key must agree in.
    pub content_hash: ContentHash,
}

impl Identity {
    /// Checks the declaration, so that a contract is refused when it is loaded and not when the first event
    /// comes.
    ///
    /// # Errors
    /// A business key without fields or beyond its limits, or with a field that is no pointer to one place.
    pub fn validate(&self) -> Result<(), IdentityError> {
        let Self::BusinessKey(fields) = self else { return Ok(()) };
        if fields.len() > FIELDS_LIMIT {
            return Err(IdentityError::TooManyFields { fields: fields.len() });
        }
        if let Some(at) = fields.iter().position(|field| field.len() > POINTER_LIMIT_BYTES) {
            return Err(IdentityError::PointerTooLong { position: at + 1, bytes: fields[at].len() });
        }
        business_pointers(fields).map(drop)
    }

    /// What an operator should hear about an identity that is legal but weak. One contact can ask twice, so
    /// ways to reach a person, alone, would join different enquiries.
    ///
    /// ```
    /// use onceward::identity::work_id::Identity;
    ///
    /// assert_eq!(Identity::BusinessKey(vec!["/lead/email".into()]).warnings().len(), 1);
    /// assert!(Identity::BusinessKey(vec!["/lead/email".into(), "/form_id".into()]).warnings().is_empty());
    /// ```
    pub fn warnings(&self) -> Vec<String> {
        let Self::BusinessKey(fields) = self else { return Vec::new() };
        if fields.is_empty() || !fields.iter().all(|field| is_contact(field)) {
            return Vec::new();
        }
        let named: Vec<_> = fields.iter().map(|field| format!("`{field}`")).collect();
        vec![format!(
            "the business key {} names a contact and nothing else: a second, different enquiry of the same \
             person would be taken for the first; add a field that differs, such as the enquiry's id or time",
            named.join(", "),
        )]
    }
}

/// Says what work an event is, for one step.
///
/// The work id is the digest of `onceward/work` over namespace, step, version (decimal) and the identity's
/// values; the root key that of `onceward/root` over namespace, step and the values. The values are
/// `event-id`, source and id; or `event-time`, source and the time's normal form; or
/// `business-key` and the canonical text of each field; or `content` and the canonical text of the normal
/// payload.
///
/// # Errors
/// [`IdentityError`] if the event lacks what the identity needs, or can't be normalised.
pub fn identify(
    namespace: &str,
    step: &str,
    version: u32,
    identity: &Identity,
    rules: &Rules,
    event: &Event,
) -> Result<Identified, IdentityError> {
    let normal = rules.apply(event.data.clone()).map_err(|source| IdentityError::Rules { source })?;
    let content_hash =
        rules.content_hash_of_normal(&normal).map_err(|source| IdentityError::Rules { source })?;
    let values = match identity {
        Identity::EventKey => event_values(event)?,
        Identity::BusinessKey(fields) => business_values(fields, event, &normal)?,
        Identity::Content if is_empty(&normal) => return Err(IdentityError::EmptyPayload),
        Identity::Content => {
            Values { hashed: vec!["content".to_owned(), canonical(&normal)], shown: Vec::new() }
        }
    };
    let version_text = version.to_string();
    let hashed = values.hashed.iter().map(String::as_str);
    let work_id = WorkId::from_bytes(hash(
        "onceward/work",
        [namespace, step, &version_text].into_iter().chain(hashed.clone()),
    ));
    let root_key = RootKey::from_bytes(hash("onceward/root", [namespace, step].into_iter().chain(hashed)));
    let mut shown = values.shown;
    if shown.is_empty() {
        let text = root_key.to_string();
        shown.push(format!("content-{}", text.get(..SHOWN_HASH_LENGTH_CHARACTERS).unwrap_or_default()));
    }
    Ok(Identified { work_id, root_key, readable_key: readable_key(step, version, &shown), content_hash })
}

/// Names the next step's work in a flow: the digest of `onceward/follow-up` over namespace, root key (its 32
/// bytes), the version the root ran under (decimal), step and its version (decimal). The same root never
/// starts the same step twice.
pub fn follow_up_id(
    namespace: &str,
    root_key: &RootKey,
    root_version: u32,
    step: &str,
    version: u32,
) -> WorkId {
    let (root_version, version) = (root_version.to_string(), version.to_string());
    WorkId::from_bytes(digest(
        "onceward/follow-up",
        &[
            namespace.as_bytes(),
            root_key.as_bytes(),
            root_version.as_bytes(),
            step.as_bytes(),
            version.as_bytes(),
        ],
    ))
}

/// Names the work of an old event that a person runs again under a raised version: the digest of
/// `onceward/reprocessed` over namespace, root key (its 32 bytes), step and the new version (decimal). It descends from
/// the old root, so that its effects keep their ids.
pub fn reprocessed_id(namespace: &str, root_key: &RootKey, step: &str, version: u32) -> WorkId {
    let version = version.to_string();
    let parts = [namespace.as_bytes(), root_key.as_bytes(), step.as_bytes(), version.as_bytes()];
    WorkId::from_bytes(digest("onceward/reprocessed", &parts))
}

/// Names an event that a person admits as work of its own, although its identity is on record with other content: its
/// root key is the digest of `onceward/admitted` over namespace, step, the root key that it shares (its 32 bytes) and the hash
/// of its content (32 bytes); its work id that of `onceward/admitted-work` over namespace, that new root key and the
/// version (decimal). So it is found again whenever it comes again, and its effects are its own.
pub fn admitted_ids(
    namespace: &str,
    step: &str,
    version: u32,
    root_key: &RootKey,
    content: &ContentHash,
) -> (WorkId, RootKey) {
    let parts = [namespace.as_bytes(), step.as_bytes(), root_key.as_bytes(), content.as_bytes()];
    let own_root = RootKey::from_bytes(digest("onceward/admitted", &parts));
    let version = version.to_string();
    let parts = [namespace.as_bytes(), own_root.as_bytes(), version.as_bytes()];
    (WorkId::from_bytes(digest("onceward/admitted-work", &parts)), own_root)
}

/// Names a run of a step that only reads, so that its seeds repeat for the same input: the digest of `onceward/read` over
/// namespace, step, version (decimal), source and the payload as it arrived. It identifies no work.
pub fn read_id(namespace: &str, step: &str, version: u32, event: &Event) -> WorkId {
    let version = version.to_string();
    let parts = [namespace, step, &version, &event.source, &event.data_text].map(str::as_bytes);
    WorkId::from_bytes(digest("onceward/read", &parts))
}

/// Names one effect: the digest of `onceward/row` over namespace, root key (its 32 bytes), destination, slot
/// and the effect's own version (decimal). No contract version goes in, so reprocessing sends nothing again;
/// and no text that a model wrote, so another wording is a conflict and not another effect.
pub fn row_id(
    namespace: &str,
    root_key: &RootKey,
    destination: &str,
    slot: &str,
    effect_version: u32,
) -> RowId {
    let effect_version = effect_version.to_string();
    RowId::from_bytes(digest(
        "onceward/row",
        &[
            namespace.as_bytes(),
            root_key.as_bytes(),
            destination.as_bytes(),
            slot.as_bytes(),
            effect_version.as_bytes(),
        ],
    ))
}

/// Names a row's payload: the digest of `onceward/row-payload` over its canonical text. Two payloads with one hash are the
/// same JSON.
#[must_use]
pub fn row_payload_hash(payload: &Value) -> [u8; 32] {
    digest("onceward/row-payload", &[canonical(payload).as_bytes()])
}

/// Names a revision of an effect's row: the first has the effect's own id; a later one the digest of
/// `onceward/row-revision` over namespace, that id (32 bytes) and the number (decimal). It is also the idempotency key that
/// goes out, so that what a person edited is never taken for what was sent before.
pub fn revision_id(namespace: &str, base: &RowId, revision: u32) -> RowId {
    if revision == 1 {
        return *base;
    }
    let revision = revision.to_string();
    RowId::from_bytes(digest(
        "onceward/row-revision",
        &[namespace.as_bytes(), base.as_bytes(), revision.as_bytes()],
    ))
}

/// Names the work that goes on from a row's receipt: the digest of `onceward/receipt` over namespace, the row's id (32
/// bytes) and the step. One receipt never starts the same step twice.
pub fn receipt_work_id(namespace: &str, row: &RowId, step: &str) -> WorkId {
    WorkId::from_bytes(digest("onceward/receipt", &[namespace.as_bytes(), row.as_bytes(), step.as_bytes()]))
}

/// The content of a work that no event ever claims (a follow-up): the digest of `onceward/follow-up-content` over its
/// payload. It is compared with nothing; it says what the work was made from.
#[must_use]
pub fn follow_up_content(payload: &str) -> ContentHash {
    ContentHash::from_bytes(digest("onceward/follow-up-content", &[payload.as_bytes()]))
}

/// Names one question to a model: the digest of `onceward/decision` over the arguments in their order. The
/// temperature goes in as the text that the contract wrote, the input as its canonical text.
pub fn cache_key(
    namespace: &str,
    model: &str,
    prompt_version: &str,
    temperature_text: &str,
    tool_schema: &str,
    input_canonical: &str,
) -> CacheKey {
    let parts = [namespace, model, prompt_version, temperature_text, tool_schema, input_canonical];
    CacheKey::from_bytes(hash("onceward/decision", parts.into_iter()))
}

/// Names the question of one slot of one work. The first revision is the question itself, whose answer is everybody's; a
/// later one is the digest of `onceward/renewed` over question, work, slot and revision, so that it is asked anew for this
/// slot alone.
///
/// ```
/// use onceward::identity::key::{CacheKey, WorkId};
/// use onceward::identity::work_id::slot_key;
/// let (question, work) = (CacheKey::from_bytes([1; 32]), WorkId::from_bytes([2; 32]));
/// assert_eq!(slot_key(question, work, "triage", 1), question);
/// assert_ne!(slot_key(question, work, "triage", 2), slot_key(question, work, "triage", 3));
/// ```
pub fn slot_key(question: CacheKey, work: WorkId, slot: &str, revision: u32) -> CacheKey {
    if revision <= 1 {
        return question;
    }
    let parts: [&[u8]; 4] = [question.as_bytes(), work.as_bytes(), slot.as_bytes(), &revision.to_be_bytes()];
    CacheKey::from_bytes(digest("onceward/renewed", &parts))
}

/// What an identity is made of: the parts that are hashed and the parts that people see.
struct Values {
    hashed: Vec<String>,
    shown: Vec<String>,
}

fn hash<'a>(label: &str, parts: impl Iterator<Item = &'a str>) -> [u8; 32] {
    digest(label, &parts.map(str::as_bytes).collect::<Vec<_>>())
}

fn event_values(event: &Event) -> Result<Values, IdentityError> {
    let source = event.source.clone();
    match (&event.id, &event.occurred_at) {
        (Some(id), _) => Ok(Values {
            hashed: vec!["event-id".to_owned(), source.clone(), id.clone()],
            shown: vec![source, id.clone()],
        }),
        (None, Some(time)) => Ok(Values {
            hashed: vec!["event-time".to_owned(), source.clone(), time.clone()],
            shown: vec![source, format!("@{time}")],
        }),
        (None, None) => Err(IdentityError::NoIdentity),
    }
}

fn business_values(fields: &[String], event: &Event, normal: &Value) -> Result<Values, IdentityError> {
    let mut values = Values { hashed: vec!["business-key".to_owned()], shown: Vec::new() };
    for field in business_pointers(fields)? {
        let pointer = field.as_str().to_owned();
        let value = match normal.pointer(&pointer) {
            Some(value @ (Value::Object(_) | Value::Array(_))) => {
                return Err(IdentityError::NotScalar { pointer, found: kind(value) });
            }
            Some(value) if !is_empty(value) => value,
            _ if event.data.pointer(&pointer).is_some_and(|came| !is_empty(came)) => {
                return Err(IdentityError::VolatileField { pointer });
            }
            _ => return Err(IdentityError::MissingField { pointer }),
        };
        let text = canonical(value);
        if text.len() > VALUE_LIMIT_BYTES {
            return Err(IdentityError::ValueTooLong { pointer, bytes: text.len() });
        }
        values.shown.push(value.as_str().map_or_else(|| text.clone(), str::to_owned));
        values.hashed.push(text);
    }
    Ok(values)
}

fn business_pointers(fields: &[String]) -> Result<Vec<Pointer>, IdentityError> {
    if fields.is_empty() {
        return Err(IdentityError::NoFields);
    }
    let parsed = fields.iter().map(|field| Pointer::parse(field)).collect::<Result<Vec<_>, _>>();
    let pointers = parsed.map_err(|source| IdentityError::BadPointer { source })?;
    match pointers.iter().find(|pointer| pointer.is_wild()) {
        Some(wild) => Err(IdentityError::WildField { pointer: wild.as_str().to_owned() }),
        None => Ok(pointers),
    }
}

/// Whether a value says nothing: null, a blank text, an object or array without anything in it.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(_) | Value::Number(_) => false,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(elements) => elements.is_empty(),
        Value::Object(members) => members.is_empty(),
    }
}

fn is_contact(field: &str) -> bool {
    let Ok(pointer) = Pointer::parse(field) else { return false };
    let name: String =
        pointer.last().chars().filter(|mark| mark.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    name == "tel" || CONTACT_WORDS.iter().any(|word| name.contains(word))
}
