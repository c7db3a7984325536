//! The answer to an enquiry.
//!
//! It owns who gets it and what it says. It writes none where nobody wants one (spam) or nobody can be reached.

use lead::Lead;
use serde::Serialize;

/// The body of the outbox row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reply {
    /// The address or the number that it goes to.
    pub to: String,
    /// How it travels: the channel of the enquiry, else `email` or `sms`, as `to` is one or the other.
    pub channel: String,
    /// What it says.
    pub text: String,
    /// The thread that it belongs to.
    pub conversation: String,
    /// The message that it answers.
    pub in_reply_to: InReplyTo,
}

/// The message that a reply answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InReplyTo {
    /// The system that it came from.
    pub source: String,
    /// That system's id of the message.
    pub message_id: String,
}

/// Channels on which a person is reached by number.
const BY_NUMBER: [&str; 3] = ["sms", "whatsapp", "phone"];

/// Why there is no reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoReply {
    /// It is spam: an answer would only tell the sender that somebody reads it.
    Spam,
    /// The contact left neither address nor number.
    Nobody,
}

impl Reply {
    /// The model's draft, or the standard text where there is none.
    pub(crate) fn to(lead: &Lead) -> Result<Self, NoReply> {
        if lead.r#type.as_deref() == Some("spam") {
            return Err(NoReply::Spam);
        }
        let (to, channel) = recipient(lead).ok_or(NoReply::Nobody)?;
        let draft = lead.reply.clone().filter(|draft| !draft.trim().is_empty());
        Ok(Self {
            to,
            channel,
            text: draft.unwrap_or_else(|| standard_text(lead.contact.name.as_deref())),
            conversation: lead.conversation().to_owned(),
            in_reply_to: InReplyTo { source: lead.source.clone(), message_id: lead.message_id.clone() },
        })
    }
}

/// Where the person wrote, where that can be answered; else by whatever was left.
fn recipient(lead: &Lead) -> Option<(String, String)> {
    let contact = &lead.contact;
    let email = || Some((contact.email.clone()?, "email".to_owned()));
    match lead.channel.as_deref().filter(|channel| BY_NUMBER.contains(channel)) {
        Some(channel) if contact.phone.is_some() => contact.phone.clone().map(|to| (to, channel.to_owned())),
        _ => email().or_else(|| Some((contact.phone.clone()?, "sms".to_owned()))),
    }
}

fn standard_text(name: Option<&str>) -> String {
    let greeting = name.map_or_else(|| "Hello".to_owned(), |name| format!("Hello {name}"));
    format!("{greeting}, thank you for your message. We have it, and a colleague will come back to you.")
}

#[cfg(test)]
mod tests {
    use super::NoReply;
    use super::Reply;
    use lead::Contact;
    use lead::Lead;

    fn lead(email: Option<&str>, phone: Option<&str>) -> Lead {
        let [email, phone] = [email, phone].map(|text| text.map(str::to_owned));
        let contact = Contact { name: Some("Ada".into()), email, phone, country: None };
        Lead { contact, ..Lead::new("web-form", "m-1") }
    }

    #[test]
    fn the_draft_is_sent_and_where_there_is_none_the_standard_text() {
        let check = |draft: Option<&str>, starts: &str| {
            let lead = Lead { reply: draft.map(str::to_owned), ..lead(Some("a@example.com"), None) };
            let text = Reply::to(&lead).expect("a reply").text;
            assert!(text.starts_with(starts), "{text}");
        };
        check(Some("We will call you."), "We will call you.");
        check(Some("  "), "Hello Ada, thank you");
        check(None, "Hello Ada, thank you");
    }

    #[test]
    fn a_reply_goes_where_the_person_wrote_and_else_where_they_can_be_reached() {
        let check =
            |channel: &str, email: Option<&str>, phone: Option<&str>, expected: Option<(&str, &str)>| {
                let lead = Lead { channel: Some(channel.into()), ..lead(email, phone) };
                let reply = Reply::to(&lead).ok();
                let sent = reply.as_ref().map(|reply| (reply.to.as_str(), reply.channel.as_str()));
                assert_eq!(sent, expected, "{channel} {email:?} {phone:?}");
            };
        let (email, phone) = (Some("a@example.com"), Some("+4930901820"));
        check("email", email, phone, Some(("a@example.com", "email")));
        check("whatsapp", email, phone, Some(("+4930901820", "whatsapp")));
        check("whatsapp", email, None, Some(("a@example.com", "email")));
        check("web-form", None, phone, Some(("+4930901820", "sms")));
        check("web-form", None, None, None);
    }

    #[test]
    fn spam_is_not_answered() {
        let spam = Lead { r#type: Some("spam".into()), ..lead(Some("a@example.com"), None) };
        assert_eq!(Reply::to(&spam), Err(NoReply::Spam));
    }

    #[test]
    fn a_message_without_a_thread_is_a_thread_of_its_own() {
        let alone = Reply::to(&lead(Some("a@example.com"), None)).expect("a reply");
        assert_eq!(alone.conversation, "m-1");
        let thread = Lead { conversation: Some("t-9".into()), ..lead(Some("a@example.com"), None) };
        assert_eq!(Reply::to(&thread).expect("a reply").conversation, "t-9");
    }
}
