//! Results beside each other.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, StringArray, UInt64Array};
use pyo3::prelude::*;
use report::{Compared, Comparison, RunResult};

use crate::outcome::{written, Outcome};
use crate::table::Table;

/// What a comparison of results tells.
#[pyclass(frozen, get_all, module = "firmament._native")]
pub struct Compare {
    /// As the program prints it.
    text: String,
    /// As a page.
    html: String,
    /// What was not the same: names and the values of each result.
    settings: Vec<(String, Vec<String>)>,
    /// A row a figure of each result but the first.
    table: Table,
}

/// Compares results under their names, each with the first.
#[pyfunction]
pub fn compare(
    py: Python<'_>,
    names: Vec<String>,
    outcomes: Vec<Py<Outcome>>,
) -> PyResult<Compare> {
    let runs: Vec<RunResult> = outcomes.iter().map(|one| one.get().result.clone()).collect();
    py.detach(|| {
        let compared = names.iter().zip(&runs).map(|(name, run)| Compared { name, run });
        let (settings, paired) = (recipe::settings(&runs), recipe::paired(&runs));
        let comparison = Comparison { reports: compared.collect(), settings, paired };
        Ok(Compare {
            text: written(|out| report::write_comparison(&comparison, out))?,
            html: written(|out| report::write_comparison_html(&comparison, out))?,
            table: table(&names, &comparison),
            settings: named(comparison),
        })
    })
}

fn named(comparison: Comparison<'_>) -> Vec<(String, Vec<String>)> {
    comparison.settings.into_iter().map(|setting| (setting.name, setting.values)).collect()
}

fn table(names: &[String], comparison: &Comparison<'_>) -> Table {
    let rows = || {
        comparison.paired.iter().flat_map(|paired| paired.rows.iter().map(move |row| (paired, row)))
    };
    let texts = |texts: Vec<&str>| -> ArrayRef { Arc::new(StringArray::from(texts)) };
    let numbers = |numbers: Vec<Option<f64>>| -> ArrayRef { Arc::new(Float64Array::from(numbers)) };
    let seeds: Vec<u64> = rows().map(|(paired, _)| paired.seeds as u64).collect();
    let shown: Vec<bool> = rows().map(|(_, row)| row.is_shown()).collect();
    Table::new(vec![
        ("result", texts(rows().map(|(paired, _)| names[paired.report].as_str()).collect())),
        ("figure", texts(rows().map(|(_, row)| row.name.as_str()).collect())),
        ("seeds", Arc::new(UInt64Array::from(seeds))),
        ("first", numbers(rows().map(|(_, row)| Some(row.means[0])).collect())),
        ("value", numbers(rows().map(|(_, row)| Some(row.means[1])).collect())),
        ("change_percent", numbers(rows().map(|(_, row)| row.change).collect())),
        ("half_width_percent", numbers(rows().map(|(_, row)| row.half_width).collect())),
        ("is_shown", Arc::new(BooleanArray::from(shown))),
    ])
}
