#![doc = include_str!("../README.md")]

mod attachment;
mod contact;
mod message;
mod time;

pub use crate::message::File;
pub use crate::message::Message;
pub use crate::message::Person;
pub use crate::message::Time;

use crate::attachment::attachment;
use crate::contact::contact;
use crate::contact::filled;
use lead::Lead;
use onceward_guest::prelude::*;

/// Other words for a channel, as senders write them, and ours.
const CHANNELS: [(&str, &str); 8] = [
    ("e-mail", "email"),
    ("mail", "email"),
    ("form", "web-form"),
    ("web", "web-form"),
    ("webform", "web-form"),
    ("website", "web-form"),
    ("text", "sms"),
    ("text-message", "sms"),
];

/// The step.
#[derive(Debug)]
pub struct LeadIntake;

impl Step for LeadIntake {
    type Input = Message;
    type Output = Lead;

    fn handle(work: Work<Message>) -> Result<Outcome<Lead>, Failure> {
        // A provider without message ids has one derived from the event's identity: the same on every attempt.
        let message_id = work.event_id.unwrap_or_else(|| context::derive_id("message"));
        let lead = Lead::new(&work.source, &message_id);
        let (lead, doubts) = read(lead, work.payload, context::occurred_at_ms());
        let needs_review = (!doubts.is_empty()).then(|| doubts.join("; "));
        journal::note(needs_review.as_deref().unwrap_or("read as a whole"));
        progress::advance_or_note("received");
        Ok(Outcome::Done { output: lead, needs_review })
    }
}

step! {
    LeadIntake,
    name: "lead-intake",
    version: 1,
    // The provider's message id; where there is none, the time at which the event happened. Never who wrote: one
    // contact can ask twice.
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
    // When it was sent, and where its files lie, can change with each delivery of one message: addresses are signed
    // for an hour.
    volatile: [
        "/sent_at", "/date",
        "/attachments/*/address", "/attachments/*/url", "/files/*/address", "/files/*/url",
    ],
}

/// The message in the form of a lead, and what a person should look at.
fn read(lead: Lead, message: Message, occurred_at_ms: i64) -> (Lead, Vec<String>) {
    let mut doubts = Vec::new();
    let mut person = message.contact;
    person.name = person.name.or(message.name);
    person.email = person.email.or(message.email);
    person.phone = person.phone.or(message.phone);
    person.country = person.country.or(message.country);
    let sent_at = message.sent_at.as_ref().and_then(|time| {
        let normal = time::normal(time);
        if normal.is_none() {
            doubts.push("the time of sending names no instant; the event's own is taken".to_owned());
        }
        normal
    });
    let contact = contact(person, &mut doubts);
    let files = message.attachments.into_iter().enumerate();
    let attachments = files.map(|(at, file)| attachment(at + 1, file, &mut doubts)).collect();
    let text = [message.subject, message.text].into_iter().filter_map(filled).collect::<Vec<_>>();
    let lead = Lead {
        sent_at: sent_at.or_else(|| time::of_ms(occurred_at_ms)),
        channel: filled(message.channel).map(|channel| normal_channel(&channel)),
        conversation: filled(message.conversation),
        contact,
        text: text.join("\n\n").replace("\r\n", "\n"),
        attachments,
        ..lead
    };
    (lead, doubts)
}

fn normal_channel(text: &str) -> String {
    let word = text.to_lowercase().replace([' ', '_'], "-");
    let known = CHANNELS.iter().find(|(other, _)| *other == word);
    known.map_or(word, |(_, ours)| (*ours).to_owned())
}

#[cfg(test)]
mod tests {
    use super::File;
    use super::Message;
    use super::Person;
    use super::Time;
    use super::normal_channel;
    use super::read;
    use lead::Lead;

    #[test]
    fn a_channel_has_one_name() {
        for (text, expected) in
            [("Web Form", "web-form"), ("form", "web-form"), ("E-Mail", "email"), ("WhatsApp", "whatsapp")]
        {
            assert_eq!(normal_channel(text), expected, "{text}");
        }
    }

    #[test]
    fn a_form_with_its_fields_side_by_side_and_a_mail_are_the_same_lead() {
        let form = Message {
            name: Some("Ada".into()),
            email: Some("ada@example.com".into()),
            text: Some("Offer\r\n\r\nPlease call.".into()),
            sent_at: Some(Time::Unix(0)),
            ..Message::default()
        };
        let mail = Message {
            contact: Person { email: Some("Ada <ADA@example.com>".into()), ..Person::default() },
            subject: Some("Offer".into()),
            text: Some("Please call. ".into()),
            ..Message::default()
        };
        let lead = |message| read(Lead::new("s", "1"), message, 0);
        assert_eq!(lead(form), lead(mail));
    }

    #[test]
    fn an_empty_message_is_a_lead_too() {
        let (lead, doubts) = read(Lead::new("s", "1"), Message::default(), 0);
        assert_eq!((lead.text.as_str(), lead.sent_at.as_deref()), ("", Some("1970-01-01T00:00:00Z")));
        assert!(doubts.is_empty(), "{doubts:?}");
    }

    #[test]
    fn every_doubt_is_told_at_once() {
        let message = Message {
            sent_at: Some(Time::Text("yesterday".into())),
            phone: Some("call me".into()),
            attachments: vec![File::default()],
            ..Message::default()
        };
        let (lead, doubts) = read(Lead::new("s", "1"), message, 0);
        assert_eq!(doubts.len(), 3, "{doubts:?}");
        assert_eq!(lead.contact.phone.as_deref(), Some("call me"));
    }
}
