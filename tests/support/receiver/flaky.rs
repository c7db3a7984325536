//! The seeded dice of `--flaky`: random faults for long loops.
//!
//! Owns which request meets which fault, as a pure function of the seed and the request's number.
//! It never throws a crash, and it can't fail.

use crate::receiver::faults::Fault;

/// How often `--flaky` goes wrong, and with which dice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flaky {
    /// How many of a hundred write requests meet a fault, 0 to 100.
    pub percent: u8,
    /// The seed of the dice. One seed gives one row of faults, also across restarts.
    pub seed: u64,
}

impl Flaky {
    /// The fault that the request with this number meets, if any: `lose-reply`, `refuse` or
    /// `status:503`, never a crash.
    ///
    /// The dice depend on the seed and the request's number alone, so a receiver that was killed
    /// goes on where it stopped instead of throwing the same faults again.
    #[must_use]
    pub fn fault(self, seq: i64) -> Option<Fault> {
        let roll = mix(self.seed ^ mix(seq.cast_unsigned()));
        if roll % 100 >= u64::from(self.percent) {
            return None;
        }
        Some(match (roll / 100) % 3 {
            0 => Fault::LoseReply,
            1 => Fault::Refuse,
            _ => Fault::status(503),
        })
    }
}

/// The output function of the SplitMix64 generator: spreads neighbouring numbers evenly.
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dice_keep_to_their_percentage_and_throw_every_mild_fault() {
        let row = |seed, percent| -> Vec<Option<Fault>> {
            let flaky = Flaky { percent, seed };
            (1..=10_000).map(|seq| flaky.fault(seq)).collect()
        };
        let faults: Vec<Fault> = row(7, 30).into_iter().flatten().collect();
        assert!((2_800..3_200).contains(&faults.len()), "{}", faults.len());
        for kind in [Fault::LoseReply, Fault::Refuse, Fault::status(503)] {
            let thrown = faults.iter().filter(|fault| **fault == kind).count();
            assert!((800..1_200).contains(&thrown), "{kind}: {thrown}");
        }
        assert_eq!(row(7, 30), row(7, 30));
        assert_ne!(row(7, 30), row(8, 30));
        assert!(row(7, 0).iter().all(Option::is_none));
        assert!(row(7, 100).iter().all(Option::is_some));
    }
}
