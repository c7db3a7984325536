//! What the simulated model answers, and what it was asked.

use crate::models::ModelRequest;
use crate::verify::sample;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// A question, as it is told apart from others.
pub type Question = String;

/// The answers of one run.
#[derive(Debug, Default)]
pub struct Answers {
    /// Given by hand, by the model's name.
    by_hand: BTreeMap<String, Vec<String>>,
    /// What is answered to a question, whatever its number: none, where the model does not answer it. Questions that are not
    /// here get another answer each time.
    fixed: BTreeMap<Question, Option<String>>,
    asked: Mutex<Asked>,
}

#[derive(Debug, Default)]
struct Asked {
    calls: u64,
    fail_next: u32,
    given: BTreeMap<Question, Vec<String>>,
    troubles: Vec<String>,
}

impl Answers {
    /// Answers by hand, by the model's name, and answers that are fixed.
    #[must_use]
    pub fn new(by_hand: BTreeMap<String, Vec<String>>, fixed: BTreeMap<Question, Option<String>>) -> Self {
        Self { by_hand, fixed, asked: Mutex::default() }
    }

    /// The next calls fail.
    pub fn fail_next(&self, calls: u32) {
        self.lock().fail_next = calls;
    }

    /// One call.
    ///
    /// # Errors
    /// Why the model does not answer.
    pub fn answer(&self, request: &ModelRequest, failing: bool) -> Result<String, String> {
        let question = question(request);
        let mut asked = self.lock();
        asked.calls += 1;
        let given = asked.given.entry(question.clone()).or_default();
        let number = given.len();
        if asked.fail_next > 0 {
            asked.fail_next -= 1;
            return Err("it is not there (simulated)".to_owned());
        }
        if failing {
            return Err("it is not there (simulated)".to_owned());
        }
        let answer = match self.fixed.get(&question) {
            Some(Some(answer)) => Ok(answer.clone()),
            Some(None) => Err("it does not answer this (simulated)".to_owned()),
            None => self.another(request, number),
        };
        match &answer {
            Ok(answer) => asked.given.entry(question).or_default().push(answer.clone()),
            Err(trouble) if !asked.troubles.contains(trouble) => asked.troubles.push(trouble.clone()),
            Err(_) => {}
        }
        answer
    }

    fn another(&self, request: &ModelRequest, number: usize) -> Result<String, String> {
        match self.by_hand.get(&request.model).filter(|answers| !answers.is_empty()) {
            Some(answers) => Ok(answers[number % answers.len()].clone()),
            None => sample::answer(request.schema.as_deref(), number),
        }
    }

    /// How often it was asked.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.lock().calls
    }

    /// What was given to each question, in order; empty for one that was never answered.
    #[must_use]
    pub fn given(&self) -> BTreeMap<Question, Vec<String>> {
        self.lock().given.clone()
    }

    /// Why answers could not be made up.
    #[must_use]
    pub fn troubles(&self) -> Vec<String> {
        self.lock().troubles.clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Everything that can influence an answer.
fn question(request: &ModelRequest) -> Question {
    serde_json::json!([
        request.model,
        request.prompt_version,
        request.prompt,
        request.temperature_text(),
        request.input,
        request.schema,
    ])
    .to_string()
}
