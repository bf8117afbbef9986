//! Numbers in text, byte by byte.

/// A whole number without a sign; none where a byte is no digit, there is none, or it exceeds 64 bits.
#[inline]
pub(crate) fn whole(text: &[u8]) -> Option<u64> {
    // Up to 19 digits cannot overflow.
    if text.is_empty() || text.len() > 20 {
        return long(text);
    }
    let (first, last) = text.split_at(text.len().min(19));
    let mut value = 0_u64;
    for &byte in first {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + u64::from(digit);
    }
    match last {
        [] => Some(value),
        [byte @ b'0'..=b'9', ..] => value.checked_mul(10)?.checked_add(u64::from(byte - b'0')),
        _ => None,
    }
}

/// As [`whole`], of more digits than fit: leading zeros may make them fewer.
#[cold]
fn long(text: &[u8]) -> Option<u64> {
    let kept = text.iter().position(|&byte| byte != b'0').unwrap_or(text.len().checked_sub(1)?);
    match text.len() - kept {
        0..=20 if kept > 0 => whole(&text[kept..]),
        _ => None,
    }
}

/// Seconds with up to nine digits behind the point, in nanoseconds; further digits are cut off.
#[inline]
pub(crate) fn seconds_ns(text: &[u8]) -> Option<u64> {
    let point = text.iter().position(|&byte| byte == b'.');
    let (before, behind) = match point {
        Some(point) => (&text[..point], &text[point + 1..]),
        None => (text, &b""[..]),
    };
    if point.is_some() && behind.is_empty() {
        return None;
    }
    let seconds = whole(before)?;
    let mut nanoseconds = 0;
    let mut scale = 1_000_000_000_u64;
    for &byte in behind {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        scale /= 10;
        nanoseconds += u64::from(digit) * scale;
    }
    seconds.checked_mul(1_000_000_000)?.checked_add(nanoseconds)
}

/// A number with or without digits behind the point, times so many picoseconds, in nanoseconds. Digits behind the twelfth are
/// cut off.
#[inline]
pub(crate) fn decimal_ns(text: &[u8], unit_ps: u64) -> Option<u64> {
    let (before, behind) = match memchr::memchr(b'.', text) {
        Some(point) => (&text[..point], Some(&text[point + 1..])),
        None => (text, None),
    };
    let mut ps = u128::from(whole(before)?) * u128::from(unit_ps);
    if let Some(behind) = behind {
        let kept = &behind[..behind.len().min(12)];
        if !behind.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let scale = 10_u64.pow(kept.len() as u32);
        ps += u128::from(whole(kept)?) * u128::from(unit_ps) / u128::from(scale);
    }
    u64::try_from(ps / 1000).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_whole_and_fit() {
        let rows: [(&str, Option<u64>); 12] = [
            ("0", Some(0)),
            ("007", Some(7)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("99999999999999999999", None),
            ("000000000000000000000000000012", Some(12)),
            ("0000000000000000000000000000", Some(0)),
            ("100000000000000000000000000000", None),
            ("", None),
            ("-1", None),
            ("1.5", None),
            ("0x10", None),
        ];
        for (text, value) in rows {
            assert_eq!(whole(text.as_bytes()), value, "{text}");
        }
    }

    #[test]
    fn seconds_have_a_fraction() {
        let rows: [(&str, Option<u64>); 9] = [
            ("0.000000000", Some(0)),
            ("1456135200.013118000", Some(1_456_135_200_013_118_000)),
            ("2", Some(2_000_000_000)),
            ("0.5", Some(500_000_000)),
            ("0.0000000019", Some(1)),
            ("1.", None),
            (".5", None),
            ("1.5e3", None),
            ("99999999999", None),
        ];
        for (text, value) in rows {
            assert_eq!(seconds_ns(text.as_bytes()), value, "{text}");
        }
    }

    #[test]
    fn decimals_have_a_unit() {
        const MS: u64 = 1_000_000_000;
        let rows: [(&str, u64, Option<u64>); 9] = [
            ("0.000232", MS, Some(232)),
            ("755693", 1000, Some(755_693)),
            ("1500", 1, Some(1)),
            ("1.5", 1000 * MS, Some(1_500_000_000)),
            ("0.1234567890123456789", 1000 * MS, Some(123_456_789)),
            ("1.", MS, None),
            (".5", MS, None),
            ("-1", MS, None),
            ("18446744073709551615", MS, None),
        ];
        for (text, unit_ps, value) in rows {
            assert_eq!(decimal_ns(text.as_bytes(), unit_ps), value, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read(value: u64) {
            prop_assert_eq!(whole(value.to_string().as_bytes()), Some(value));
        }

        #[test]
        fn any_bytes_are_what_the_standard_library_says(text in "[0-9+.]{0,24}") {
            let expected = if text.starts_with('+') { None } else { text.parse().ok() };
            prop_assert_eq!(whole(text.as_bytes()), expected);
        }
    }
}
