//! Which models there are: a test top of `rtl/tops` each, and a row of `rtl/tops/models.csv` each, which makes one of a top with parameters.

use std::env;
use std::fs;
use std::path::Path;

/// The folder of the test tops.
pub const TOPS: &str = "tops";
/// A top whose models are rows of the table ends so; others are models of their own names.
const WITH_PARAMETERS: &str = "_bench";

/// A model: a top and its parameters.
#[derive(Clone)]
pub struct Spec {
    /// What `RTL_TOPS` and `rtl_sim::tops` call it.
    pub name: String,
    /// The module, and the name of its file.
    pub top: String,
    /// Parameters that are not as the module has them, as in `Channels=4`.
    pub parameters: Vec<String>,
    /// Made only if `RTL_TOPS` names it: whole drives of other sizes than that of the tests, and strong codes, take minutes to compile.
    is_asked_for: bool,
}

/// All models to be made, in the order of their names; with `RTL_TOPS` those that it names, for quick work on few.
///
/// # Errors
/// A line, where the table or the folder cannot be read.
pub fn all(rtl: &Path) -> Result<Vec<Spec>, String> {
    let mut found = rows(&rtl.join(TOPS).join("models.csv"))?;
    found.extend(files(&rtl.join(TOPS))?);
    match env::var("RTL_TOPS") {
        Ok(only) => found.retain(|spec| only.split(',').any(|name| name == spec.name)),
        Err(_) => found.retain(|spec| !spec.is_asked_for),
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

/// The models of the table.
fn rows(table: &Path) -> Result<Vec<Spec>, String> {
    let wrong = |error: csv::Error| format!("{}: {error}", table.display());
    let mut found = Vec::new();
    for row in csv::Reader::from_path(table).map_err(wrong)?.records() {
        let row = row.map_err(wrong)?;
        let [name, top, parameters, made] = [0, 1, 2, 3].map(|column| row[column].to_owned());
        let is_asked_for = match made.as_str() {
            "always" => false,
            "asked" => true,
            _ => {
                return Err(format!(
                    "{}: {name}: found made {made}, expected always or asked",
                    table.display()
                ))
            }
        };
        let parameters = parameters.split_whitespace().map(str::to_owned).collect();
        found.push(Spec { name, top, parameters, is_asked_for });
    }
    Ok(found)
}

/// The tops that are models as they are.
fn files(folder: &Path) -> Result<Vec<Spec>, String> {
    let entries = fs::read_dir(folder)
        .map_err(|error| format!("{}: found {error}, expected test tops", folder.display()))?;
    let names = entries.filter_map(|entry| {
        let name = entry.ok()?.file_name().into_string().ok()?;
        name.strip_suffix(".sv").map(str::to_owned)
    });
    let spec = |name: String| Spec {
        top: name.clone(),
        name,
        parameters: Vec::new(),
        is_asked_for: false,
    };
    Ok(names.filter(|name| !name.ends_with(WITH_PARAMETERS)).map(spec).collect())
}
