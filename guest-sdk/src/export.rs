//! The one place where a step declares its contract and becomes a component.
//!
//! It owns the macro [`step!`](crate::step!) and what stands behind it: the reading of the payload, the writing of
//! the output, and the hook that puts a panic's message into the evidence. A declaration that lacks a part does not
//! compile, and the error names the part.

use crate::bindings::exports::onceward::step::guest as wit;
use crate::contract::Contract;
use crate::contract::WitContract;
use crate::misfit::explain;
use crate::outcome::{Failure, Outcome};
use crate::step::Step;
use crate::work::Work;

/// A step with its contract. [`step!`](crate::step!) implements it; nothing else should.
pub trait Declare: Step {
    /// What the host is told about the step.
    const CONTRACT: Contract;
}

impl<S: Declare> wit::Guest for S {
    fn contract() -> WitContract {
        S::CONTRACT.to_wit()
    }

    fn handle(work: wit::Work) -> Result<wit::Outcome, wit::Failure> {
        #[cfg(target_arch = "wasm32")]
        panics::note_them();
        run::<S>(work)
    }
}

fn run<S: Step>(work: wit::Work) -> Result<wit::Outcome, wit::Failure> {
    attempt::<S>(work).and_then(|outcome| outcome.into_wit()).map_err(|failure| failure.into_wit())
}

/// Read the payload and let the step handle it.
pub(crate) fn attempt<S: Step>(work: wit::Work) -> Result<Outcome<S::Output>, Failure> {
    Work::from_wit(work)
        .map_err(|misfit| S::unreadable(&format!("reading the payload: {}", explain(&misfit))))
        .and_then(S::handle)
}

/// A panic is a trap to the host, which cannot see its message. So it is noted on the way out.
#[cfg(target_arch = "wasm32")]
mod panics {
    use crate::journal;
    use std::panic::PanicHookInfo;
    use std::sync::Once;

    static HOOKED: Once = Once::new();

    /// Not in `contract`, where every import traps.
    pub(super) fn note_them() {
        HOOKED.call_once(|| std::panic::set_hook(Box::new(note)));
    }

    fn note(info: &PanicHookInfo<'_>) {
        let message = info.payload_as_str().unwrap_or("(a value that is no text)");
        match info.location() {
            Some(place) => journal::note(format!("panic: {message} at {}:{}", place.file(), place.line())),
            None => journal::note(format!("panic: {message}")),
        }
    }
}

/// Declare a step's contract and export the step.
///
/// `name`, `version`, `identity`, `window` and `response` are needed, in this order; lists follow in any order:
/// `volatile`, `urls`, `times`, `trimmed`, `content_fields`, `destinations`, `keyed_destinations`, `models` (see
/// [`Contract`]). `read_only` may stand right after `response`, without a value. Use it once a crate.
///
/// ```
/// use onceward_guest::prelude::*;
///
/// pub struct Echo;
///
/// impl Step for Echo {
///     type Input = String;
///     type Output = String;
///
///     fn handle(work: Work<String>) -> Result<Outcome<String>, Failure> {
///         Ok(Outcome::done(work.payload))
///     }
/// }
///
/// step! {
///     Echo,
///     name: "echo",
///     version: 1,
///     identity: Identity::EventKey,
///     window: Window::ForEver,
///     response: Response::Original,
///     volatile: ["/sent_at"],
/// }
/// ```
///
/// A step without a window does not compile, and the error says so:
///
/// ```compile_fail
/// # use onceward_guest::prelude::*;
/// # pub struct Echo;
/// # impl Step for Echo {
/// #     type Input = String;
/// #     type Output = String;
/// #     fn handle(work: Work<String>) -> Result<Outcome<String>, Failure> { Ok(Outcome::done(work.payload)) }
/// # }
/// step! {
///     Echo,
///     name: "echo",
///     version: 1,
///     identity: Identity::EventKey,
///     response: Response::Original,
/// }
/// ```
#[macro_export]
macro_rules! step {
    (
        $step:ident,
        name: $name:expr,
        version: $version:expr,
        identity: $identity:expr,
        window: $window:expr,
        response: $response:expr
        $(, $list:ident: [$($entry:expr),* $(,)?])* $(,)?
    ) => {
        $crate::step!(@declare $step,
            $crate::Contract::new($name, $version, $identity, $window, $response)$(.$list(&[$($entry),*]))*);
    };
    (
        $step:ident,
        name: $name:expr,
        version: $version:expr,
        identity: $identity:expr,
        window: $window:expr,
        response: $response:expr,
        read_only
        $(, $list:ident: [$($entry:expr),* $(,)?])* $(,)?
    ) => {
        $crate::step!(@declare $step,
            $crate::Contract::new($name, $version, $identity, $window, $response)
                .read_only()$(.$list(&[$($entry),*]))*);
    };
    (@declare $step:ident, $contract:expr) => {
        impl $crate::export::Declare for $step {
            const CONTRACT: $crate::Contract = $contract;
        }

        // A constant that nobody uses is not computed, and its errors not seen.
        const _: $crate::Contract = <$step as $crate::export::Declare>::CONTRACT;

        // Only a component exports it: natively the names would be no symbols that a linker takes.
        #[cfg(target_arch = "wasm32")]
        $crate::bindings::export_component!($step with_types_in $crate::bindings);
    };

    (
        $step:ident, name: $n:expr, version: $v:expr, identity: $i:expr, window: $w:expr, response: $r:expr,
        $($rest:tt)*
    ) => {
        ::core::compile_error!("step!: after `response` come only lists, such as `models: [\"classifier\"]`");
    };
    ($step:ident, name: $n:expr, version: $v:expr, identity: $i:expr, window: $w:expr $(, $($rest:tt)*)?) => {
        ::core::compile_error!(
            "step!: `response` must follow `window`: what a duplicate of finished work is answered, such as \
             `response: Response::Original`"
        );
    };
    ($step:ident, name: $n:expr, version: $v:expr, identity: $i:expr $(, $($rest:tt)*)?) => {
        ::core::compile_error!(
            "step!: `window` must follow `identity`: how long a key is remembered, such as `window: Window::ForEver`"
        );
    };
    ($step:ident, name: $n:expr, version: $v:expr $(, $($rest:tt)*)?) => {
        ::core::compile_error!(
            "step!: `identity` must follow `version`: what makes two events the same work, such as `identity: \
             Identity::business_key(&[\"/source\", \"/message_id\"])`"
        );
    };
    ($step:ident, name: $n:expr $(, $($rest:tt)*)?) => {
        ::core::compile_error!("step!: `version` must follow `name`: a number from 1, such as `version: 1`");
    };
    ($($any:tt)*) => {
        ::core::compile_error!("step!: give the type and its name first, such as `Echo, name: \"echo\"`");
    };
}

#[cfg(test)]
mod tests {
    use super::Declare;
    use super::run;
    use super::wit;
    use crate::contract::Identity;
    use crate::contract::Response;
    use crate::contract::Window;
    use crate::outcome::Failure;
    use crate::outcome::Outcome;
    use crate::step::Step;
    use crate::work::Work;

    struct Twice;

    impl Step for Twice {
        type Input = u32;
        type Output = u32;

        fn handle(work: Work<u32>) -> Result<Outcome<u32>, Failure> {
            Ok(Outcome::done(work.payload * 2))
        }
    }

    crate::step! {
        Twice,
        name: "twice",
        version: 3,
        identity: Identity::EventKey,
        window: Window::days(30),
        response: Response::Acknowledgement,
        models: ["a"],
        volatile: ["at", "/sent"],
    }

    fn work(payload: &str) -> wit::Work {
        wit::Work {
            id: "0".repeat(64),
            key: "twice:v3:test:1".into(),
            namespace: "main".into(),
            attempt: 1,
            source: "test".into(),
            event_id: None,
            payload: payload.into(),
        }
    }

    #[test]
    fn a_payload_becomes_an_output() {
        match run::<Twice>(work("21")) {
            Ok(wit::Outcome::Done(finished)) => assert_eq!(finished.output, "42"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_unreadable_payload_goes_to_a_person() {
        match run::<Twice>(work("\"x\"")) {
            Err(wit::Failure::Review(reason)) => assert!(reason.contains("string \"x\""), "{reason}"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_macro_declares_what_it_was_given() {
        let sent = Twice::CONTRACT.to_wit();
        assert_eq!((sent.name.as_str(), sent.version), ("twice", 3));
        assert_eq!(
            (sent.models, sent.normalisation.volatile),
            (vec!["a".into()], vec!["at".into(), "/sent".into()])
        );
    }
}
