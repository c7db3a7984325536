//! What a step declares: identity, window, response, and what it asks for.
//!
//! It owns [`Contract`], which is built in a constant, so that a bad name, a version 0 or a pointer without its
//! slash is a compile error. The host checks it again. Steps write it through [`step!`](crate::step!).

use crate::bindings::exports::onceward::step::guest as wit;
pub(crate) use crate::bindings::exports::onceward::step::guest::Declaration as WitContract;

/// A step's name has at most this many characters: it is part of keys, and of what people type.
pub const NAME_MAX_CHARS: usize = 64;

const SECONDS_PER_DAY: u64 = 86_400;

/// A list in a contract. Contracts are constants, so their lists are too.
pub type List = &'static [&'static str];

/// What makes two events the same work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Identity {
    /// The event's own key: its source and provider message id; where the provider has no id, its source and
    /// original time, with all its digits.
    EventKey,
    /// The values of these fields of the payload, as JSON Pointers (RFC 6901), at most 16. A missing or empty field,
    /// or one longer than 8 KiB, is an error of the event that names the field.
    BusinessKey(List),
    /// The whole payload in canonical form (RFC 8785), without its volatile fields.
    Content,
}

impl Identity {
    /// The values of these fields, as JSON Pointers. An e-mail address alone is no identity: one contact can ask
    /// twice.
    pub const fn business_key(fields: List) -> Self {
        Self::BusinessKey(fields)
    }
}

/// How long a key is remembered after everything that belongs to it has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    /// Never forgotten.
    ForEver,
    /// This many seconds, at least 1.
    Seconds(u64),
    /// Until the operator sets the marker of this name, of at most 128 bytes.
    UntilMarker(&'static str),
}

impl Window {
    /// This many days of 24 hours.
    pub const fn days(days: u64) -> Self {
        Self::Seconds(days * SECONDS_PER_DAY)
    }
}

/// What a duplicate of finished work is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Response {
    /// The first result.
    Original,
    /// That it has been done, without the result.
    Acknowledgement,
    /// An error.
    Error,
}

/// A step's declaration.
///
/// ```
/// use onceward_guest::{Contract, Identity, Response, Window};
///
/// const CONTRACT: Contract = Contract::new(
///     "lead-classifier",
///     1,
///     Identity::business_key(&["/source", "/message_id"]),
///     Window::ForEver,
///     Response::Original,
/// )
/// .models(&["classifier"]);
/// assert_eq!(CONTRACT.name(), "lead-classifier");
/// ```
///
/// A pointer starts with a slash; without one it does not compile:
///
/// ```compile_fail
/// # use onceward_guest::{Contract, Identity, Response, Window};
/// const CONTRACT: Contract =
///     Contract::new("lead", 1, Identity::business_key(&["source"]), Window::ForEver, Response::Original);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contract {
    name: &'static str,
    version: u32,
    identity: Identity,
    window: Window,
    response: Response,
    volatile: List,
    urls: List,
    times: List,
    trimmed: List,
    content_fields: Option<List>,
    read_only: bool,
    destinations: List,
    keyed_destinations: List,
    models: List,
}

impl Contract {
    /// The parts that every step declares.
    ///
    /// # Panics
    /// In a constant, and so at compile time: the name is not 1 to [`NAME_MAX_CHARS`] lower-case letters, digits and
    /// hyphens; the version is 0; a business key has no fields, or one that is no JSON Pointer; the window is 0 seconds
    /// long; a marker has no name.
    pub const fn new(
        name: &'static str,
        version: u32,
        identity: Identity,
        window: Window,
        response: Response,
    ) -> Self {
        assert!(is_name(name), "step!: `name` must be 1 to 64 lower-case letters, digits and hyphens");
        assert!(version >= 1, "step!: `version` counts from 1");
        if let Identity::BusinessKey(fields) = identity {
            assert!(
                !fields.is_empty(),
                "step!: `identity` is a business key without fields; name at least one"
            );
            assert!(are_pointers(fields), "step!: `identity` takes JSON Pointers, such as \"/message_id\"");
        }
        match window {
            Window::ForEver => {}
            Window::Seconds(seconds) => {
                assert!(seconds > 0, "step!: `window` is 0 seconds long, and would remember nothing");
            }
            Window::UntilMarker(marker) => {
                assert!(!marker.is_empty(), "step!: `window` waits for a marker; give its name");
            }
        }
        Self {
            name,
            version,
            identity,
            window,
            response,
            volatile: &[],
            urls: &[],
            times: &[],
            trimmed: &[],
            content_fields: None,
            read_only: false,
            destinations: &[],
            keyed_destinations: &[],
            models: &[],
        }
    }

    /// Fields that change with each delivery, and so never count, besides those that the host knows (`receivedAt`,
    /// `request_id`, `trace_id` ...). A bare member name applies at every depth; `*` as a pointer's token stands for
    /// every element or member, here and in the lists below. A list has at most 128 entries of at most 512 bytes.
    ///
    /// # Panics
    /// At compile time: an entry is empty, or the list is given twice (so for each of the lists below).
    pub const fn volatile(mut self, fields: List) -> Self {
        assert!(self.volatile.is_empty(), "step!: `volatile` is given twice");
        assert!(are_named(fields), "step!: `volatile` has an empty entry");
        self.volatile = fields;
        self
    }

    /// Fields compared as URLs: tracking parameters gone, query sorted.
    ///
    /// # Panics
    /// At compile time: an entry is no JSON Pointer (so for the next three lists).
    pub const fn urls(mut self, fields: List) -> Self {
        assert!(self.urls.is_empty(), "step!: `urls` is given twice");
        assert!(are_pointers(fields), "step!: `urls` takes JSON Pointers, such as \"/page/url\"");
        self.urls = fields;
        self
    }

    /// Fields compared as RFC 3339 instants, whatever their offset.
    pub const fn times(mut self, fields: List) -> Self {
        assert!(self.times.is_empty(), "step!: `times` is given twice");
        assert!(are_pointers(fields), "step!: `times` takes JSON Pointers, such as \"/asked_at\"");
        self.times = fields;
        self
    }

    /// Strings whose surrounding white space does not count.
    pub const fn trimmed(mut self, fields: List) -> Self {
        assert!(self.trimmed.is_empty(), "step!: `trimmed` is given twice");
        assert!(are_pointers(fields), "step!: `trimmed` takes JSON Pointers, such as \"/text\"");
        self.trimmed = fields;
        self
    }

    /// The fields whose change under the same key is a mismatch. Not given: all but the volatile ones.
    pub const fn content_fields(mut self, fields: List) -> Self {
        assert!(self.content_fields.is_none(), "step!: `content_fields` is given twice");
        assert!(are_pointers(fields), "step!: `content_fields` takes JSON Pointers, such as \"/text\"");
        self.content_fields = Some(fields);
        self
    }

    /// Destinations the step wants to enqueue to. It reaches those that the operator grants as well.
    pub const fn destinations(mut self, names: List) -> Self {
        assert!(self.destinations.is_empty(), "step!: `destinations` is given twice");
        assert!(are_named(names), "step!: `destinations` has an empty entry");
        self.destinations = names;
        self
    }

    /// Destinations as with [`destinations`](Self::destinations), which must take an idempotency key (tier 1). The host
    /// refuses the step where the operator's destination promises less: for money, or whatever must never happen twice.
    ///
    /// # Panics
    /// At compile time: an entry is empty, or the list is given twice.
    pub const fn keyed_destinations(mut self, names: List) -> Self {
        assert!(self.keyed_destinations.is_empty(), "step!: `keyed_destinations` is given twice");
        assert!(are_named(names), "step!: `keyed_destinations` has an empty entry");
        self.keyed_destinations = names;
        self
    }

    /// The step only reads: the host retries it and keeps nothing of its runs, and refuses whatever would act or be
    /// remembered.
    pub const fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// Models the step wants to ask. It reaches those that the operator grants as well.
    pub const fn models(mut self, names: List) -> Self {
        assert!(self.models.is_empty(), "step!: `models` is given twice");
        assert!(are_named(names), "step!: `models` has an empty entry");
        self.models = names;
        self
    }

    /// The step's name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The contract's version, from 1.
    pub const fn version(&self) -> u32 {
        self.version
    }

    /// What makes two events the same work.
    pub const fn identity(&self) -> Identity {
        self.identity
    }

    /// The host's form of it.
    pub(crate) fn to_wit(self) -> WitContract {
        WitContract {
            name: self.name.to_owned(),
            version: self.version,
            identity: match self.identity {
                Identity::EventKey => wit::Identity::EventKey,
                Identity::BusinessKey(fields) => wit::Identity::BusinessKey(owned(fields)),
                Identity::Content => wit::Identity::Content,
            },
            normalisation: wit::Normalisation {
                volatile: owned(self.volatile),
                urls: owned(self.urls),
                times: owned(self.times),
                trimmed: owned(self.trimmed),
                content_fields: self.content_fields.map(owned),
            },
            window: match self.window {
                Window::ForEver => wit::Window::ForEver,
                Window::Seconds(seconds) => wit::Window::Duration(seconds),
                Window::UntilMarker(marker) => wit::Window::UntilMarker(marker.to_owned()),
            },
            response: match self.response {
                Response::Original => wit::Response::Original,
                Response::Acknowledgement => wit::Response::Acknowledgement,
                Response::Error => wit::Response::Error,
            },
            mode: if self.read_only { wit::Mode::ReadOnly } else { wit::Mode::Recorded },
            destinations: wanted(self.destinations, wit::Tier::Blind)
                .chain(wanted(self.keyed_destinations, wit::Tier::Key))
                .collect(),
            models: owned(self.models),
        }
    }
}

fn wanted(names: List, weakest: wit::Tier) -> impl Iterator<Item = wit::WantedDestination> {
    names.iter().map(move |&name| wit::WantedDestination { name: name.to_owned(), weakest })
}

fn owned(list: List) -> Vec<String> {
    list.iter().map(|&entry| entry.to_owned()).collect()
}

const fn is_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !matches!(bytes[at], b'a'..=b'z' | b'0'..=b'9' | b'-') {
            return false;
        }
        at += 1;
    }
    !bytes.is_empty() && bytes.len() <= NAME_MAX_CHARS
}

const fn are_pointers(list: List) -> bool {
    let mut at = 0;
    while at < list.len() {
        let bytes = list[at].as_bytes();
        if bytes.is_empty() || bytes[0] != b'/' {
            return false;
        }
        at += 1;
    }
    true
}

const fn are_named(list: List) -> bool {
    let mut at = 0;
    while at < list.len() {
        if list[at].is_empty() {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::Contract;
    use super::Identity;
    use super::NAME_MAX_CHARS;
    use super::Response;
    use super::Window;
    use super::is_name;

    #[test]
    fn a_name_is_short_and_plain() {
        let longest = "a".repeat(NAME_MAX_CHARS);
        for (name, good) in
            [("lead-2", true), ("", false), ("Lead", false), ("a b", false), ("a_b", false), (&longest, true)]
        {
            assert_eq!(is_name(name), good, "{name}");
        }
        assert!(!is_name(&"a".repeat(NAME_MAX_CHARS + 1)));
    }

    #[test]
    fn every_list_reaches_its_own_place() {
        let sent = Contract::new("a", 2, Identity::Content, Window::days(2), Response::Error)
            .volatile(&["v"])
            .urls(&["/u"])
            .times(&["/t"])
            .trimmed(&["/s"])
            .content_fields(&["/c"])
            .destinations(&["d"])
            .keyed_destinations(&["k"])
            .models(&["m"])
            .to_wit();
        let tiers = sent.destinations.clone().into_iter().map(|wanted| wanted.weakest);
        let lists = [
            sent.normalisation.volatile,
            sent.normalisation.urls,
            sent.normalisation.times,
            sent.normalisation.trimmed,
            sent.normalisation.content_fields.expect("given"),
            sent.destinations.iter().map(|wanted| wanted.name.clone()).collect(),
            sent.models,
        ];
        assert_eq!(lists.concat(), ["v", "/u", "/t", "/s", "/c", "d", "k", "m"]);
        assert!(
            tiers.eq([super::wit::Tier::Blind, super::wit::Tier::Key]),
            "each list asks for its own tier"
        );
        assert!(matches!(sent.window, super::wit::Window::Duration(172_800)));
    }

    #[test]
    #[should_panic(expected = "JSON Pointers")]
    fn a_business_key_without_its_slash_is_refused() {
        Contract::new("a", 1, Identity::business_key(&["id"]), Window::ForEver, Response::Original);
    }

    #[test]
    #[should_panic(expected = "0 seconds")]
    fn a_window_that_remembers_nothing_is_refused() {
        Contract::new("a", 1, Identity::EventKey, Window::days(0), Response::Original);
    }

    #[test]
    #[should_panic(expected = "given twice")]
    fn a_list_given_twice_is_refused() {
        let once =
            Contract::new("a", 1, Identity::EventKey, Window::ForEver, Response::Original).models(&["m"]);
        once.models(&["n"]);
    }
}
