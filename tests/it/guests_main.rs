//! Until it joins `it`.
mod guests;
mod protocol;
