//! The files of a study.

use super::error::OutputError;
use super::page::page;
use super::raster::Rasteriser;
use super::result_csv::result_csv;
use crate::outcome::{Figure, StudyOutcome, Timeline};
use std::fs;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use timeline::{Gantt, Panel};

/// Writes under `dir`: for each study `NAME/result.csv`, and `NAME/FIGURE.svg` and `.png` for each of
/// its figures, and `NAME/TIMELINE.svg` for each of its timelines; and `index.html`, one page over all
/// `studies` that needs nothing beside itself.
/// Folders are made as needed. A file is written whole or not at all.
///
/// # Errors
/// The first file that could not be made. Those before it are there.
pub fn write(studies: &[StudyOutcome], dir: &Path) -> Result<(), OutputError> {
    let rasteriser = Rasteriser::new();
    let mut plots = Vec::new();
    for study in studies {
        let folder = dir.join(file_name(&study.name)?);
        fs::create_dir_all(&folder).map_err(refused(&folder))?;
        let result = folder.join("result.csv");
        let csv = result_csv(study).map_err(refused(&result))?;
        replace(&result, &csv)?;
        for experiment in &study.experiments {
            for figure in &experiment.figures {
                plots.push(write_figure(figure, &folder, &rasteriser)?);
            }
            for timeline in &experiment.timelines {
                plots.push(write_timeline(timeline, &folder)?);
            }
        }
    }
    fs::create_dir_all(dir).map_err(refused(dir))?;
    replace(&dir.join("index.html"), page(studies, &plots).as_bytes())
}

/// Writes a figure as SVG and as PNG, and gives the SVG back.
fn write_figure(
    figure: &Figure,
    folder: &Path,
    rasteriser: &Rasteriser,
) -> Result<String, OutputError> {
    let name = file_name(&figure.id)?;
    let path = |ending: &str| folder.join(format!("{name}.{ending}"));
    let Figure { title, x, x_label, y_label, curves, .. } = figure;
    let drawn = chart::Figure { title, x, x_label, y_label, curves };
    let svg = drawn.svg().map_err(|error| undrawn(path("svg"), &error))?;
    replace(&path("svg"), svg.as_bytes())?;
    let png = rasteriser.png(&svg).map_err(|error| undrawn(path("png"), &error))?;
    replace(&path("png"), &png)?;
    Ok(svg)
}

/// Writes a timeline as SVG, and gives it back.
fn write_timeline(timeline: &Timeline, folder: &Path) -> Result<String, OutputError> {
    let path = folder.join(format!("{}.svg", file_name(&timeline.id)?));
    let panels = timeline.panels.iter().map(|(name, trace)| Panel { name, trace });
    let panels: Vec<Panel<'_>> = panels.collect();
    let picture = Gantt::of_panels(&panels).map_err(|error| undrawn(path.clone(), &error))?;
    let mut svg = Vec::new();
    picture.write(&mut svg).map_err(refused(&path))?;
    replace(&path, &svg)?;
    Ok(String::from_utf8(svg).expect("a picture is text"))
}

fn undrawn(path: PathBuf, reason: &impl ToString) -> OutputError {
    OutputError::Figure { path, reason: reason.to_string() }
}

fn refused(path: &Path) -> impl Fn(io::Error) -> OutputError + '_ {
    |reason| OutputError::Refused { path: path.to_path_buf(), reason }
}

/// `name` if it names a file in a folder and nothing elsewhere.
fn file_name(name: &str) -> Result<&str, OutputError> {
    let mut parts = Path::new(name).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(part)), None) if part == name => Ok(name),
        _ => Err(OutputError::Name { name: name.to_string() }),
    }
}

/// Puts a file with `contents` at `path`, in place of the one that may be there.
fn replace(path: &Path, contents: &[u8]) -> Result<(), OutputError> {
    let write = || {
        foreign::input::must_not_be(path)?;
        let folder = path.parent().ok_or(io::ErrorKind::NotFound)?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".firmament-");
        // As a program gives them to a new file, instead of to its owner alone.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let mut file = builder.tempfile_in(folder)?;
        file.write_all(contents)?;
        file.persist(path)?;
        Ok(())
    };
    write().map_err(refused(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_name_files() {
        for name in ["figure24", "cosmos-plus", "a b", "..a"] {
            assert_eq!(file_name(name).unwrap(), name);
        }
        for name in ["", ".", "..", "a/b", "/a", "a/", "../a", "a/."] {
            assert!(file_name(name).is_err(), "{name}");
        }
    }
}
