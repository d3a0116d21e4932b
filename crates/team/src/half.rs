//! Numbers of half precision: what vectors are kept and sent as. Half the room, and 11 bits are more than a search
//! compares.

use std::error::Error;

use postgres::types::private::BytesMut;
use postgres::types::{IsNull, ToSql, Type, to_sql_checked};

/// To the nearest, ties to even. What is too large becomes the largest: a vector has unit length, so nothing is.
pub(crate) fn from_f32(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = ((bits >> 16) & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return 0;
    }
    if magnitude >= 0x477f_f000 {
        return sign | 0x7bff;
    }
    if magnitude < 0x3880_0000 {
        // Below the smallest normal number: a multiple of 2^-24.
        let steps = (f64::from(f32::from_bits(magnitude)) * 16_777_216.0).round_ties_even();
        return sign | steps as u16;
    }
    let rounded = magnitude + 0x0fff + ((magnitude >> 13) & 1);
    sign | ((rounded - 0x3800_0000) >> 13) as u16
}

pub(crate) fn to_f32(half: u16) -> f32 {
    let sign = if half & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(half >> 10 & 0x1f), f32::from(half & 0x3ff));
    sign * if exponent == 0 {
        fraction * (2.0_f32).powi(-24)
    } else {
        (1.0 + fraction / 1024.0) * (2.0_f32).powi(exponent - 15)
    }
}

/// One vector, as pgvector's `halfvec` goes over the wire.
#[derive(Debug, Clone)]
pub(crate) struct HalfVector(pub(crate) Vec<u16>);

impl ToSql for HalfVector {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        let dims = i16::try_from(self.0.len())?;
        out.extend_from_slice(&dims.to_be_bytes());
        out.extend_from_slice(&[0, 0]);
        for number in &self.0 {
            out.extend_from_slice(&number.to_be_bytes());
        }
        Ok(IsNull::No)
    }

    fn accepts(ty: &Type) -> bool {
        ty.name() == "halfvec"
    }

    to_sql_checked!();
}

/// Several vectors of one length: their number of numbers, then all numbers.
pub(crate) fn pack(parts: &[Vec<u16>]) -> Vec<u8> {
    let dims = parts.first().map_or(0, Vec::len) as u16;
    let mut bytes = dims.to_le_bytes().to_vec();
    bytes.extend(parts.iter().flatten().flat_map(|number| number.to_le_bytes()));
    bytes
}

/// `None`: these bytes were not packed here.
pub(crate) fn unpack(bytes: &[u8]) -> Option<Vec<Vec<f32>>> {
    let (dims, numbers) = bytes.split_at_checked(2)?;
    let dims = usize::from(u16::from_le_bytes([dims[0], dims[1]]));
    if dims == 0 || numbers.len() % (2 * dims) != 0 {
        return None;
    }
    let read = |pair: &[u8]| to_f32(u16::from_le_bytes([pair[0], pair[1]]));
    Some(numbers.chunks(2 * dims).map(|part| part.chunks(2).map(read).collect()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_reads_back_and_everything_else_is_near() {
        for half in (0..0x7c00).chain(0x8000..0xfc00) {
            assert_eq!(from_f32(to_f32(half)), half, "{half:#x}");
        }
        for step in -1000_i16..1000 {
            let value = f32::from(step) / 997.0;
            assert!((to_f32(from_f32(value)) - value).abs() <= value.abs() / 2048.0 + 1e-7);
        }
        assert_eq!(from_f32(f32::NAN), 0);
        assert_eq!(from_f32(1e9), 0x7bff);
    }

    #[test]
    fn vectors_read_back_and_foreign_bytes_are_none() {
        let parts = vec![vec![0x3c00, 0xb800], vec![0, 0x3800]];
        assert_eq!(unpack(&pack(&parts)).unwrap(), [[1.0, -0.5], [0.0, 0.5]]);
        assert_eq!(unpack(&[]), None);
        assert_eq!(unpack(&[2, 0, 1, 2, 3]), None);
        assert_eq!(unpack(&[0, 0]), None);
    }
}
