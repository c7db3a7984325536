//! `random`, `insecure` and `insecure-seed`: bytes that follow from the work's id, so that a retry gets the same ones.

use crate::identity::key::digest;
use crate::runtime::stop::Stop;
use crate::runtime::wasi::bindings::wasi::random::{insecure, insecure_seed, random};
use crate::runtime::wasi::sandbox::Sandbox;

/// What keeps these bytes apart from whatever else is made from a work's id: neither can be told from the other.
const LABEL: &str = "onceward/wasi-random";

/// Which of the interfaces asks: none moves the others on.
#[derive(Clone, Copy, Debug)]
enum Source {
    Random = 0,
    Insecure = 1,
    InsecureSeed = 2,
}

/// The random bytes of one instance.
#[derive(Debug)]
pub(super) struct Randomness {
    seed: Vec<u8>,
    limit_bytes: u64,
    /// How often each source has been asked.
    asked: [u64; 3],
}

impl Randomness {
    pub(super) const fn new(seed: Vec<u8>, limit_bytes: u64) -> Self {
        Self { seed, limit_bytes, asked: [0; 3] }
    }

    /// The next bytes of a source.
    fn bytes(&mut self, source: Source, length_bytes: u64) -> Result<Vec<u8>, Stop> {
        let limit_bytes = self.limit_bytes;
        let length = usize::try_from(length_bytes).ok().filter(|_| length_bytes <= limit_bytes);
        let length = length.ok_or(Stop::RandomBytes { limit_bytes })?;
        let asked = self.asked[source as usize];
        self.asked[source as usize] += 1;
        let block = |number: u64| {
            digest(LABEL, &[&self.seed, &[source as u8], &asked.to_be_bytes(), &number.to_be_bytes()])
        };
        let mut bytes: Vec<u8> = (0..length_bytes.div_ceil(32)).flat_map(block).collect();
        bytes.truncate(length);
        Ok(bytes)
    }

    fn number(&mut self, source: Source) -> Result<u64, Stop> {
        let bytes = self.bytes(source, 8)?;
        let (first, _) = bytes.split_first_chunk::<8>().expect("eight bytes were asked for");
        Ok(u64::from_be_bytes(*first))
    }
}

impl random::Host for Sandbox {
    fn get_random_bytes(&mut self, length_bytes: u64) -> wasmtime::Result<Vec<u8>> {
        self.calls.count()?;
        Ok(self.randomness.bytes(Source::Random, length_bytes)?)
    }

    fn get_random_u64(&mut self) -> wasmtime::Result<u64> {
        self.calls.count()?;
        Ok(self.randomness.number(Source::Random)?)
    }
}

impl insecure::Host for Sandbox {
    fn get_insecure_random_bytes(&mut self, length_bytes: u64) -> wasmtime::Result<Vec<u8>> {
        self.calls.count()?;
        Ok(self.randomness.bytes(Source::Insecure, length_bytes)?)
    }

    fn get_insecure_random_u64(&mut self) -> wasmtime::Result<u64> {
        self.calls.count()?;
        Ok(self.randomness.number(Source::Insecure)?)
    }
}

impl insecure_seed::Host for Sandbox {
    fn insecure_seed(&mut self) -> wasmtime::Result<(u64, u64)> {
        self.calls.count()?;
        Ok((self.randomness.number(Source::InsecureSeed)?, self.randomness.number(Source::InsecureSeed)?))
    }
}

#[cfg(test)]
mod tests {
    use super::{Randomness, Source};

    fn of(seed: u8) -> Randomness {
        Randomness::new(vec![seed; 32], 100)
    }

    #[test]
    fn bytes_repeat_for_a_seed_and_differ_for_all_else() {
        let mut one = of(1);
        let first = one.bytes(Source::Random, 33).unwrap();
        assert_eq!(first.len(), 33);
        assert_eq!(first, of(1).bytes(Source::Random, 33).unwrap());
        assert_ne!(first, one.bytes(Source::Random, 33).unwrap(), "the next bytes are others");
        assert_ne!(first, of(2).bytes(Source::Random, 33).unwrap(), "another work has others");
        assert_ne!(first, of(1).bytes(Source::Insecure, 33).unwrap(), "and so has another interface");
    }

    #[test]
    fn one_call_gives_no_more_than_its_limit() {
        assert_eq!(of(1).bytes(Source::Random, 100).unwrap().len(), 100);
        let refused = of(1).bytes(Source::Random, 101).expect_err("one too many");
        assert!(refused.to_string().contains("more than 100 random bytes"), "{refused}");
        assert!(of(1).bytes(Source::Random, u64::MAX).is_err());
        assert_eq!(of(1).bytes(Source::Random, 0).unwrap(), [0_u8; 0]);
    }
}
