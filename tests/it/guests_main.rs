//! Until it joins `it`.
mod guests;
