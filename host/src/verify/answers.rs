//! What the simulated model answers, and what it was asked.

use crate::models::ModelRequest;
use crate::verify::sample;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// A question, as it is told apart from others.
pub type Question = String;

/// What a model says to a question: its answer, or why there is none.
pub type Said = Result<String, String>;

/// What a model says to each question, however often it is asked.
pub type Fixed = BTreeMap<Question, Said>;

/// How a model is when it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    /// It answers.
    Well,
    /// It does not answer.
    Away,
    /// It does not answer now, nor to the next calls.
    AwayFor(u32),
    /// It answers what can't be used.
    Confused,
}

/// The answers of one run.
#[derive(Debug, Default)]
pub struct Answers {
    /// Given by hand, by the model's name.
    by_hand: BTreeMap<String, Vec<String>>,
    /// Questions that are not here get another answer each time.
    fixed: Fixed,
    asked: Mutex<Asked>,
}

#[derive(Debug, Default)]
struct Asked {
    calls: u64,
    fail_next: u32,
    given: BTreeMap<Question, Vec<String>>,
    last: Fixed,
    troubles: Vec<String>,
}

impl Answers {
    /// Answers by hand, by the model's name, and answers that are fixed.
    #[must_use]
    pub fn new(by_hand: BTreeMap<String, Vec<String>>, fixed: Fixed) -> Self {
        Self { by_hand, fixed, asked: Mutex::default() }
    }

    /// One call of a model in this mood.
    ///
    /// # Errors
    /// Why the model does not answer.
    pub fn answer(&self, request: &ModelRequest, mood: Mood) -> Said {
        let question = question(request);
        let said = self.say(request, &question, mood);
        self.lock().last.insert(question, said.clone());
        said
    }

    fn say(&self, request: &ModelRequest, question: &Question, mood: Mood) -> Said {
        let mut asked = self.lock();
        asked.calls += 1;
        let away = Err("it is not there (simulated)".to_owned());
        match mood {
            Mood::Away => return away,
            Mood::AwayFor(more) => {
                asked.fail_next = more;
                return away;
            }
            Mood::Well | Mood::Confused if asked.fail_next > 0 => {
                asked.fail_next -= 1;
                return away;
            }
            Mood::Well | Mood::Confused => {}
        }
        let number = asked.given.get(question).map_or(0, Vec::len);
        let answer = match self.fixed.get(question) {
            Some(said) => said.clone(),
            None => self.another(request, number),
        };
        match &answer {
            Ok(answer) => asked.given.entry(question.clone()).or_default().push(answer.clone()),
            Err(trouble) if !asked.troubles.contains(trouble) => asked.troubles.push(trouble.clone()),
            Err(_) => {}
        }
        if mood == Mood::Confused { Ok("no JSON at all".to_owned()) } else { answer }
    }

    fn another(&self, request: &ModelRequest, number: usize) -> Said {
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

    /// What was given to each question, in order. A question that was never answered is not here.
    #[must_use]
    pub fn given(&self) -> BTreeMap<Question, Vec<String>> {
        self.lock().given.clone()
    }

    /// What was said last to each question.
    #[must_use]
    pub fn last(&self) -> Fixed {
        self.lock().last.clone()
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
