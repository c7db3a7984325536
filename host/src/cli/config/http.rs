//! `[destination.NAME]` of the kind "http", as it is written.
//!
//! Refuses an address that is none, that names a credential, or whose host a payload could choose; a tier without what it
//! needs; and budgets out of bounds. No refusal repeats an address, since it may hold a token.

use crate::cli::config::bound;
use crate::cli::config::same_text::SameTextConfig;
use crate::cli::config::secret_ref::SecretRef;
use crate::connectors::LookUp;
use crate::connectors::Method;
use crate::connectors::Predicate;
use crate::connectors::http::HttpSettings;
use crate::contract::tier::Tier;
use crate::dispatch::retry::RetryPolicy;
use crate::identity::pointer::Pointer;
use crate::store::pace::{Breaker, Rate};
use anyhow::{Context as _, Result, anyhow, bail};
use serde::Deserialize;
use url::Url;

/// How to write an address.
const EXAMPLE: &str = "https://crm.example.com/deals";

/// An HTTP destination.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpConfig {
    /// The address that rows are sent to; `{key}` and `{/pointer}` are filled from the row.
    pub url: String,
    /// `POST`, `PUT` or `PATCH`.
    #[serde(default)]
    pub method: Method,
    /// What it can promise.
    pub tier: Tier,
    /// How long it remembers a key, in hours.
    #[serde(default = "default_retention_hours")]
    pub retention_hours: u64,
    /// The header that carries the key.
    pub key_header: Option<String>,
    /// Where its answer holds the id it gave.
    pub reference: Option<String>,
    /// Where the row's key is put into the body, so that a look-up finds the record by it.
    pub fingerprint: Option<String>,
    /// How to ask whether a write has happened: before a repeat that the tier alone does not make safe, and after a repeat.
    pub look_up: Option<LookUp>,
    /// How long a write may take until a look-up finds it, in milliseconds.
    #[serde(default = "default_settling_ms")]
    pub settling_ms: u64,
    /// What a 2xx must hold to be an acceptance.
    pub success: Option<Predicate>,
    /// What an answer holds that means "same key, other content".
    pub conflict: Option<Predicate>,
    /// What an answer holds that means "same key, still in progress".
    pub in_progress: Option<Predicate>,
    /// Whether a 503 means that nothing was applied.
    #[serde(default)]
    pub unavailable_means_not_applied: bool,
    /// Whether a person approves each row to it.
    #[serde(default)]
    pub hold: bool,
    /// When two messages to it are the same message, which goes out once.
    pub same_text: Option<SameTextConfig>,
    /// Where the credential is: the `Authorization` header's value, or that of `authorization_header`.
    pub authorization: Option<SecretRef>,
    /// The header that the credential goes out in, where it is another than `Authorization`.
    pub authorization_header: Option<String>,
    /// Whether private addresses are wanted.
    #[serde(default)]
    pub allow_private_addresses: bool,
    /// For connecting.
    pub connect_timeout_ms: Option<u64>,
    /// For the reply.
    pub request_timeout_ms: Option<u64>,
    /// How long a sender has a row to itself, in milliseconds.
    pub lease_ms: Option<u64>,
    /// Rows at once.
    #[serde(default = "default_concurrency")]
    pub concurrency: u32,
    /// How often it may be called.
    pub rate: Option<Rate>,
    /// When it rests after failures.
    #[serde(default)]
    pub breaker: Breaker,
    /// When a failed delivery is tried again.
    #[serde(default)]
    pub retry: RetryPolicy,
}

const fn default_retention_hours() -> u64 {
    24
}

const fn default_settling_ms() -> u64 {
    60_000
}

const fn default_concurrency() -> u32 {
    4
}

impl HttpConfig {
    /// How its connector is set up, but for the credential.
    #[must_use]
    pub fn settings(&self) -> HttpSettings {
        let defaults = HttpSettings::default();
        HttpSettings {
            allow_private_addresses: self.allow_private_addresses,
            connect_timeout_ms: self.connect_timeout_ms.unwrap_or(defaults.connect_timeout_ms),
            request_timeout_ms: self.request_timeout_ms.unwrap_or(defaults.request_timeout_ms),
            credential_header: self.authorization_header.clone().unwrap_or(defaults.credential_header),
            ..defaults
        }
    }

    /// The longest time that a sender can be busy with a row, in milliseconds. One that repeats may look up before and
    /// after it sends.
    #[must_use]
    pub fn longest_ms(&self) -> u64 {
        let requests = 1 + 2 * u64::from(self.look_up.is_some());
        self.settings().longest_delivery_ms().saturating_mul(requests)
    }

    /// Refuse what can't work. `place` is the table's name.
    pub(super) fn check(&self, place: &str) -> Result<()> {
        let mut bounds = vec![
            bound::concurrency(self.concurrency),
            bound::retention(self.tier, self.retention_hours),
            bound::settling(self.settling_ms),
        ];
        bounds.extend(bound::retry(&self.retry));
        bounds.extend(bound::breaker(self.breaker));
        bounds.extend(self.rate.map(bound::rate).into_iter().flatten());
        for (setting, timeout_ms) in
            [("connect_timeout_ms", self.connect_timeout_ms), ("request_timeout_ms", self.request_timeout_ms)]
        {
            bounds.extend(timeout_ms.map(|timeout_ms| bound::timeout(setting, timeout_ms)));
        }
        bounds.extend(self.lease_ms.map(|lease_ms| bound::sender_lease(lease_ms, self.longest_ms())));
        bound::check(place, &bounds)?;
        self.check_pointers().with_context(|| place.to_owned())?;
        if let Some(same_text) = &self.same_text {
            same_text.rule().with_context(|| place.to_owned())?;
        }
        if self.authorization.is_none() && self.authorization_header.is_some() {
            bail!(
                "{place}: `authorization_header` names the header of a credential, and there is none; add `authorization`, or take it out"
            );
        }
        let places = address("url", &self.url).with_context(|| place.to_owned())?;
        self.check_tier(&places).with_context(|| place.to_owned())
    }

    fn check_pointers(&self) -> Result<()> {
        for (setting, pointer) in [
            ("reference", &self.reference),
            ("fingerprint", &self.fingerprint),
            ("look_up.found", &self.look_up.as_ref().map(|look_up| look_up.found.clone())),
            ("success.pointer", &self.success.as_ref().map(|it| it.pointer.clone())),
            ("conflict.pointer", &self.conflict.as_ref().map(|it| it.pointer.clone())),
            ("in_progress.pointer", &self.in_progress.as_ref().map(|it| it.pointer.clone())),
        ] {
            if let Some(pointer) = pointer {
                Pointer::parse(pointer).with_context(|| format!("`{setting}` is no place in a reply"))?;
            }
        }
        Ok(())
    }

    /// A tier is a promise about the receiver; refuse one whose means are missing.
    fn check_tier(&self, places: &[String]) -> Result<()> {
        let look_up = match &self.look_up {
            Some(look_up) => Some(address("look_up.url", &look_up.url)?),
            None => None,
        };
        // Only the row's own key says that the record is this row's, and not one that was there before.
        let by_key = |asked: &[String]| self.fingerprint.is_some() && asked.iter().any(|it| it == "key");
        match (self.tier, look_up) {
            (Tier::Blind, Some(_)) => bail!(
                "`look_up` makes a receiver one that can be asked; set `tier = \"lookup\"`, or take `look_up` out"
            ),
            (_, Some(asked)) if !by_key(&asked) => bail!(
                "`look_up` asks whether a row's own record is there: set `fingerprint` to where the key is put into the body, and write {{key}} into `look_up.url`"
            ),
            (Tier::Lookup, None) => bail!(
                "`tier` is \"lookup\", so that a repeat is asked for: set `fingerprint` to where the key is put into the body, and `look_up` to {{ url, found }} with {{key}} in its url"
            ),
            (Tier::Field, _) if !places.iter().any(|place| place.starts_with('/')) => bail!(
                "`tier` is \"field\", so that a repeat meets the same record: put the field into `url`, as in https://crm.example.com/by-email/{{/email}}"
            ),
            (Tier::Field | Tier::Key | Tier::Blind | Tier::Lookup, _) => Ok(()),
        }
    }
}

/// Read an address with places; the places.
fn address(setting: &str, text: &str) -> Result<Vec<String>> {
    let places = places(text).ok_or_else(|| {
        anyhow!("`{setting}` has a place that is not closed; write {{key}} or {{/pointer}}")
    })?;
    for place in &places {
        if place != "key" && Pointer::parse(place).is_err() {
            bail!("`{setting}` has the place {{{place}}}; write {{key}} or {{/pointer}}");
        }
    }
    // With two different fillings, so that a host that depends on the payload is seen.
    let of = |filling: &str| absolute(setting, &filled(text, filling), EXAMPLE);
    let (url, other) = (of("a")?, of("b")?);
    if url.origin() != other.origin() {
        bail!(
            "`{setting}` has a place in its host or port, so that a payload would choose where rows go; write the host out"
        );
    }
    Ok(places)
}

/// Names of parameters that hold a credential, without punctuation. An address is stored with each row, and shown.
const CREDENTIAL_PARAMETERS: [&str; 12] = [
    "apikey",
    "accesskey",
    "accesstoken",
    "authtoken",
    "token",
    "secret",
    "clientsecret",
    "password",
    "passwd",
    "signature",
    "sig",
    "authorization",
];

/// The first parameter of an address that holds a credential.
fn credential_parameter(url: &Url) -> Option<String> {
    let plain = |name: &str| -> String {
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
    };
    let mut names = url.query_pairs().map(|(name, _)| name.into_owned());
    names.find(|name| CREDENTIAL_PARAMETERS.contains(&plain(name).as_str()))
}

/// Read an address that has no places. No refusal repeats it.
pub(super) fn absolute(setting: &str, text: &str, example: &str) -> Result<Url> {
    let Ok(url) = Url::parse(text) else {
        bail!("`{setting}` is no absolute address; write it like {example}");
    };
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        bail!("`{setting}` has another scheme than http or https; write it like {example}");
    }
    if !url.username().is_empty() || url.password().is_some() {
        bail!(
            "`{setting}` holds a user name or password; an address is stored and shown, so name them with `authorization` or `api_key`"
        );
    }
    if let Some(name) = credential_parameter(&url) {
        bail!(
            "`{setting}` holds a credential in its parameter {name:?}; an address is stored and shown, so name it with `authorization` (and `authorization_header`) or `api_key`"
        );
    }
    Ok(url)
}

/// What stands between braces; none where a brace is not closed.
fn places(text: &str) -> Option<Vec<String>> {
    text.split('{').skip(1).map(|rest| rest.split_once('}').map(|(place, _)| place.to_owned())).collect()
}

fn filled(text: &str, filling: &str) -> String {
    let mut pieces = text.split('{');
    let mut all = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (_, after) = piece.split_once('}').unwrap_or_default();
        all.push_str(filling);
        all.push_str(after);
    }
    all
}
