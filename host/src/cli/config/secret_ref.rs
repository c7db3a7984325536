//! Where a credential is, never the credential.
//!
//! Owns `{ env = "..." }` and `{ file = "..." }`, as in `authorization` and `api_key`. Refuses a credential that is written into the
//! configuration itself, and one that is empty or too long. No error repeats what was written or read: what stands in the
//! wrong place may be the credential.

use crate::cli::config::Config;
use anyhow::{Context as _, Result, anyhow, bail};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use std::env::VarError;
use std::fs::File;
use std::io::Read as _;
use std::path::PathBuf;

/// The longest credential in bytes: receivers refuse larger headers, and a wrong file (a log, a device) is noticed.
const SECRET_LIMIT_BYTES: u64 = 16 * 1024;

/// What to write in the place of a credential.
const SHAPE: &str = "a credential never stands in this file; name where it is, as { env = \"CRM_AUTHORIZATION\" } or { file = \"crm.secret\" }";

/// A reference to a credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecretRef {
    /// In an environment variable.
    Env(String),
    /// In a file.
    File(PathBuf),
}

impl<'de> Deserialize<'de> for SecretRef {
    /// By hand, because a derived one quotes what it did not expect.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = toml::Value::deserialize(deserializer).map_err(|_| D::Error::custom(SHAPE))?;
        let members = value.as_table().map(|table| table.iter().collect::<Vec<_>>()).unwrap_or_default();
        match members[..] {
            [(name, toml::Value::String(variable))] if name == "env" && is_variable(variable) => {
                Ok(Self::Env(variable.clone()))
            }
            [(name, toml::Value::String(path))] if name == "file" && !path.is_empty() => {
                Ok(Self::File(path.into()))
            }
            _ => Err(D::Error::custom(SHAPE)),
        }
    }
}

/// Whether this can be an environment variable's name. "Bearer abc" can't.
fn is_variable(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

impl SecretRef {
    /// Fetch the credential that `setting` refers to.
    ///
    /// # Errors
    /// It is not there, can't be read, is empty or is too long. The error says which of both places was meant and not
    /// what stands there.
    pub fn read(&self, setting: &str, config: &Config) -> Result<String> {
        let secret = match self {
            Self::Env(name) => match std::env::var(name) {
                Ok(secret) => secret,
                Err(VarError::NotPresent) => bail!(
                    "reading a credential: the environment variable that `{setting}.env` names is not set; set it, or correct the name"
                ),
                Err(VarError::NotUnicode(_)) => bail!(
                    "reading a credential: the environment variable that `{setting}.env` names is no UTF-8; set it to text"
                ),
            },
            Self::File(path) => read_file(setting, &config.resolve(path))?,
        };
        if secret.trim().is_empty() {
            return Err(anyhow!(
                "reading a credential: what `{setting}` names is empty; put the credential there, for `authorization` the header's whole value, such as \"Bearer ...\""
            ));
        }
        Ok(secret)
    }
}

fn read_file(setting: &str, path: &std::path::Path) -> Result<String> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(SECRET_LIMIT_BYTES + 1).read_to_end(&mut bytes))
        .with_context(|| {
            format!("reading a credential: the file that `{setting}.file` names can't be read")
        })?;
    if bytes.len() as u64 > SECRET_LIMIT_BYTES {
        bail!(
            "reading a credential: the file that `{setting}.file` names is longer than {SECRET_LIMIT_BYTES} bytes; it should hold the credential alone"
        );
    }
    String::from_utf8(bytes).map_err(|_| {
        anyhow!("reading a credential: the file that `{setting}.file` names is no UTF-8; write it as text")
    })
}

#[cfg(test)]
mod tests {
    use super::SecretRef;
    use serde::Deserialize;
    use std::path::PathBuf;

    #[derive(Debug, Deserialize)]
    struct Holder {
        authorization: SecretRef,
    }

    #[test]
    fn a_reference_is_read() {
        let read = |text: &str| toml::from_str::<Holder>(text).map(|holder| holder.authorization);
        assert_eq!(read(r#"authorization = { env = "CRM" }"#).unwrap(), SecretRef::Env("CRM".into()));
        let file = SecretRef::File(PathBuf::from("crm.secret"));
        assert_eq!(read(r#"authorization = { file = "crm.secret" }"#).unwrap(), file);
    }

    #[test]
    fn what_stands_in_the_place_of_a_reference_is_never_repeated() {
        for wrong in [
            r#""Bearer sk-live-1""#,
            r#"{ env = "Bearer sk-live-1" }"#,
            r#"{ env = "sk-live-1" }"#,
            r#"{ token = "sk-live-1" }"#,
            r#"{ "sk-live-1" = true }"#,
            r#"{ env = "CRM", file = "sk-live-1" }"#,
            r#"["sk-live-1"]"#,
            r#"{ file = { path = "sk-live-1" } }"#,
        ] {
            let error = toml::from_str::<Holder>(&format!("authorization = {wrong}")).unwrap_err();
            let said = error.message();
            assert!(said.contains("{ env = \"CRM_AUTHORIZATION\" }"), "{wrong}: {said}");
            assert!(!said.contains("sk-live"), "{wrong}: {said}");
        }
        for wrong in ["-4815162342", "4815162342", "4.815162342e9", "1979-05-27"] {
            let error = toml::from_str::<Holder>(&format!("authorization = {wrong}")).unwrap_err();
            assert!(!error.message().contains(wrong), "{}", error.message());
        }
    }
}
