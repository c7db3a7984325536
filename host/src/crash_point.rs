//! Named points at which the process can be made to die, as a power cut would have it.
//!
//! Owns the list and the one environment variable that arms a point. Tests and the demo use it to stop a real host, with
//! SIGKILL and no clean-up, at exactly the places where a promise could break. Unarmed it costs one read of a flag.

use std::sync::OnceLock;

/// The environment variable that names the armed point.
pub const VARIABLE: &str = "ONCEWARD_CRASH_POINT";

/// Where the process can be made to die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrashPoint {
    /// The work is claimed; the step has not run.
    Claimed,
    /// The model has answered; nothing is recorded.
    ModelAnswered,
    /// The answer is recorded; the step has not seen it.
    DecisionRecorded,
    /// The step has run; nothing of it is committed.
    StepRan,
    /// The step's outcome is committed; nobody has been told.
    Settled,
    /// The delivery attempt is counted; nothing has been sent.
    AttemptCounted,
    /// The destination has answered; nothing is recorded.
    DestinationAnswered,
    /// The receipt is recorded; nobody has been told.
    ReceiptRecorded,
}

impl CrashPoint {
    /// All points, in the order in which a work meets them.
    pub const ALL: [Self; 8] = [
        Self::Claimed,
        Self::ModelAnswered,
        Self::DecisionRecorded,
        Self::StepRan,
        Self::Settled,
        Self::AttemptCounted,
        Self::DestinationAnswered,
        Self::ReceiptRecorded,
    ];

    /// The name that arms the point.
    ///
    /// ```
    /// assert_eq!(onceward::crash_point::CrashPoint::StepRan.name(), "step-ran");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Claimed => "claimed",
            Self::ModelAnswered => "model-answered",
            Self::DecisionRecorded => "decision-recorded",
            Self::StepRan => "step-ran",
            Self::Settled => "settled",
            Self::AttemptCounted => "attempt-counted",
            Self::DestinationAnswered => "destination-answered",
            Self::ReceiptRecorded => "receipt-recorded",
        }
    }
}

/// Die here, if this point is armed.
pub fn reach(point: CrashPoint) {
    static ARMED: OnceLock<Option<String>> = OnceLock::new();
    let armed = ARMED.get_or_init(|| std::env::var(VARIABLE).ok());
    if armed.as_deref() == Some(point.name()) {
        // The kill is a signal to ourselves: it ends the process before the call returns, or it is not allowed, and
        // then going on would prove nothing.
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        std::process::abort();
    }
}
