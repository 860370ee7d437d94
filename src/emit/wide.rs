//! Tiles in registers, on machines with registers of 64 bytes.

use super::code::{Feature, Generator, Lies, Place};
use super::rotation::memory;
use super::syntax::{Stmt, What};
use crate::lower::dpia::Loop;
use std::ops::RangeInclusive;

/// A register of AVX-512, in bytes.
const REGISTER: i64 = 64;
/// So many registers are a tile: sums of fewer gain nothing, and there are no more.
const TILES: RangeInclusive<i64> = 4..=32;

/// For most processors with AVX-512, gcc halves vectors unless it is told not to: half of the registers then hold half of a
/// tile. (Matrix multiplication of 1024, one thread of a Xeon, gcc 12: in tiles of 6 by 16 numbers 25.7 and 20.7 ms, of 8 by 32
/// 23.9 and 15.4.) It stands in the code, so that it holds wherever that is compiled.
pub const WIDE: &str = "#if defined(__AVX512F__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8\n\
     #pragma GCC target(\"prefer-vector-width=512\")\n#endif\n";

impl Generator {
    /// Notes whether a loop over lanes with this body adds whole registers to a tile that they hold.
    pub(super) fn note_wide(&mut self, l: &Loop, body: &[Stmt]) {
        let Some(lanes) = l.n.as_constant() else { return };
        let is_wide = body.iter().any(|statement| {
            let What::Assign { to, op, .. } = &statement.what else { return false };
            let place = memory(to).and_then(|name| self.places.values().flatten().find(|p| p.name == name));
            *op != "=" && place.is_some_and(|place| is_tile(place, lanes))
        });
        if is_wide {
            self.uses.insert(Feature::Wide);
        }
    }
}

/// Is this an array of a tile's size, and so many of its numbers whole registers?
fn is_tile(place: &Place, lanes: i64) -> bool {
    let of_register = REGISTER / place.leaf.scalar().bytes() as i64;
    place.is_array
        && place.lies == Lies::Near
        && lanes % of_register == 0
        && place.leaf.len().as_constant().is_some_and(|n| TILES.contains(&(n / of_register)))
}
