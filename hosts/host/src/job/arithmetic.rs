//! Sums in values: whole numbers, `+ - * /` and parentheses, as the calculator that fio calls does them.

/// Deepest nesting of parentheses.
const DEEPEST: u32 = 16;

/// The value of a sum; none for text that is no sum, or whose value is negative or too large.
pub(super) fn evaluate(text: &str) -> Option<u64> {
    let mut sum = Sum { left: text.trim(), depth: 0 };
    let value = sum.terms()?;
    sum.left.is_empty().then_some(value).and_then(|value| u64::try_from(value).ok())
}

/// What is left of a text.
struct Sum<'a> {
    left: &'a str,
    depth: u32,
}

impl Sum<'_> {
    fn terms(&mut self) -> Option<i128> {
        let mut value = self.factors()?;
        loop {
            value = match self.operator(['+', '-']) {
                Some('+') => value.checked_add(self.factors()?)?,
                Some(_) => value.checked_sub(self.factors()?)?,
                None => return Some(value),
            };
        }
    }

    fn factors(&mut self) -> Option<i128> {
        let mut value = self.number()?;
        loop {
            value = match self.operator(['*', '/']) {
                Some('*') => value.checked_mul(self.number()?)?,
                Some(_) => value.checked_div(self.number()?)?,
                None => return Some(value),
            };
        }
    }

    fn number(&mut self) -> Option<i128> {
        if let Some(inner) = self.left.strip_prefix('(') {
            self.depth += 1;
            self.left = inner.trim_start();
            let value = if self.depth <= DEEPEST { self.terms()? } else { return None };
            self.depth -= 1;
            self.left = self.left.strip_prefix(')')?.trim_start();
            return Some(value);
        }
        let end = self.left.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.left.len());
        let (digits, rest) = self.left.split_at(end);
        self.left = rest.trim_start();
        digits.parse().ok()
    }

    fn operator(&mut self, either: [char; 2]) -> Option<char> {
        let found = self.left.chars().next().filter(|c| either.contains(c))?;
        self.left = self.left[1..].trim_start();
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::evaluate;

    #[test]
    fn sums_have_the_values_that_a_calculator_gives() {
        let rows = [
            ("7", Some(7)),
            ("2*8", Some(16)),
            ("1 + 2 * 3", Some(7)),
            ("(1+2)*3", Some(9)),
            ("10-4-3", Some(3)),
            ("7/2*2", Some(6)),
            ("3-4", None),
            ("1/0", None),
            ("1+", None),
            ("(1", None),
            ("", None),
            ("4k*2", None),
            ("99999999999999999999", None),
        ];
        for (text, value) in rows {
            assert_eq!(evaluate(text), value, "{text}");
        }
        assert_eq!(evaluate(&format!("{}1{}", "(".repeat(9999), ")".repeat(9999))), None);
    }
}
