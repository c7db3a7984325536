//! Sources: who sends events here, how that is proved, and where a message has its id, its time and its payload.
//!
//! Owns the way from a request to an [`Event`] whose source is the name that the operator gave. The proof comes first, over the
//! bytes as they came; only then is anything read. The reader is the one of all events, as strict as for the envelope.
//!
//! Refuses a request that is not proved, a body that is no JSON, and a message without an identity: one that has neither an id
//! nor a time where the source looks for them. Where it looks for neither, the step's contract decides what the identity is.
//! It fails with a [`SourceError`] that names the source and the place.

mod error;
mod kind;
mod place;

use crate::identity::event::Body;
use crate::identity::event::EVENT_LIMIT_BYTES;
use crate::identity::event::Event;
use crate::identity::event::EventError;
use crate::identity::pointer::Pointer;
use crate::inbound::headers::HeaderError;
use crate::inbound::headers::Headers;
use crate::inbound::media_type;
use crate::inbound::signature::Verifier;
pub use crate::inbound::source::error::SourceError;
use crate::inbound::source::kind::Greeting;
pub use crate::inbound::source::kind::Kind;
pub use crate::inbound::source::place::Place;
pub use crate::inbound::source::place::PlaceError;
pub use crate::inbound::source::place::TimeFormat;
pub use crate::inbound::source::place::TimePlace;

/// How a request proves where it comes from.
#[derive(Clone, Debug)]
pub enum Proof {
    /// By its signature, which [`Source::read`] checks.
    Signature(Verifier),
    /// By a token with the scope to invoke, which its door checks.
    Token,
    /// Not at all, because the operator said so.
    Open,
}

/// A source as the operator set it up.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name, which is the source of its events and so a part of their keys.
    pub name: String,
    /// Whose messages they are.
    pub kind: Kind,
    /// How they are proved.
    pub proof: Proof,
    /// The step that they are work for; where none is named the flow's first one, or the only one.
    pub step: Option<String>,
    /// Where the id stands.
    pub id: Option<Place>,
    /// Where the time stands at which it happened.
    pub time: Option<TimePlace>,
    /// Where the payload stands; the whole body where none is named.
    pub data: Option<Pointer>,
}

/// What a request of a source is.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrival {
    /// A message.
    Event(Event),
    /// A question of the provider whether somebody is there. It is answered with this text and is no event.
    Challenge(String),
}

impl Source {
    /// A source with the places that its kind has.
    ///
    /// ```
    /// use onceward::inbound::headers::Headers;
    /// use onceward::inbound::source::{Arrival, Kind, Proof, Source};
    ///
    /// let mut source = Source::new("shop", Kind::Json, Proof::Open);
    /// source.id = Some(onceward::inbound::source::Place::Header("X-Order".to_owned()));
    /// let headers = Headers::new([("x-order", b"42".as_slice())]);
    /// let Arrival::Event(event) = source.read(&headers, br#"{"total": 1.0}"#, 0)? else { unreachable!() };
    /// assert_eq!((event.source.as_str(), event.id.as_deref()), ("shop", Some("42")));
    /// # Ok::<(), onceward::inbound::source::SourceError>(())
    /// ```
    #[must_use]
    pub fn new(name: impl Into<String>, kind: Kind, proof: Proof) -> Self {
        Self { name: name.into(), kind, proof, step: None, id: kind.id(), time: kind.time(), data: None }
    }

    /// Takes a request at the present time in Unix milliseconds. `body` is as it came over the wire. A signature is checked
    /// here; whether a token is there that [`Proof::Token`] asks for is checked before.
    ///
    /// # Errors
    /// It is not proved, can't be read, or has no identity.
    pub fn read(&self, headers: &Headers<'_>, body: &[u8], now_ms: i64) -> Result<Arrival, SourceError> {
        if let Proof::Signature(verifier) = &self.proof {
            let unproved = |source| SourceError::Unproved { name: self.name.clone(), source };
            verifier.verify(headers, body, now_ms).map_err(unproved)?;
        }
        self.refuse_what_is_no_json(headers)?;
        let body = Body::read(body, EVENT_LIMIT_BYTES).map_err(|source| self.event_error(source))?;
        match self.kind.greeting(headers, &body).map_err(|source| self.header_error(source))? {
            Some(Greeting::Answer(text)) => Ok(Arrival::Challenge(text)),
            Some(Greeting::Empty) => Err(SourceError::NoChallenge { name: self.name.clone() }),
            None => self.event(headers, body).map(Arrival::Event),
        }
    }

    fn refuse_what_is_no_json(&self, headers: &Headers<'_>) -> Result<(), SourceError> {
        match media_type::of(headers).map_err(|source| self.header_error(source))? {
            Some(found) if !media_type::is_json(&found) => Err(SourceError::ContentType {
                name: self.name.clone(),
                found: media_type::shown(&found),
                remedy: self.kind.json_remedy(),
            }),
            _ => Ok(()),
        }
    }

    fn event(&self, headers: &Headers<'_>, body: Body) -> Result<Event, SourceError> {
        let misplaced = |what| move |source| SourceError::Place { name: self.name.clone(), what, source };
        let id = self.id.as_ref().map(|id| id.id(headers, &body)).transpose().map_err(misplaced("id"))?;
        let time = self.time.as_ref().map(|time| time.time(headers, &body)).transpose();
        let (id, time) = (id.flatten(), time.map_err(misplaced("time"))?.flatten());
        if id.is_none() && time.is_none() {
            self.refuse_no_identity()?;
        }
        let data = match &self.data {
            None => body,
            Some(pointer) => body.part(pointer).ok_or_else(|| SourceError::NoData {
                name: self.name.clone(),
                pointer: pointer.as_str().to_owned(),
            })?,
        };
        Event::new(&self.name, id.as_deref(), time.as_deref(), data)
            .map_err(|source| self.event_error(source))
    }

    /// Nothing was found; an error where something was looked for.
    fn refuse_no_identity(&self) -> Result<(), SourceError> {
        let looked = self.id.iter().chain(self.time.iter().map(|time| &time.place));
        let places = looked.map(ToString::to_string).collect::<Vec<_>>().join(" or ");
        if places.is_empty() {
            Ok(())
        } else {
            Err(SourceError::NoIdentity { name: self.name.clone(), places })
        }
    }

    fn event_error(&self, source: EventError) -> SourceError {
        SourceError::Event { name: self.name.clone(), source }
    }

    fn header_error(&self, source: HeaderError) -> SourceError {
        SourceError::Header { name: self.name.clone(), source }
    }
}

#[cfg(test)]
mod tests;
