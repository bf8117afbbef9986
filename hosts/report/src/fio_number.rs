//! Numbers in the form fio gives them: few characters and a unit prefix.

/// What the number counts, which decides base and suffix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Bytes with binary prefixes: `KiB`.
    BinaryBytes,
    /// Bytes with decimal prefixes: `kB`.
    DecimalBytes,
    /// A plain number with decimal prefixes: `k`.
    Count,
}

impl Unit {
    fn base(self) -> f64 {
        match self {
            Self::BinaryBytes => 1024.0,
            Self::DecimalBytes | Self::Count => 1000.0,
        }
    }

    fn suffixes(self) -> [&'static str; 6] {
        match self {
            Self::BinaryBytes => ["B", "KiB", "MiB", "GiB", "TiB", "PiB"],
            Self::DecimalBytes => ["B", "kB", "MB", "GB", "TB", "PB"],
            Self::Count => ["", "k", "M", "G", "T", "P"],
        }
    }
}

/// Characters fio spends on rates and sizes.
pub(crate) const RATE_WIDTH: usize = 4;

/// Characters fio spends on smallest and largest latencies.
pub(crate) const LATENCY_WIDTH: usize = 6;

/// `value` in at most `width` characters before the suffix, with as many decimals as fit and the
/// smallest prefix that makes it fit; a whole number below the first prefix stays whole.
pub(crate) fn short(value: f64, width: usize, unit: Unit) -> String {
    let suffixes = unit.suffixes();
    let mut scaled = value.floor();
    let mut prefix = 0;
    while digits(scaled) > width && prefix + 1 < suffixes.len() {
        scaled /= unit.base();
        prefix += 1;
    }
    let room = width.saturating_sub(digits(scaled) + 1);
    let decimals = if prefix == 0 { 0 } else { room };
    let text = rounded(scaled, decimals);
    // Rounding can carry into a further digit, as from 9.999 to 10.00.
    let text = match decimals {
        1.. if text.len() > width => rounded(scaled, decimals - 1),
        _ => text,
    };
    format!("{text}{}", suffixes[prefix])
}

/// `value` with `decimals`, halves rounded up as fio does.
fn rounded(value: f64, decimals: usize) -> String {
    let scale = 10f64.powi(decimals as i32);
    format!("{:.decimals$}", (value * scale).round() / scale)
}

/// Digits before the decimal point.
fn digits(value: f64) -> usize {
    let mut digits = 1;
    let mut rest = value / 10.0;
    while rest >= 1.0 {
        digits += 1;
        rest /= 10.0;
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_look_as_in_fio() {
        let cases = [
            (0.0, Unit::Count, "0"),
            (101.8, Unit::Count, "101"),
            (2_502.0, Unit::Count, "2502"),
            (9_999.0, Unit::Count, "9999"),
            (999_960.0, Unit::Count, "1000k"),
            (99_960.0, Unit::Count, "100k"),
            (28_166.0, Unit::Count, "28.2k"),
            (3_155_337.0, Unit::Count, "3155k"),
            (10_250_000.0, Unit::Count, "10.3M"),
            (9_999_600.0, Unit::Count, "10000k"),
            (4096.0, Unit::BinaryBytes, "4096B"),
            (65_536.0, Unit::BinaryBytes, "64.0KiB"),
            (131_072.0, Unit::BinaryBytes, "128KiB"),
            (8_388_608.0, Unit::BinaryBytes, "8192KiB"),
            (1_073_741_824.0, Unit::BinaryBytes, "1024MiB"),
            (12.04 * 1_073_741_824.0, Unit::BinaryBytes, "12.0GiB"),
            (417_107.0, Unit::DecimalBytes, "417kB"),
            (10_249_831.0, Unit::DecimalBytes, "10.2MB"),
            (2_097_152_000.0, Unit::DecimalBytes, "2097MB"),
        ];
        for (value, unit, expected) in cases {
            assert_eq!(short(value, RATE_WIDTH, unit), expected, "{value}");
        }
    }

    #[test]
    fn latencies_look_as_in_fio() {
        let cases = [
            (1_852.0, "1852"),
            (105_587.0, "105587"),
            (2_565_700.0, "2565.7k"),
            (3_727_149.0, "3727.1k"),
            (12_345_678.0, "12346k"),
            (1_234_567_890.0, "1234.6M"),
        ];
        for (value, expected) in cases {
            assert_eq!(short(value, LATENCY_WIDTH, Unit::Count), expected, "{value}");
        }
    }
}
