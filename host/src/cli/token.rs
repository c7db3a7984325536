//! `onceward token`: who may ask a host for what over the network.

use crate::api::tokens::{CreateToken, CreatedToken, RevokedToken, TokenList};
use crate::cli::Ending;
use crate::cli::client::Client;
use crate::cli::config::Config;
use crate::cli::decide::By;
use crate::cli::output;
use crate::cli::output::Format;
use crate::store::token::{TokenRecord, Verb as TokenVerb};
use anyhow::Result;

/// Verbs of `token`.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Verb {
    /// Make a token for the namespace. It is shown this once.
    Create {
        /// What it is for.
        #[arg(long, value_name = "NAME")]
        name: String,
        /// What can be done with it: some of invoke, primitives, operate, approve and admin, with commas between them.
        #[arg(long, value_name = "VERBS", required = true, value_delimiter = ',', value_parser = verb)]
        verbs: Vec<TokenVerb>,
        /// The person who uses it; one that can approve must name them.
        #[arg(long, value_name = "NAME")]
        person: Option<String>,
        #[command(flatten)]
        by: By,
    },
    /// Tokens, also those that were revoked, oldest first.
    List,
    /// Revoke a token: from now on it opens nothing.
    Revoke {
        /// Its id.
        id: String,
        #[command(flatten)]
        by: By,
    },
}

fn verb(word: &str) -> Result<TokenVerb, String> {
    TokenVerb::from_word(word).ok_or_else(|| {
        format!("there is no verb {word:?}; take some of {}", TokenVerb::ALL.map(TokenVerb::word).join(", "))
    })
}

pub(super) async fn token(config: &Config, verb: Verb, format: Format) -> Result<Ending> {
    match verb {
        Verb::Create { name, verbs, person, by } => {
            let (by, why) = by.words()?;
            let new = CreateToken { name, verbs: verbs.into_iter().collect(), person, by: Some(by), why };
            let answer = Client::acting(config).await?.post(&["v1", "tokens"], &new).await?;
            let CreatedToken { token, record, .. } = answer.read()?;
            if format == Format::Json {
                output::json(&answer.body)?;
            } else {
                output::line(format!(
                    "token {} opens {:?} for {}",
                    record.id,
                    record.namespace,
                    record.verbs.words()
                ))?;
                output::line(format!("  shown this once: {token}"))?;
            }
        }
        Verb::List => {
            let answer = Client::reading(config).await?.get(&["v1", "tokens"], &[]).await?;
            list(&answer.read::<TokenList>()?.tokens, format)?;
        }
        Verb::Revoke { id, by } => {
            let client = Client::acting(config).await?;
            let answer = client.post(&["v1", "tokens", &id, "revoke"], &by.said()?).await?;
            if format == Format::Json {
                output::json(&answer.body)?;
            } else {
                let RevokedToken { verdict, record } = answer.read()?;
                output::line(match verdict.as_str() {
                    "applied" => format!("token {} is revoked", record.id),
                    _ => format!("token {} was revoked before; nothing was changed", record.id),
                })?;
            }
        }
    }
    Ok(Ending::Done)
}

fn list(tokens: &[TokenRecord], format: Format) -> Result<()> {
    if format == Format::Json {
        return output::json(&serde_json::to_value(tokens)?);
    }
    let rows: Vec<[String; 6]> = tokens
        .iter()
        .map(|token| {
            let revoked = token.revoked_ms.map(|ms| format!("revoked {}", output::time(ms)));
            [
                token.id.clone(),
                token.name.clone(),
                token.person.clone().unwrap_or_default(),
                token.verbs.words(),
                output::time(token.created_ms),
                revoked.unwrap_or_else(|| "open".to_owned()),
            ]
        })
        .collect();
    output::table(["TOKEN", "NAME", "PERSON", "VERBS", "MADE", "STATE"], &rows)
}
