//! Boards.

use board::Board as Resolved;
use pyo3::prelude::*;

use crate::failure::raised;

/// The built-in boards: name and description, the default first.
#[pyfunction]
pub fn boards() -> PyResult<Vec<(String, String)>> {
    let names = board::names().into_iter();
    let described = |name: &str| {
        let board = recipe::resolve(name, &[]).map_err(raised)?;
        Ok((board.name, board.description))
    };
    names.map(described).collect()
}

/// A board: a name or a path, and what replaces its values.
#[pyclass(frozen, module = "firmament._native")]
pub struct Board {
    /// Name or path, as given.
    #[pyo3(get)]
    given: String,
    /// What replaces values, in the order given.
    #[pyo3(get)]
    overrides: Vec<(String, String)>,
    board: Resolved,
}

impl Board {
    /// Name or path, as given.
    pub fn given(&self) -> &str {
        &self.given
    }

    /// What replaces values, in the order given.
    pub fn overrides(&self) -> &[(String, String)] {
        &self.overrides
    }
}

#[pymethods]
impl Board {
    #[new]
    fn new(py: Python<'_>, given: String, overrides: Vec<(String, String)>) -> PyResult<Self> {
        let board = py.detach(|| recipe::resolve(&given, &overrides)).map_err(raised)?;
        Ok(Board { given, overrides, board })
    }

    #[getter]
    fn name(&self) -> &str {
        &self.board.name
    }

    #[getter]
    fn description(&self) -> &str {
        &self.board.description
    }

    #[getter]
    fn sha256(&self) -> String {
        self.board.sha256()
    }

    #[getter]
    fn capacity_bytes(&self) -> u64 {
        self.board.capacity().host_bytes
    }

    #[getter]
    fn block_bytes(&self) -> u32 {
        self.board.block_bytes()
    }

    /// Keys and their values, as they are written in a board file.
    fn values(&self) -> Vec<(&'static str, &str)> {
        self.board.values().collect()
    }

    fn toml(&self) -> String {
        self.board.to_toml()
    }

    /// Rows of the ceilings that follow from the values: of what, its unit, the part, and the amount.
    fn ceilings(&self) -> Vec<(String, String, String, f64)> {
        let ceilings = self.board.ceilings();
        let limits = ceilings.iter().flat_map(|ceiling| {
            let of = |limit: &board::Limit| {
                let [what, unit, part] =
                    [&ceiling.what.to_string(), &ceiling.unit.to_string(), &limit.part.to_string()]
                        .map(String::clone);
                (what, unit, part, limit.amount)
            };
            ceiling.limits.iter().map(of)
        });
        limits.collect()
    }

    /// What replaced values do nothing in a simulated drive, in one line.
    fn unused(&self) -> Option<String> {
        recipe::unused_values(&self.board)
    }
}
