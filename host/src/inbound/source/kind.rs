//! Kinds of sources: what each provider's messages look like, where the operator says nothing else.
//!
//! Owns the defaults, and the greetings with which a provider asks whether somebody is there.

use serde::Deserialize;
use serde_json::Value;

use crate::identity::event::Body;
use crate::identity::pointer::Pointer;
use crate::inbound::headers::HeaderError;
use crate::inbound::headers::Headers;
use crate::inbound::signature::Scheme;
use crate::inbound::signature::standard_webhooks;
use crate::inbound::source::place::Place;
use crate::inbound::source::place::TimeFormat;
use crate::inbound::source::place::TimePlace;

/// The longest greeting that is sent back. Slack's have 52 characters.
const CHALLENGE_LIMIT_BYTES: usize = 1_024;

/// Whose messages a source receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Standard Webhooks: the id is `webhook-id`. No time, since the body is free and the signed time is that of an attempt.
    StandardWebhooks,
    /// GitHub: the id is `X-GitHub-Delivery`, which a redelivery keeps.
    Github,
    /// Stripe: `/id` and `/created` of the event.
    Stripe,
    /// Slack's Events API: `/event_id` and `/event_time`.
    Slack,
    /// JSON without a signature. Neither id nor time: a step's contract takes the identity from the payload, or the operator
    /// says where they stand.
    Json,
}

impl Kind {
    /// The scheme in which it signs; none where it does not.
    #[must_use]
    pub const fn scheme(self) -> Option<Scheme> {
        match self {
            Self::StandardWebhooks => Some(Scheme::StandardWebhooks),
            Self::Github => Some(Scheme::Github),
            Self::Stripe => Some(Scheme::Stripe),
            Self::Slack => Some(Scheme::Slack),
            Self::Json => None,
        }
    }

    /// Where its messages have their id.
    pub(super) fn id(self) -> Option<Place> {
        match self {
            Self::StandardWebhooks => Some(Place::Header(standard_webhooks::ID.to_owned())),
            Self::Github => Some(Place::Header("x-github-delivery".to_owned())),
            Self::Stripe => Some(in_body("/id")),
            Self::Slack => Some(in_body("/event_id")),
            Self::Json => None,
        }
    }

    /// Where its messages have the time at which it happened.
    pub(super) fn time(self) -> Option<TimePlace> {
        let place = match self {
            Self::Stripe => in_body("/created"),
            Self::Slack => in_body("/event_time"),
            Self::StandardWebhooks | Self::Github | Self::Json => return None,
        };
        Some(TimePlace { place, format: TimeFormat::UnixS })
    }

    /// What to do about a body that is no JSON.
    pub(super) const fn json_remedy(self) -> &'static str {
        match self {
            Self::Github => "choose the content type `application/json` in the webhook's settings",
            Self::Slack => {
                "subscribe to events: interactive components and slash commands, which send forms, are not supported"
            }
            Self::StandardWebhooks | Self::Stripe | Self::Json => {
                "send JSON, with the content type `application/json`"
            }
        }
    }

    /// The answer to a greeting, which is no event; none where the message is none.
    ///
    /// # Errors
    /// The header that would say so can't be read.
    pub(super) fn greeting(
        self,
        headers: &Headers<'_>,
        body: &Body,
    ) -> Result<Option<Greeting>, HeaderError> {
        Ok(match self {
            Self::Slack if body.value().get("type") == Some(&Value::from("url_verification")) => {
                Some(slack_challenge(body))
            }
            // Sent once, when a webhook is set up.
            Self::Github if headers.get("x-github-event")? == Some("ping") => {
                Some(Greeting::Answer("pong".to_owned()))
            }
            _ => None,
        })
    }
}

/// What a greeting is answered with.
pub(super) enum Greeting {
    /// This text.
    Answer(String),
    /// It has nothing that could be answered.
    Empty,
}

fn slack_challenge(body: &Body) -> Greeting {
    match body.value().get("challenge").and_then(Value::as_str) {
        Some(text) if !text.trim().is_empty() && text.len() <= CHALLENGE_LIMIT_BYTES => {
            Greeting::Answer(text.to_owned())
        }
        _ => Greeting::Empty,
    }
}

fn in_body(pointer: &str) -> Place {
    Place::Body(Pointer::parse(pointer).expect("the kinds' pointers begin with a slash and escape nothing"))
}
