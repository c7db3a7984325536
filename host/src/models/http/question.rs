//! What is asked, as chat completions want it.
//!
//! Owns the form of the request's body. Refuses a schema that is no JSON, which the caller has checked before.

use crate::models::ModelRequest;
use serde::Serialize;
use serde_json::value::RawValue;

/// The name that providers want for a schema; it says nothing.
const SCHEMA_NAME: &str = "answer";

/// The body of a request.
#[derive(Debug, Serialize)]
pub(super) struct Question<'a> {
    model: &'a str,
    messages: [Message<'a>; 2],
    temperature: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat<'a>>,
}

#[derive(Debug, Serialize)]
struct Message<'a> {
    role: &'static str,
    content: &'a str,
}

#[derive(Debug, Serialize)]
struct ResponseFormat<'a> {
    r#type: &'static str,
    json_schema: NamedSchema<'a>,
}

#[derive(Debug, Serialize)]
struct NamedSchema<'a> {
    name: &'static str,
    schema: &'a RawValue,
}

impl<'a> Question<'a> {
    /// The prompt is the system's message and the input the user's, so that the input stays data.
    pub(super) fn of(
        request: &'a ModelRequest,
        model: &'a str,
        max_tokens: Option<u32>,
    ) -> Result<Self, String> {
        // As it was written: a number of the schema must not be rounded on its way.
        let schema = match &request.schema {
            Some(text) => Some(
                serde_json::from_str::<&RawValue>(text)
                    .map_err(|error| format!("the schema is not JSON: {error}"))?,
            ),
            None => None,
        };
        let system = Message { role: "system", content: &request.prompt };
        let user = Message { role: "user", content: &request.input };
        Ok(Self {
            model,
            messages: [system, user],
            temperature: request.temperature,
            max_tokens,
            response_format: schema.map(|schema| ResponseFormat {
                r#type: "json_schema",
                json_schema: NamedSchema { name: SCHEMA_NAME, schema },
            }),
        })
    }
}
