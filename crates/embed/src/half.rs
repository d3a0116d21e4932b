//! Numbers of sixteen bits, for what is stored by the ten thousand and needs three digits.

/// The nearest half, ties to even. What is too large becomes infinite, what is too small zero.
pub(crate) fn to_half(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    let exponent = (bits >> 23 & 0xff) as i32 - 127 + 15;
    let fraction = bits & 0x007f_ffff;
    if exponent >= 31 {
        return sign | 0x7c00;
    }
    let (mantissa, shift) = match exponent {
        1.. => ((exponent as u32) << 23 | fraction, 13),
        -10..=0 => (fraction | 0x0080_0000, (14 - exponent) as u32),
        _ => return sign,
    };
    let kept = mantissa >> shift;
    let rest = mantissa & ((1 << shift) - 1);
    let middle = 1 << (shift - 1);
    let up = u32::from(rest > middle || (rest == middle && kept & 1 == 1));
    sign | (kept + up) as u16
}

pub(crate) fn from_half(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let exponent = u32::from(half >> 10 & 0x1f);
    let fraction = u32::from(half & 0x3ff);
    match exponent {
        0 => f32::from_bits(sign | (fraction as f32 / 16_777_216.0).to_bits()),
        31 => f32::from_bits(sign | 0x7f80_0000 | fraction << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | fraction << 13),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_survives_the_way_there_and_back() {
        for half in (0..=u16::MAX).filter(|half| half & 0x7c00 != 0x7c00) {
            assert_eq!(to_half(from_half(half)), half, "{half:#06x}");
        }
    }

    #[test]
    fn a_number_between_two_halves_goes_to_the_nearest_and_ties_go_to_even() {
        let check = |value: f32, expected: f32| {
            assert_eq!(from_half(to_half(value)).to_bits(), expected.to_bits(), "{value}");
        };
        check(1.000_488_3, 1.0);
        check(1.000_5, 1.000_976_6);
        check(1e9, f32::INFINITY);
        check(-1e-9, -0.0);
    }
}
