//! Whether bytes came back as they were written.

const LANES: usize = 4;
const PRIME: u64 = 0x9e37_79b1_85eb_ca87;

/// A sum of 64 bits over `bytes`: four multiplicative lanes, as in xxHash (Collet 2012), since one would be slower than the disk's cache.
///
/// Finds accidents, not forgers.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    let mut lanes = [1, 2, 3, 4].map(|lane: u64| lane.wrapping_mul(PRIME));
    let (chunks, rest) = bytes.as_chunks::<{ LANES * 8 }>();
    for chunk in chunks {
        for (lane, word) in lanes.iter_mut().zip(chunk.as_chunks::<8>().0) {
            *lane = mixed(*lane, u64::from_le_bytes(*word));
        }
    }
    let sum = lanes.into_iter().fold(bytes.len() as u64, mixed);
    rest.iter().fold(sum, |sum, byte| mixed(sum, u64::from(*byte)))
}

fn mixed(lane: u64, word: u64) -> u64 {
    (lane ^ word).wrapping_mul(PRIME).rotate_left(31)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_flipped_bit_a_lost_byte_and_a_swap_are_seen(bytes in prop::collection::vec(any::<u8>(), 1..200), at: usize, bit in 0..8) {
            let at = at % bytes.len();
            let sum = checksum(&bytes);
            prop_assert_eq!(sum, checksum(&bytes.clone()));
            let mut flipped = bytes.clone();
            flipped[at] ^= 1_u8 << bit;
            prop_assert_ne!(sum, checksum(&flipped));
            prop_assert_ne!(sum, checksum(&bytes[..bytes.len() - 1]));
            let mut swapped = bytes.clone();
            swapped.rotate_left(1);
            prop_assert!(swapped == bytes || sum != checksum(&swapped));
        }
    }
}
