//! A loaded step: its contract, and the component ready to be instantiated.

use crate::contract::capability::{Mode, WantedDestination};
use crate::contract::response::Response;
use crate::contract::step::ContractError;
use crate::contract::step::StepContract;
use crate::contract::tier::Tier;
use crate::contract::window::Window;
use crate::identity::rules::Rules;
use crate::identity::work_id::Identity;
use crate::runtime::imports::Imports;
use crate::runtime::state::RunState;
use crate::runtime::wit::since_v0_1_0::bindings::{StepPre, exports::onceward::step::guest};
use crate::runtime::world::WorldError;
use std::fmt;

/// A component by its content: the SHA-256 of its bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PluginDigest(pub(super) [u8; 32]);

impl fmt::Display for PluginDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for PluginDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PluginDigest({self})")
    }
}

/// Why a component is not loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It is no step for this host.
    #[error(transparent)]
    World(#[from] WorldError),
    /// It can't be compiled.
    #[error("compiling the component: the engine refuses it")]
    Compile(#[source] wasmtime::Error),
    /// It was built for the component model's asynchronous calls.
    #[error(
        "compiling the component: it was built for asynchronous calls, and the host calls a step synchronously; build it without them (with componentize-qjs: --sync)"
    )]
    Async(#[source] wasmtime::Error),
    /// Its imports or exports have other types than the interfaces declare.
    #[error(
        "linking the component: it does not fit the interfaces of this host; rebuild it with a matching onceward-guest"
    )]
    Link(#[source] wasmtime::Error),
    /// Its contract can't be read.
    #[error(
        "reading the step's contract: the component failed while it was asked; a contract may not call the host"
    )]
    Contract(#[source] wasmtime::Error),
    /// Its contract is not acceptable.
    #[error(transparent)]
    Refused(#[from] ContractError),
}

/// How the engine words what a component needs of the asynchronous component model. It has no type of its own; a test holds the
/// words.
const ASYNC_WORDS: &str = "component model async";

impl LoadError {
    /// Why the engine does not compile a component.
    pub(super) fn compiling(error: wasmtime::Error) -> Self {
        if error.root_cause().to_string().contains(ASYNC_WORDS) {
            Self::Async(error)
        } else {
            Self::Compile(error)
        }
    }
}

/// A loaded step.
pub struct Plugin {
    pub(super) digest: PluginDigest,
    pub(super) contract: StepContract,
    pub(super) imports: Imports,
    pub(super) pre: StepPre<RunState>,
}

impl Plugin {
    /// What the step promises and asks for.
    #[must_use]
    pub fn contract(&self) -> &StepContract {
        &self.contract
    }

    /// The component by its content.
    #[must_use]
    pub const fn digest(&self) -> PluginDigest {
        self.digest
    }

    /// The interfaces it imports.
    #[must_use]
    pub const fn imports(&self) -> &Imports {
        &self.imports
    }
}

impl fmt::Debug for Plugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plugin").field("step", &self.contract.name).field("digest", &self.digest).finish()
    }
}

/// The contract as the component gave it, in the host's words.
pub(super) fn contract(given: guest::Declaration) -> StepContract {
    StepContract {
        name: given.name,
        version: given.version,
        identity: match given.identity {
            guest::Identity::EventKey => Identity::EventKey,
            guest::Identity::BusinessKey(fields) => Identity::BusinessKey(fields),
            guest::Identity::Content => Identity::Content,
        },
        rules: Rules {
            // The lists belong to the interface: with the host's newest, a newer host would refuse the steps it has recorded.
            builtin: 1,
            volatile: given.normalisation.volatile,
            urls: given.normalisation.urls,
            times: given.normalisation.times,
            trimmed: given.normalisation.trimmed,
            content_fields: given.normalisation.content_fields,
        },
        window: match given.window {
            guest::Window::ForEver => Window::ForEver,
            guest::Window::Duration(seconds) => Window::Duration(seconds),
            guest::Window::UntilMarker(marker) => Window::UntilMarker(marker),
        },
        response: match given.response {
            guest::Response::Original => Response::Original,
            guest::Response::Acknowledgement => Response::Acknowledgement,
            guest::Response::Error => Response::Error,
        },
        mode: match given.mode {
            guest::Mode::Recorded => Mode::Recorded,
            guest::Mode::ReadOnly => Mode::ReadOnly,
        },
        destinations: given.destinations.into_iter().map(wanted).collect(),
        models: given.models,
    }
}

fn wanted(given: guest::WantedDestination) -> WantedDestination {
    let weakest = match given.weakest {
        guest::Tier::Key => Tier::Key,
        guest::Tier::Field => Tier::Field,
        guest::Tier::Lookup => Tier::Lookup,
        guest::Tier::Blind => Tier::Blind,
    };
    WantedDestination { name: given.name, weakest }
}
