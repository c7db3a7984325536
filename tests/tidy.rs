//! The rules that the source keeps, as tests.
//!
//! One file a subject; each rule is a function from a file's path and text to what is wrong with it, a test named as the
//! claim it proves over the whole checkout, and a test that sees the rule fail on a bad sample. A violation names file,
//! line and reason. The rules may only become stricter.

#[path = "tidy/claims.rs"]
mod claims;
#[path = "tidy/guests.rs"]
mod guests;
#[path = "tidy/layers.rs"]
mod layers;
#[path = "tidy/lexer.rs"]
mod lexer;
#[path = "tidy/owners.rs"]
mod owners;
#[path = "tidy/promises.rs"]
mod promises;
#[path = "tidy/queries.rs"]
mod queries;
#[path = "tidy/shape.rs"]
mod shape;
#[path = "tidy/source.rs"]
mod source;
#[path = "tidy/without.rs"]
mod without;
#[path = "tidy/words.rs"]
mod words;
