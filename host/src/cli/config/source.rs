//! `[source.NAME]`: who sends events here, as it is written.
//!
//! Refuses a name that can't stand in an address, a provider without secrets, secrets or a tolerance where nothing is signed or no
//! time is, a place that is none, and a source whose events would be work for no step.

use crate::cli::config::bound;
use crate::cli::config::secret_ref::SecretRef;
use crate::identity::pointer::Pointer;
use crate::inbound::source::{Kind, Place, Proof, Source, TimeFormat, TimePlace};
use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

/// The longest name: it stands in an address and in the key of each of its events.
const NAME_LIMIT_BYTES: usize = 100;

/// Secrets that hold at once. Two are enough to exchange one; each costs a hash over every body.
const SECRETS_MAX: usize = 8;

/// Headers that carry a credential, which must not become the key of an event.
const CREDENTIAL_HEADERS: [&str; 3] = ["authorization", "proxy-authorization", "cookie"];

/// `[source.NAME]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceConfig {
    /// Whose messages they are.
    pub kind: Kind,
    /// Where the secrets are that it signs with; several while one is exchanged.
    #[serde(default)]
    pub secrets: Vec<SecretRef>,
    /// How far the signed time may lie from the present, to both sides, in seconds.
    pub tolerance_s: Option<u64>,
    /// Whether anybody may send to it, without a signature and without a token.
    #[serde(default)]
    pub open: bool,
    /// The step that its events are work for; where none is named the flow's first one, or the only one.
    pub step: Option<String>,
    /// Where the id stands, where not as its kind has it. An empty table: nowhere.
    pub id: Option<PlaceConfig>,
    /// Where the time stands at which it happened, where not as its kind has it. An empty table: nowhere.
    pub time: Option<TimeConfig>,
    /// Where the payload stands, as a JSON Pointer; the whole body where none is named.
    pub data: Option<String>,
}

/// A place in a request.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlaceConfig {
    /// In this header.
    pub header: Option<String>,
    /// At this JSON Pointer of the body.
    pub pointer: Option<String>,
}

/// A place of a time.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeConfig {
    /// In this header.
    pub header: Option<String>,
    /// At this JSON Pointer of the body.
    pub pointer: Option<String>,
    /// How it is written there.
    pub format: Option<TimeFormat>,
}

impl SourceConfig {
    /// Refuse what can't work. `has_first_step` says whether an event without a named step has one to begin at.
    pub(super) fn check(&self, name: &str, has_first_step: bool) -> Result<()> {
        let place = format!("[source.{name}]");
        check_name(name)?;
        self.check_proof().with_context(|| place.clone())?;
        if let Some(tolerance_s) = self.tolerance_s {
            bound::check(&place, &[bound::tolerance(tolerance_s)])?;
        }
        match &self.step {
            Some(step) if step.trim().is_empty() => {
                bail!("{place}: `step` is empty; name a step, or leave it out for the flow's first one")
            }
            None if !has_first_step => bail!(
                "{place}: nobody can say for which step its events are work, since `flow` is empty and there is not one [[step]] alone; name a `step`, or fill `flow`"
            ),
            _ => {}
        }
        let mut source = Source::new(name, self.kind, Proof::Token);
        self.place(&mut source).with_context(|| place)
    }

    fn check_proof(&self) -> Result<()> {
        let Some(scheme) = self.kind.scheme() else {
            if !self.secrets.is_empty() || self.tolerance_s.is_some() {
                bail!(
                    "`kind` is \"json\", which signs nothing, so that `secrets` and `tolerance_s` say nothing; take them out, or name the kind of the provider"
                );
            }
            return Ok(());
        };
        if self.secrets.is_empty() || self.secrets.len() > SECRETS_MAX {
            bail!(
                "`secrets` names {}, and {scheme} signs its messages; name 1 to {SECRETS_MAX}, such as secrets = [{{ env = \"WEBHOOK_SECRET\" }}]",
                self.secrets.len()
            );
        }
        if self.open {
            bail!(
                "`open` would let messages in that are not signed, and {scheme} signs its own; take it out, or set `kind = \"json\"`"
            );
        }
        if self.tolerance_s.is_some() && !scheme.has_time() {
            bail!("`tolerance_s` says nothing, since {scheme} signs no time; take it out");
        }
        Ok(())
    }

    /// Put id, time, payload and step where the operator has them.
    pub fn place(&self, source: &mut Source) -> Result<()> {
        if let Some(PlaceConfig { header, pointer }) = &self.id {
            source.id = place_of("id", header.as_deref(), pointer.as_deref())?;
        }
        if let Some(TimeConfig { header, pointer, format }) = &self.time {
            let place = place_of("time", header.as_deref(), pointer.as_deref())?;
            if place.is_none() && format.is_some() {
                bail!(
                    "`time.format` says how a time is written, and no place is named; add `time.header` or `time.pointer`"
                );
            }
            source.time = place.map(|place| TimePlace { place, format: format.unwrap_or_default() });
        }
        source.data = self.data.as_deref().map(|pointer| pointer_of("data", pointer)).transpose()?;
        source.step.clone_from(&self.step);
        Ok(())
    }
}

/// A name that stands in an address as it is.
fn check_name(name: &str) -> Result<()> {
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    if name.is_empty() || name.len() > NAME_LIMIT_BYTES || !plain {
        bail!(
            "[source.{name:?}]: the name stands in the address that its messages are sent to; give it 1 to {NAME_LIMIT_BYTES} letters, digits, `-` and `_`"
        );
    }
    Ok(())
}

fn place_of(setting: &str, header: Option<&str>, pointer: Option<&str>) -> Result<Option<Place>> {
    match (header, pointer) {
        (None, None) => Ok(None),
        (Some(header), None) => header_of(setting, header).map(Place::Header).map(Some),
        (None, Some(pointer)) => {
            pointer_of(&format!("{setting}.pointer"), pointer).map(Place::Body).map(Some)
        }
        (Some(_), Some(_)) => {
            bail!(
                "`{setting}` names a header and a pointer, and can stand in one place alone; take one of them out"
            )
        }
    }
}

fn header_of(setting: &str, name: &str) -> Result<String> {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(token) {
        bail!("`{setting}.header` is {name:?}, which is no header's name; write it like \"X-Request-Id\"");
    }
    if CREDENTIAL_HEADERS.iter().any(|credential| name.eq_ignore_ascii_case(credential)) {
        bail!(
            "`{setting}.header` is {name:?}, which holds a credential, and what stands there is stored and shown; name another header"
        );
    }
    Ok(name.to_owned())
}

fn pointer_of(setting: &str, text: &str) -> Result<Pointer> {
    let pointer = Pointer::parse(text).with_context(|| format!("`{setting}` is no place in a body"))?;
    if pointer.is_wild() {
        bail!("`{setting}` is {text:?}, which can name several places; name one, without `*`");
    }
    Ok(pointer)
}
