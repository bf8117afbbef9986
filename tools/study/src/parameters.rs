//! The parameters of a study's boards, by how they were come by.

use board::Board;
use toml::{Table, Value};

use crate::definition::scalar::shown;
use crate::error::{Fault, StudyError};
use crate::outcome::Parameter;
use crate::Study;

/// The role of a value that another paper states, or that was fitted to it.
const BORROWED: &str = "borrowed";
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
        let own = told_apart(of_board(&board), &study.cited_as);
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

/// Another paper's values are borrowed, whether it states them or something was fitted to it.
fn told_apart(mut parameters: Vec<Parameter>, cited_as: &[String]) -> Vec<Parameter> {
    let is_own = |source: &str| cited_as.iter().any(|name| source.contains(name));
    let borrowed = |own: &Parameter| {
        matches!(own.role, "given" | "calibrated") && !is_own(first_source(&parameters, own))
    };
    let borrowed: Vec<bool> = parameters.iter().map(borrowed).collect();
    for (own, borrowed) in parameters.iter_mut().zip(borrowed) {
        if borrowed && !cited_as.is_empty() {
            own.role = BORROWED;
        }
    }
    parameters
}

/// The source of a value that says `as KEY` is that of the other key of its section.
fn first_source<'a>(parameters: &'a [Parameter], own: &'a Parameter) -> &'a str {
    let (mut source, section) = (own.source.as_str(), own.key.split('.').next());
    for _ in 0..parameters.len() {
        let Some(rest) = source.strip_prefix("as ") else { break };
        let key = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
        let is_meant = |other: &&Parameter| {
            let mut parts = other.key.split('.');
            parts.next() == section && parts.next() == key
        };
        let Some(other) = parameters.iter().find(is_meant) else { break };
        source = &other.source;
    }
    source
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_paper_states_is_borrowed() {
        let parameter = |(key, role, source): (&str, &'static str, &str)| Parameter {
            board: "drive".into(),
            key: key.into(),
            value: "1".into(),
            role,
            source: source.into(),
        };
        let all = [
            ("flash.t_read_us", "given", "Own section 3"),
            ("flash.t_program_us", "given", "as t_read_us, which it says of both"),
            ("flash.t_erase_us", "given", "Other section 3"),
            ("channel.t_erase_us", "calibrated", "fitted to Other"),
            ("channel.t_read_us", "given", "as t_erase_us"),
            ("channel.depth", "assumed", "usual"),
        ];
        let roles = |cited_as: &[&str]| {
            let cited_as: Vec<String> = cited_as.iter().map(|name| (*name).to_owned()).collect();
            let told = told_apart(all.map(parameter).to_vec(), &cited_as);
            told.into_iter().map(|own| own.role).collect::<Vec<_>>()
        };
        let expected = ["given", "given", "borrowed", "borrowed", "borrowed", "assumed"];
        assert_eq!(roles(&["Own"]), expected);
        assert_eq!(roles(&[]), all.map(|(_, role, _)| role));
    }
}
