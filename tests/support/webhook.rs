//! Senders of webhooks that sign what they send, as the providers' own documentation has it.
//!
//! Written again here rather than taken from the host, so that a fault of the host's reading is no fault of both.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use onceward::clock::{Clock as _, SystemClock};
use sha2::Sha256;

/// How a provider signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signer {
    /// Standard Webhooks 1.0, symmetric.
    StandardWebhooks,
    /// GitHub.
    Github,
    /// Stripe.
    Stripe,
    /// Slack.
    Slack,
}

impl Signer {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::StandardWebhooks, Self::Github, Self::Stripe, Self::Slack];

    /// Its name in a configuration.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::StandardWebhooks => "standard-webhooks",
            Self::Github => "github",
            Self::Stripe => "stripe",
            Self::Slack => "slack",
        }
    }

    /// The headers of a message, signed at this time in Unix seconds.
    #[must_use]
    pub fn headers(self, secret: &str, id: &str, at_s: i64, body: &[u8]) -> Vec<(&'static str, String)> {
        let hex = |signed: &[&[u8]], key: &[u8]| {
            mac(key, signed).iter().map(|byte| format!("{byte:02x}")).collect::<String>()
        };
        let at = at_s.to_string();
        match self {
            Self::StandardWebhooks => {
                let key = STANDARD.decode(secret.trim_start_matches("whsec_")).expect("a secret of the test");
                let signed: [&[u8]; 5] = [id.as_bytes(), b".", at.as_bytes(), b".", body];
                let signature = format!("v1,{}", STANDARD.encode(mac(&key, &signed)));
                vec![
                    ("webhook-id", id.to_owned()),
                    ("webhook-timestamp", at),
                    ("webhook-signature", signature),
                ]
            }
            Self::Github => {
                let signature = format!("sha256={}", hex(&[body], secret.as_bytes()));
                vec![
                    ("X-GitHub-Delivery", id.to_owned()),
                    ("X-GitHub-Event", "issues".to_owned()),
                    ("X-Hub-Signature-256", signature),
                ]
            }
            Self::Stripe => {
                let signature = hex(&[at.as_bytes(), b".", body], secret.as_bytes());
                vec![("Stripe-Signature", format!("t={at},v1={signature}"))]
            }
            Self::Slack => {
                let signature = hex(&[b"v0:", at.as_bytes(), b":", body], secret.as_bytes());
                vec![("X-Slack-Request-Timestamp", at), ("X-Slack-Signature", format!("v0={signature}"))]
            }
        }
    }

    /// A message of the provider with this id. GitHub and Standard Webhooks have it in a header.
    #[must_use]
    pub fn body(self, id: &str) -> String {
        match self {
            Self::StandardWebhooks | Self::Github => r#"{"action": "opened"}"#.to_owned(),
            Self::Stripe => {
                format!(r#"{{"id": "{id}", "created": {}, "type": "charge.succeeded"}}"#, now_s())
            }
            Self::Slack => {
                let at = now_s();
                format!(
                    r#"{{"type": "event_callback", "event_id": "{id}", "event_time": {at}, "event": {{}}}}"#
                )
            }
        }
    }
}

fn mac(key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("any key is one");
    parts.iter().for_each(|part| mac.update(part));
    mac.finalize().into_bytes().to_vec()
}

/// The time, in Unix seconds.
#[must_use]
pub fn now_s() -> i64 {
    SystemClock.now_ms() / 1_000
}
