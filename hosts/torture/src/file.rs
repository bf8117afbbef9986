//! Histories as files: JSON, a value of the board or a step on each line.

use std::io::{self, Write};

use serde::Serialize;

use crate::plan::Plan;

/// Writes a history so that a person can read it and a change of it shows in few lines.
///
/// # Errors
/// When it cannot be written.
pub fn write(plan: &Plan, out: &mut dyn Write) -> io::Result<()> {
    let Plan { board, values, data, start, steps } = plan;
    writeln!(out, "{{\"board\": {},", json(board)?)?;
    writeln!(out, "\"values\": [{}],", lines(values)?)?;
    writeln!(out, "\"data\": {}, \"start\": {},", json(data)?, json(start)?)?;
    writeln!(out, "\"steps\": [{}]}}", lines(steps)?)
}

fn json(value: &impl Serialize) -> io::Result<String> {
    Ok(serde_json::to_string(value)?)
}

/// A list with one value a line.
fn lines<T: Serialize>(values: &[T]) -> io::Result<String> {
    let lines: io::Result<Vec<String>> = values.iter().map(json).collect();
    Ok(match &lines?[..] {
        [] => String::new(),
        lines => format!("\n{}\n", lines.join(",\n")),
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::faults::Faults;
    use crate::rounds::Torture;

    #[test]
    fn histories_that_are_kept_stand_as_they_are_written() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/histories");
        for file in fs::read_dir(folder).expect("the folder") {
            let path = file.expect("an entry").path();
            let text = fs::read_to_string(&path).expect("a file");
            let plan: Plan = serde_json::from_str(&text).expect("a history");
            let mut again = Vec::new();
            write(&plan, &mut again).expect("memory takes it");
            let is_same = again == text.as_bytes();
            assert!(is_same, "{}", path.display());
        }
    }

    #[test]
    fn what_is_written_is_read_again_and_has_a_line_for_each_step() {
        let faults = Faults::all();
        let torture = Torture { board: None, commands: 60, faults, cut_every: None };
        for seed in 1..20 {
            let plan = torture.plan(seed).expect("a drive");
            let mut text = Vec::new();
            write(&plan, &mut text).expect("memory takes it");
            let text = String::from_utf8(text).expect("JSON");
            assert_eq!(text.lines().count(), plan.values.len() + plan.steps.len() + 6, "{text}");
            assert_eq!(serde_json::from_str::<Plan>(&text).expect("a history"), plan);
        }
    }
}
