//! What came with a message, in one form.
//!
//! It owns how files are described. It refuses nothing: a hash that is none is left out, and a file that can't be
//! fetched is described all the same; a doubt says so. Descriptions never decide what work an event is.

use crate::contact::filled;
use crate::message::File;
use lead::Attachment;

/// The digits of a SHA-256.
const SHA256_DIGITS: usize = 64;

/// A file in its normal form; `number` counts from 1, and doubts are added for people to read.
pub(crate) fn attachment(number: usize, file: File, doubts: &mut Vec<String>) -> Attachment {
    let sha256 = filled(file.sha256).and_then(|typed| {
        let normal = sha256(&typed);
        if normal.is_none() {
            doubts.push(format!("the hash of attachment {number} is no SHA-256 and is left out"));
        }
        normal
    });
    let address = filled(file.address);
    if address.is_none() {
        doubts.push(format!("attachment {number} has no address; what it holds is in the event alone"));
    }
    Attachment {
        name: filled(file.name.as_deref().map(without_path))
            .unwrap_or_else(|| format!("attachment-{number}")),
        r#type: filled(file.r#type).map(|kind| media_type(&kind)),
        size: file.size,
        sha256,
        address,
    }
}

/// A name must not lead a reader out of the folder that it writes to.
fn without_path(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

/// Without parameters such as `charset`, in lower case.
fn media_type(text: &str) -> String {
    text.split(';').next().unwrap_or(text).trim().to_ascii_lowercase()
}

fn sha256(text: &str) -> Option<String> {
    let digits = text.strip_prefix("sha256:").unwrap_or(text);
    let is_hash =
        digits.len() == SHA256_DIGITS && digits.chars().all(|character| character.is_ascii_hexdigit());
    is_hash.then(|| digits.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::attachment;
    use crate::message::File;

    #[test]
    fn a_file_is_described_by_name_type_size_hash_and_address() {
        let mut doubts = Vec::new();
        let read = attachment(
            1,
            File {
                name: Some("C:\\offers\\Plan.pdf".into()),
                r#type: Some("Application/PDF; name=plan".into()),
                size: Some(120),
                sha256: Some(format!("sha256:{}", "AB".repeat(32))),
                address: Some(" https://files.example.com/1 ".into()),
            },
            &mut doubts,
        );
        assert_eq!((read.name.as_str(), read.r#type.as_deref()), ("Plan.pdf", Some("application/pdf")));
        assert_eq!((read.size, read.sha256), (Some(120), Some("ab".repeat(32))));
        assert_eq!((read.address.as_deref(), doubts.len()), (Some("https://files.example.com/1"), 0));
    }

    #[test]
    fn a_file_of_which_little_is_known_is_described_all_the_same() {
        let mut doubts = Vec::new();
        let read = attachment(2, File { sha256: Some("md5".into()), ..File::default() }, &mut doubts);
        assert_eq!((read.name.as_str(), read.sha256, read.address), ("attachment-2", None, None));
        assert_eq!(doubts.len(), 2, "{doubts:?}");
    }
}
