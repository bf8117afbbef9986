//! Names of fio's options, for completion.

use host::job;
use pyo3::prelude::*;

/// Options that a run acts on, with their subject; other names of an option follow it.
#[pyfunction]
pub fn fio_options() -> Vec<(String, String)> {
    let all = job::honoured().flat_map(|group| group.names.iter().map(move |name| (group, *name)));
    let named = all.flat_map(|(group, name)| {
        std::iter::once(name).chain(job::aliases_of(name)).map(move |name| (name, group.about))
    });
    named.map(|(name, about)| (name.to_owned(), about.to_owned())).collect()
}
