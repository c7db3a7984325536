//! Addresses: one text for a web address, however it was shared.
//!
//! Owns the normal form of http and https addresses. Reading follows the WHATWG URL standard (lower-case scheme
//! and host, default port gone, `.` and `..` resolved); on top of it the fragment and the tracking parameters of
//! [`crate::identity::builtin`] go, an empty query goes, and the remaining parameters are sorted.
//!
//! It doesn't touch what could change the page: letter case and trailing slashes of the path,
//! percent-escapes, repeated parameters. Only the root's slash goes, where no query follows it. Better two
//! works for one page than one for two.
//!
//! Refuses other schemes, and user names and passwords, which must never become part of an identity. No
//! [`UrlError`] shows the address, for the same reason.

use ::url::Url;

use crate::identity::builtin::Lists;

/// Why a text could not be normalised as an address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UrlError {
    /// The text is no absolute URL.
    #[error("normalise an address: it is no absolute URL; write it like `https://example.com/page`")]
    Syntax {
        /// What the URL parser said.
        #[source]
        source: ::url::ParseError,
    },
    /// The scheme is neither http nor https.
    #[error("normalise an address: its scheme is `{scheme}`; only http and https can be compared as pages")]
    Scheme {
        /// The scheme that was found.
        scheme: String,
    },
    /// The address carries a user name or a password.
    #[error(
        "normalise an address: it carries a user name or password, which must not enter an identity; \
         send it without"
    )]
    UserInfo,
}

impl UrlError {
    /// The stable name of the refusal, as the shared vectors write it.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Syntax { .. } => "syntax",
            Self::Scheme { .. } => "scheme",
            Self::UserInfo => "user-info",
        }
    }
}

/// Gives the normal form of an http or https address, without the tracking parameters of these lists.
///
/// Query parameters are sorted by name and then by value, as bytes of the escaped text. So the order of equal
/// names does not count, but their number does.
///
/// ```
/// use onceward::identity::builtin::Lists;
/// use onceward::identity::url::normalise;
///
/// let lists = Lists::of(1).ok_or("revision 1 is always known")?;
/// let normal = normalise("HTTPS://Example.com:443/Shoes/?size=9&utm_source=mail&colour=red#top", lists)?;
/// assert_eq!(normal, "https://example.com/Shoes/?colour=red&size=9");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`UrlError`] says why the text is no comparable address.
pub fn normalise(text: &str, lists: &Lists) -> Result<String, UrlError> {
    let mut url = Url::parse(text).map_err(|source| UrlError::Syntax { source })?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(UrlError::Scheme { scheme: url.scheme().to_owned() });
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(UrlError::UserInfo);
    }
    url.set_fragment(None);
    let query = url.query().and_then(|query| normal_query(query, lists));
    url.set_query(query.as_deref());
    let bare_root = query.is_none() && url.path() == "/";
    let mut normal = String::from(url);
    if bare_root {
        normal.pop();
    }
    Ok(normal)
}

/// The query without tracking parameters and in order; nothing where no parameter is left.
fn normal_query(query: &str, lists: &Lists) -> Option<String> {
    let mut pairs: Vec<(&str, &str)> = query
        .split('&')
        .filter(|pair| !pair.is_empty() && !is_tracking(pair, lists))
        .map(|pair| pair.split_at(pair.find('=').unwrap_or(pair.len())))
        .collect();
    pairs.sort_unstable();
    let kept: Vec<String> = pairs.into_iter().map(|(name, value)| format!("{name}{value}")).collect();
    (!kept.is_empty()).then(|| kept.join("&"))
}

fn is_tracking(pair: &str, lists: &Lists) -> bool {
    let name = ::url::form_urlencoded::parse(pair.as_bytes()).next();
    name.is_some_and(|(name, _)| lists.is_tracking(&name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::builtin::FIRST;
    use crate::identity::builtin::LATER_IN_TESTS;

    fn normalise(text: &str) -> Result<String, UrlError> {
        super::normalise(text, Lists::of(FIRST).expect("revision 1 is always known"))
    }

    #[test]
    fn a_normal_form_is_its_own_normal_form() {
        for text in [
            "http://a",
            "http://a/?",
            "http://a/?x",
            "https://a:8443/b//c/?b=2&b=1&a#f",
            "http://[::1]/%7e?q=%2f+",
        ] {
            let normal = normalise(text).expect(text);
            assert_eq!(normalise(&normal), Ok(normal.clone()), "{text}");
        }
    }

    #[test]
    fn an_error_never_shows_a_password() {
        let error = normalise("https://user:hunter2@example.com/").expect_err("credentials");
        assert_eq!(error, UrlError::UserInfo);
        assert!(!format!("{error} {error:?}").contains("hunter2"));
        assert!(!format!("{:?}", normalise("https://user:hunter2@exa mple/")).contains("hunter2"));
    }

    #[test]
    fn every_listed_parameter_is_dropped_in_any_case() {
        let lists = Lists::of(FIRST).expect("revision 1 is always known");
        for name in lists.tracking.iter().copied().chain(["utm_source", "utm_anything", "utm%5Fid"]) {
            for name in [name.to_owned(), name.to_ascii_uppercase()] {
                let normal = normalise(&format!("https://a.example/p?{name}=1&k=2"));
                assert_eq!(normal.as_deref(), Ok("https://a.example/p?k=2"), "{name}");
            }
        }
    }

    #[test]
    fn another_revision_has_its_own_parameters() {
        let later = Lists::of(LATER_IN_TESTS).expect("a revision for tests");
        let text = "https://a.example/?gclid=1&ref=2";
        assert_eq!(normalise(text).as_deref(), Ok("https://a.example/?ref=2"));
        assert_eq!(super::normalise(text, later).as_deref(), Ok("https://a.example/?gclid=1"));
    }
}
