//! Until it joins `it`.
mod conformance;
