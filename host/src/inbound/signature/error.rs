//! Why a signature does not hold, and why a secret is none.
//!
//! Owns the words alone. They name the header and the remedy, and never a secret or a signature.

use crate::inbound::headers::HeaderError;
use crate::inbound::signature::Scheme;

/// Why a request is not proved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignatureError {
    /// A header that the scheme needs can't be read.
    #[error(
        "check a {scheme} signature: one of its headers can't be used; \
         have the sender sign its requests, and let no proxy take headers away"
    )]
    Header {
        /// The scheme.
        scheme: Scheme,
        /// Which header, and what is wrong with it.
        #[source]
        source: HeaderError,
    },
    /// A header does not have its form.
    #[error("check a {scheme} signature: the header `{header}` must hold {expected}; correct the sender")]
    Malformed {
        /// The scheme.
        scheme: Scheme,
        /// The header.
        header: &'static str,
        /// What must stand there.
        expected: &'static str,
    },
    /// There is no signature of the version that is understood.
    #[error(
        "check a {scheme} signature: the header `{header}` has no signature that begins with `{version}`; \
         have the sender sign with a shared secret"
    )]
    NoSuchVersion {
        /// The scheme.
        scheme: Scheme,
        /// The header.
        header: &'static str,
        /// How a signature begins.
        version: &'static str,
    },
    /// No signature fits body and secrets.
    #[error(
        "check a {scheme} signature: no signature fits the body under any of the source's secrets; \
         set up the secret that the sender shows, and let no proxy change the body"
    )]
    Mismatch {
        /// The scheme.
        scheme: Scheme,
    },
    /// It was signed too long ago.
    #[error(
        "check a {scheme} signature: by the header `{header}` it was made {age_s} seconds ago, and {tolerance_s} are \
         allowed; send the message again with a new signature, or correct the clock that is wrong"
    )]
    TooOld {
        /// The scheme.
        scheme: Scheme,
        /// The header.
        header: &'static str,
        /// How long ago, in seconds.
        age_s: i64,
        /// What is allowed, in seconds.
        tolerance_s: i64,
    },
    /// It was signed too far in the future.
    #[error(
        "check a {scheme} signature: by the header `{header}` it is made {ahead_s} seconds from now, and {tolerance_s} are \
         allowed; correct the clock that is wrong"
    )]
    TooNew {
        /// The scheme.
        scheme: Scheme,
        /// The header.
        header: &'static str,
        /// How far ahead, in seconds.
        ahead_s: i64,
        /// What is allowed, in seconds.
        tolerance_s: i64,
    },
}

/// Why a text is no secret of a scheme.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SecretError {
    /// There is none.
    #[error("set up {scheme} signatures: there is no secret; name at least one that the sender signs with")]
    None {
        /// The scheme.
        scheme: Scheme,
    },
    /// One is blank.
    #[error("set up {scheme} signatures: a secret is blank; give the one that the sender shows")]
    Blank {
        /// The scheme.
        scheme: Scheme,
    },
    /// It should be base64 and is not.
    #[error(
        "set up Standard Webhooks signatures: a secret is not base64; give it as the sender shows it, beginning with `whsec_`"
    )]
    NotBase64,
    /// It is half of a key pair.
    #[error(
        "set up Standard Webhooks signatures: a secret is a key of asymmetric signatures (`whpk_`, `whsk_`), which are not \
         supported; have the sender sign with a shared secret, which begins with `whsec_`"
    )]
    Asymmetric,
}
