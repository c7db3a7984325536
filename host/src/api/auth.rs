//! Who asks, and what they may do.
//!
//! A token belongs to one namespace and has some verbs; the ledger has its hash alone. Whoever comes through the unix socket
//! could open the ledger itself, so that they may do everything, in the namespace that they name. Who asks never becomes
//! part of an identity: with another token the same event is the same work.

use crate::api::error::{Kind, Problem};
use crate::api::serve::Peer;
use crate::api::service::{Namespace, Service};
use crate::store::operate::Actor;
use crate::store::token;
use crate::store::token::Verb;
use crate::store::token::VerbSet;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;

/// How a token begins, so that scanners for leaked secrets know one when they see it.
pub const TOKEN_PREFIX: &str = "onceward_";

/// The header in which whoever comes through the unix socket names a namespace.
pub const NAMESPACE: &str = "onceward-namespace";

/// Random bytes of a token: more than anybody can guess, so that a fast hash of it is enough.
const TOKEN_BYTES: usize = 32;

/// The longest name and the longest reason of an act, in bytes. Both stand in the evidence.
const SAID_LIMIT_BYTES: usize = 1_024;

/// Who asks.
#[derive(Clone)]
pub struct Caller {
    /// Where they may act.
    pub namespace: Arc<Namespace>,
    /// What they may do.
    pub verbs: VerbSet,
    /// The token's name; none through the unix socket.
    pub token: Option<String>,
    /// The person that the token names.
    pub person: Option<String>,
}

/// Who acts, and why: the part of every operator's request that the evidence keeps.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Said {
    /// A person's name. With a token it is the token's to say, and this may be left out.
    #[serde(default)]
    pub by: Option<String>,
    /// Why, for those who read the evidence.
    pub why: String,
}

/// A new token: it is shown once, and only its hash is kept.
///
/// # Errors
/// [`getrandom::Error`], where the system has no randomness to give.
pub fn new_token() -> Result<String, getrandom::Error> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(format!("{TOKEN_PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes)))
}

impl Caller {
    /// Whoever acts, as the evidence names them.
    ///
    /// # Errors
    /// [`Problem`], where nobody is named, or a token's holder names somebody else.
    pub fn actor(&self, said: Said, action: Option<String>) -> Result<Actor, Problem> {
        let own = self.person.as_ref().or(self.token.as_ref());
        let name = match (own, said.by) {
            (Some(own), Some(by)) if *own != by => {
                let detail = format!("deciding: the token speaks for {own:?}, and the request says {by:?}");
                return Err(Problem::new(Kind::Forbidden, detail).remedy("leave `by` out"));
            }
            (Some(own), _) => own.clone(),
            (None, Some(by)) => by,
            (None, None) => return Err(unsaid("by")),
        };
        for (field, text) in [("by", &name), ("why", &said.why)] {
            usable(field, text)?;
        }
        Ok(Actor { name, reason: said.why, action })
    }
}

/// Refuse words that can't stand in the evidence: blank ones, and those that are too long.
///
/// # Errors
/// [`Problem`], which names the field.
pub(super) fn usable(field: &str, text: &str) -> Result<(), Problem> {
    if text.trim().is_empty() {
        return Err(unsaid(field));
    }
    if text.len() > SAID_LIMIT_BYTES || text.contains('\0') {
        let detail = format!("deciding: `{field}` is longer than {SAID_LIMIT_BYTES} bytes or holds U+0000");
        return Err(Problem::new(Kind::Invalid, detail));
    }
    Ok(())
}

fn unsaid(field: &str) -> Problem {
    Problem::new(
        Kind::Invalid,
        format!("deciding: `{field}` must say something; it is what the evidence keeps"),
    )
}

/// Let a request through whose sender may do this.
pub(super) async fn authorize(
    State((service, verbs)): State<(Arc<Service>, &'static [Verb])>,
    mut request: Request,
    next: Next,
) -> Response {
    let proof = Proof::of(request.extensions().get(), request.headers());
    match caller(&service, proof).await.and_then(|caller| caller.checked(verbs)) {
        Ok(caller) => {
            request.extensions_mut().insert(caller);
            next.run(request).await
        }
        Err(problem) => problem.into_response(),
    }
}

/// What a request brings along to show who sends it.
pub(super) enum Proof {
    /// It came through the unix socket; the namespace that it names.
    Local(Option<String>),
    /// A token's hash.
    Token([u8; 32]),
    /// Nothing that can be read.
    None(&'static str),
}

impl Proof {
    /// What a request brings along.
    pub(super) fn of(peer: Option<&Peer>, headers: &HeaderMap) -> Self {
        if peer == Some(&Peer::Local) {
            let name =
                headers.get(NAMESPACE).map(|name| String::from_utf8_lossy(name.as_bytes()).into_owned());
            return Self::Local(name);
        }
        let mut values = headers.get_all(AUTHORIZATION).iter();
        match (values.next(), values.next()) {
            (Some(value), None) => match value.to_str().ok().and_then(bearer) {
                Some(token) => Self::Token(token::hash(token)),
                None => Self::None("the token can't be read"),
            },
            _ => Self::None("the request has no token, or several"),
        }
    }
}

/// Who sends a request.
///
/// # Errors
/// [`Problem`], where nobody knows.
pub(super) async fn caller(service: &Service, proof: Proof) -> Result<Caller, Problem> {
    match proof {
        Proof::Local(name) => local(service, name),
        Proof::Token(hash) => by_token(service, hash).await,
        Proof::None(why) => Err(unauthenticated(why)),
    }
}

fn unauthenticated(why: &str) -> Problem {
    Problem::new(Kind::Unauthenticated, why).remedy("send `Authorization: Bearer <token>`, one header")
}

fn local(service: &Service, name: Option<String>) -> Result<Caller, Problem> {
    let mut all = service.namespaces();
    let namespace = match (name, all.next(), all.next()) {
        (Some(name), ..) => service.namespace(&name).cloned().ok_or_else(|| {
            Problem::new(Kind::NotFound, format!("the host has no namespace {name:?}"))
                .remedy("name one of the configuration")
        })?,
        (None, Some(only), None) => Arc::clone(only),
        _ => {
            let detail = format!("the host has several namespaces; the header {NAMESPACE} names one");
            return Err(Problem::new(Kind::BadRequest, detail));
        }
    };
    Ok(Caller { namespace, verbs: Verb::ALL.into_iter().collect(), token: None, person: None })
}

async fn by_token(service: &Service, hash: [u8; 32]) -> Result<Caller, Problem> {
    let found = service.store.token_find(hash).await?.filter(|token| token.revoked_ms.is_none());
    let Some(record) = found else { return Err(unauthenticated("the token is not known, or was revoked")) };
    // The configuration may have lost a namespace that a token is still for.
    let Some(namespace) = service.namespace(&record.namespace) else {
        return Err(unauthenticated("the token's namespace is not set up in this host"));
    };
    Ok(Caller {
        namespace: Arc::clone(namespace),
        verbs: record.verbs,
        token: Some(record.name),
        person: record.person,
    })
}

/// The token of an `Authorization` header (RFC 6750; the scheme's case does not matter).
fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

impl Caller {
    /// Themselves, where they have any of these verbs.
    ///
    /// # Errors
    /// [`Problem`], where they have none of them.
    pub fn checked(self, verbs: &[Verb]) -> Result<Self, Problem> {
        self.require(verbs).map(|()| self)
    }

    /// Refuse what they have none of these verbs for.
    ///
    /// # Errors
    /// [`Problem`], which names the verbs.
    pub fn require(&self, verbs: &[Verb]) -> Result<(), Problem> {
        if verbs.iter().any(|verb| self.verbs.contains(*verb)) {
            return Ok(());
        }
        let wanted = verbs.iter().map(|verb| verb.word()).collect::<Vec<_>>().join(" or ");
        let detail = format!("the token does not have the verb {wanted}");
        Err(Problem::new(Kind::Forbidden, detail)
            .remedy("take a token that has it; an administrator makes one"))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        // The layer of the route has put it there; a route without one would be a fault of this program.
        parts.extensions.get::<Self>().cloned().ok_or_else(|| {
            tracing::error!("a route asks for its caller, and has no layer that finds out");
            Problem::new(Kind::Internal, "a fault of the host; the log says more under the request's id")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{TOKEN_PREFIX, bearer, new_token};

    #[test]
    fn a_token_is_read_from_its_header_alone() {
        let check = |value: &str, token: Option<&str>| assert_eq!(bearer(value), token, "{value:?}");
        check("Bearer abc", Some("abc"));
        check("bearer  abc ", Some("abc"));
        check("Basic abc", None);
        check("Bearer ", None);
        check("abc", None);
    }

    #[test]
    fn no_two_tokens_are_alike() {
        let (one, other) = (new_token().unwrap(), new_token().unwrap());
        assert!(one.starts_with(TOKEN_PREFIX) && one.len() > 40);
        assert_ne!(one, other);
    }
}
