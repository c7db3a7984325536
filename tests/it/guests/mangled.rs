//! Components that came to harm on their way: each is refused with a reason, or loads and is a step.

use crate::property::holds;
use onceward::runtime::limits::Limits;
use onceward::runtime::loader::Loader;
use onceward::runtime::registry::EngineSettings;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use support::paths::step_bytes;

/// How many mangled components are loaded. What is still valid is compiled, which takes its time.
const COMPONENTS: u32 = 64;

/// A component's first eight bytes (the component model's binary format): what a reader looks at first.
const PREAMBLE: [u8; 8] = [0, b'a', b's', b'm', 0x0d, 0, 1, 0];

/// What happens to a component's bytes.
#[derive(Clone, Debug)]
enum Harm {
    Cut(Index),
    Changed(Vec<(Index, u8)>),
    Doubled(Index),
    Noise(Vec<u8>),
}

impl Harm {
    fn done_to(&self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        match self {
            Self::Cut(at) => bytes.truncate(at.index(bytes.len())),
            Self::Changed(places) => {
                for (at, byte) in places {
                    let at = at.index(bytes.len());
                    bytes[at] = *byte;
                }
            }
            Self::Doubled(from) => bytes.extend_from_within(from.index(bytes.len())..),
            Self::Noise(noise) => bytes = PREAMBLE.iter().chain(noise).copied().collect(),
        }
        bytes
    }
}

fn harm() -> impl Strategy<Value = Harm> {
    prop_oneof![
        any::<Index>().prop_map(Harm::Cut),
        vec((any::<Index>(), any::<u8>()), 1..8).prop_map(Harm::Changed),
        any::<Index>().prop_map(Harm::Doubled),
        vec(any::<u8>(), 0..200).prop_map(Harm::Noise),
    ]
}

#[tokio::test]
async fn a_mangled_component_is_refused_with_a_reason_or_is_a_step() {
    let settings = EngineSettings {
        // What is compiled here is never wanted again.
        cache_dir: None,
        instances_max: 1,
        memory_bytes: Limits::default().memory_bytes,
    };
    let loader = Loader::new(&settings).expect("the engine can be set up");
    let whole = step_bytes("echo");
    holds(COMPONENTS, harm(), move |runtime, harm| {
        match runtime.block_on(loader.load(&harm.done_to(&whole), &Limits::default())) {
            Ok(plugin) => prop_assert!(plugin.contract().validate().is_ok(), "a step has a usable contract"),
            Err(error) => {
                let error = anyhow::Error::new(error);
                let reasons: Vec<_> = error.chain().map(ToString::to_string).collect();
                prop_assert!(reasons.iter().all(|reason| !reason.trim().is_empty()), "{:?}", reasons);
            }
        }
        Ok(())
    })
    .await;
}
