//! Until it joins `it`.
mod conformance;
mod sqlite;
