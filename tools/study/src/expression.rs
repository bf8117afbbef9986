//! Arithmetic over named values, such as `100 * (1 - slow / fast)`.

use std::collections::BTreeMap;

use exmex::{Express, FlatEx};

use crate::error::{one_of, Fault};

/// An expression whose names are all known.
#[derive(Clone, Debug)]
pub(crate) struct Expression {
    formula: FlatEx<f64>,
}

/// Longest expression that is taken, in bytes.
const LONGEST: usize = 1000;

impl Expression {
    /// Reads an expression over exactly these names.
    pub fn read<'a>(
        text: &str,
        names: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<Expression, Fault> {
        let fault = |found: String, expected: &str| Err(Fault::new("value", found, expected));
        if text.len() > LONGEST {
            return fault(format!("{} bytes", text.len()), "at most 1000");
        }
        let formula: FlatEx<f64> = match exmex::parse(text) {
            Ok(formula) => formula,
            Err(error) => {
                let reason = error.msg().replace('\n', " ");
                return fault(format!("{text:?} ({reason})"), "an expression such as 1 - a / b");
            }
        };
        if let Some(name) =
            formula.var_names().iter().find(|name| !names.clone().any(|n| n == *name))
        {
            return fault(format!("the name {name:?}"), &one_of(names));
        }
        let mut all = names.clone();
        if let Some(name) = all.find(|name| !formula.var_names().iter().any(|used| used == name)) {
            return fault(format!("{text:?}"), &format!("an expression that uses {name}"));
        }
        Ok(Expression { formula })
    }

    /// Its value.
    ///
    /// # Panics
    /// When `values` lacks a name that the expression was read with.
    pub fn evaluate(&self, values: &BTreeMap<String, f64>) -> f64 {
        let arguments: Vec<f64> =
            self.formula.var_names().iter().map(|name| values[name]).collect();
        self.formula.eval(&arguments).expect("there is a value for each name")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_worked_out_by_the_rules_of_arithmetic() {
        let values: BTreeMap<String, f64> =
            [("a", 3.0), ("b_2", 4.0), ("c", -1.0)].map(|(n, v)| (n.to_owned(), v)).into();
        for (text, expected) in [
            ("100 * (1 - a / b_2) + 0*c", 25.0),
            ("-c + a * b_2 ^ 2", 49.0),
            ("max(a, b_2) - min(a, c)", 5.0),
            ("abs(c) + a + b_2", 8.0),
            ("sqrt(b_2) + log2(b_2) + a + c", 6.0),
        ] {
            let names = values.keys().map(String::as_str);
            let expression = Expression::read(text, names).unwrap();
            assert_eq!(expression.evaluate(&values), expected, "{text}");
        }
    }

    #[test]
    fn faulty_expressions_are_refused_in_one_line() {
        for (text, part) in [
            ("a +", "expected an expression"),
            ("a + (b", "expected an expression"),
            ("", "expected an expression"),
            ("a b", "expected an expression"),
            ("a + c", "found the name \"c\", expected one of a, b"),
            ("a", "expected an expression that uses b"),
        ] {
            let fault = Expression::read(text, ["a", "b"].into_iter()).unwrap_err();
            let line = fault.in_file(std::path::Path::new("f")).to_string();
            assert!(line.contains(part) && line.lines().count() == 1, "{text}: {line}");
        }
    }
}
