//! Properties of what only runs in a runtime: a check that blocks is given cases, and a failure is shrunk before it is told.

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use tokio::runtime::Handle;

/// The check holds for so many cases. It blocks on what it waits for, with the runtime that it is given.
///
/// # Panics
/// Where it does not, with the smallest case that shows it.
pub(crate) async fn holds<S: Strategy + Send + 'static>(
    cases: u32,
    strategy: S,
    check: impl Fn(&Handle, S::Value) -> Result<(), TestCaseError> + Send + 'static,
) {
    let runtime = Handle::current();
    let checked = tokio::task::spawn_blocking(move || {
        // A failure belongs into a case of its own, and not into a file of seeds.
        let config = Config { cases, failure_persistence: None, ..Config::default() };
        let checked = TestRunner::new(config).run(&strategy, |value| check(&runtime, value));
        checked.map_err(|failure| failure.to_string())
    });
    if let Err(failure) = checked.await.expect("the runner catches panics") {
        panic!("{failure}");
    }
}
