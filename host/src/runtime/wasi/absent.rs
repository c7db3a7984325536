//! What a component imports and the host does not answer: linked so that it loads, and refused by name when it is called.

use crate::runtime::imports;
use crate::runtime::imports::Import;
use wasmtime::Engine;
use wasmtime::component::types::ComponentItem;
use wasmtime::component::{Component, Linker, LinkerInstance, ResourceType, Val};

/// A resource that no function ever gives out.
struct Absent;

/// The one function whose empty answer is an answer.
const EMPTY_LIST: &str = "get-directories";

/// Define each import that is not there, with functions that fail with what `refuse` says to their names.
pub(in crate::runtime) fn link<T: 'static>(
    linker: &mut Linker<T>,
    engine: &Engine,
    component: &Component,
    is_there: impl Fn(&str) -> bool,
    refuse: fn(String) -> wasmtime::Error,
) -> wasmtime::Result<()> {
    let shape = component.component_type();
    // A resource that an interface takes over from another one is defined by that one alone.
    let mut defined: Vec<ResourceType> = Vec::new();
    for (interface, import) in shape.imports(engine) {
        let ComponentItem::ComponentInstance(instance) = import.ty else {
            continue;
        };
        let mut place = if is_there(interface) { None } else { Some(linker.instance(interface)?) };
        for (name, export) in instance.exports(engine) {
            match (export.ty, &mut place) {
                (ComponentItem::Resource(resource), place) if !defined.contains(&resource) => {
                    defined.push(resource);
                    if let Some(place) = place {
                        place.resource(name, ResourceType::host::<Absent>(), |_, _| Ok(()))?;
                    }
                }
                (ComponentItem::ComponentFunc(_), Some(place)) => define(place, interface, name, refuse)?,
                _ => {}
            }
        }
    }
    Ok(())
}

fn define<T: 'static>(
    place: &mut LinkerInstance<'_, T>,
    interface: &str,
    name: &str,
    refuse: fn(String) -> wasmtime::Error,
) -> wasmtime::Result<()> {
    if imports::import(interface) == Some(Import::Empty) && name == EMPTY_LIST {
        return place.func_new(name, |_, _, _, results| {
            results.fill(Val::List(Vec::new()));
            Ok(())
        });
    }
    let function = format!("{interface}#{name}");
    place.func_new(name, move |_, _, _, _| Err(refuse(function.clone())))
}
