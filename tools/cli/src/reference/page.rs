//! Pages that hold what `reference` prints.

use clap::Parser;

use crate::arguments::{Arguments, Command};
use recipe::Failure;

/// Begins a line that names the command; ` -->` ends it.
const NAMES: &str = "<!-- firmament reference ";
/// The line behind what the command prints.
const ENDS: &str = "<!-- end of reference -->";

/// The page with what its commands print now. `name` is what errors call it.
///
/// # Errors
/// When a line names no command, or no line ends what it prints.
pub fn anew(name: &str, page: &str) -> Result<String, Failure> {
    let mut text = String::new();
    let mut lines = page.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        text += line;
        text.push('\n');
        let Some(words) = line.strip_prefix(NAMES) else { continue };
        let place = format!("{name}:{}", number + 1);
        let table = printed(&place, words)?;
        if !lines.any(|(_, line)| line == ENDS) {
            return Err(Failure::unexpected(place, "no end of the table", ENDS));
        }
        text += &format!("\n{}\n\n{ENDS}\n", table.trim_end());
    }
    Ok(text)
}

/// What a command prints, by the words behind its name.
fn printed(place: &str, words: &str) -> Result<String, Failure> {
    let line = words.strip_suffix(" -->").unwrap_or(words);
    let words = ["firmament", "reference"].into_iter().chain(line.split_whitespace());
    match Arguments::try_parse_from(words) {
        Ok(Arguments { command: Command::Reference(arguments) }) => {
            super::table(&arguments.subject)
        }
        _ => Err(Failure::unexpected(
            place,
            format!("firmament reference {line}"),
            "one that firmament reference --help names",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_between_the_lines_is_written_anew() {
        let begin = "<!-- firmament reference board-keys namespace -->";
        let page = format!("before\n{begin}\nold\n{ENDS}\nafter\n");
        let written = anew("p.md", &page).unwrap();
        assert!(written.starts_with(&format!("before\n{begin}\n\n| Key |")), "{written}");
        assert!(written.ends_with(&format!("|\n\n{ENDS}\nafter\n")), "{written}");
        assert!(!written.contains("old"));
        assert_eq!(anew("p.md", &written).unwrap(), written);
    }

    #[test]
    fn a_line_that_names_nothing_is_one_line_of_complaint() {
        for (page, complaint) in [
            ("\n<!-- firmament reference board-keys -->\n", "p.md:2: found firmament reference"),
            ("<!-- firmament reference board-keys nowhere -->\n", "nowhere"),
            ("<!-- firmament reference report-fields -->\nx\n", "p.md:1: found no end"),
        ] {
            let failure = anew("p.md", page).unwrap_err().to_string();
            assert!(failure.contains(complaint), "{failure}");
        }
    }
}
