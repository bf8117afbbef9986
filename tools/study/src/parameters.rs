//! The parameters of a study's boards, by how they were come by.

use board::Board;
use toml::{Table, Value};

use crate::definition::scalar::shown;
use crate::error::{Fault, StudyError};
use crate::outcome::Parameter;
use crate::Study;

const ROLES: [&str; 4] = ["given", "measured", "calibrated", "assumed"];

/// The parameters of all boards of a study. What a board has in common with one before it is not
/// told again, and choices that nobody measured, which have no source, are not told at all.
pub(crate) fn parameters(study: &Study) -> Result<Vec<Parameter>, StudyError> {
    let mut all: Vec<Parameter> = Vec::new();
    for (nth, name) in study.boards.iter().enumerate() {
        let fault = |found: String, expected: &str| {
            study.fault(Fault::new(format!("boards: {}", nth + 1), found, expected))
        };
        if study.boards[..nth].contains(name) {
            return Err(fault(format!("{name:?} twice"), "each board once"));
        }
        let board = Board::resolve(&study.board_path(name), &[]).map_err(|error| {
            let told = error.to_string();
            // The line of a board that is not there begins with its name, as this one does.
            let reason = told.strip_prefix(&format!("{name}: ")).unwrap_or(&told);
            let (found, expected) = reason
                .strip_prefix("found ")
                .and_then(|reason| reason.split_once(", expected "))
                .unwrap_or((reason, "a board"));
            fault(format!("{name:?}, {found}"), expected)
        })?;
        let own = of_board(&board);
        let told = |new: &Parameter| {
            all.iter().any(|old| {
                (&old.key, &old.value, old.role, &old.source)
                    == (&new.key, &new.value, new.role, &new.source)
            })
        };
        let new: Vec<Parameter> = own.into_iter().filter(|new| !told(new)).collect();
        all.extend(new);
    }
    Ok(all)
}

fn of_board(board: &Board) -> Vec<Parameter> {
    let table: Table = board.to_toml().parse().expect("a board is printed as TOML");
    let mut parameters = Vec::new();
    for (section, leaves) in
        table.iter().filter_map(|(name, leaves)| Some((name, leaves.as_table()?)))
    {
        for (name, leaf) in leaves {
            let text = |part: &str| leaf.get(part).and_then(Value::as_str);
            let (Some(value), Some(source), Some(role)) =
                (leaf.get("value"), text("source"), text("role"))
            else {
                continue;
            };
            if let Some(role) = ROLES.into_iter().find(|known| *known == role) {
                parameters.push(Parameter {
                    board: board.name.clone(),
                    key: format!("{section}.{name}"),
                    value: value.as_str().map_or_else(|| shown(value), str::to_owned),
                    role,
                    source: source.to_owned(),
                });
            }
        }
    }
    parameters
}
