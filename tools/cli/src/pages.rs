//! Tests: every command line of the program in the pages of this repository can be read by it, and the boards, keys and
//! options in it are there.

use std::fs;
use std::path::{Path, PathBuf};

use board::Board;
use clap::error::ErrorKind;
use clap::Parser;
use host::job;

use crate::arguments::{Arguments, BoardAction, Command};
use crate::command_line::CommandLine;

/// A command line in a page.
struct Line {
    /// The page, and the number of the line.
    place: String,
    words: Vec<String>,
    stands: Stands,
}

/// Where a command line stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stands {
    /// In a block, from which it is copied.
    Alone,
    /// In a sentence, which may name a command without all of its arguments.
    InSentence,
}

/// How the program is called in pages.
const CALLED: [&str; 4] =
    ["firmament", "$firmament", "target/release/firmament", "target/debug/firmament"];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the root is there")
}

/// All pages of the repository.
fn pages() -> Vec<PathBuf> {
    let root = repository();
    let mut found = Vec::new();
    below(&root.join("docs"), &mut found);
    for name in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "GLOSSARY.md"] {
        found.push(root.join(name));
    }
    found
}

fn below(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in directory.read_dir().expect("a directory of pages") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            below(&path, found);
        } else if path.extension().is_some_and(|end| end == "md") {
            found.push(path);
        }
    }
}

/// The command lines of the program in a page: in blocks of a shell, behind a prompt in other blocks, and in code within
/// a line.
fn lines(name: &str, page: &str) -> Vec<Line> {
    let mut found = Vec::new();
    let mut block: Option<String> = None;
    let mut begun = String::new();
    for (number, line) in page.lines().enumerate() {
        let place = format!("{name}:{}", number + 1);
        let bare = line.trim();
        if let Some(kind) = bare.strip_prefix("```") {
            block = if block.is_some() { None } else { Some(kind.to_owned()) };
            continue;
        }
        match &block {
            Some(kind) => {
                let command = match bare.strip_prefix("$ ") {
                    Some(command) => command,
                    None if kind == "sh" || !begun.is_empty() => bare,
                    None => continue,
                };
                begun += command.trim_end_matches('\\');
                if command.ends_with('\\') {
                    continue;
                }
                found.extend(commands(&place, &std::mem::take(&mut begun), Stands::Alone));
            }
            None => {
                for code in bare.split('`').skip(1).step_by(2) {
                    // A part that the reader fills in, or a word of the name itself.
                    if !code.contains(['…', '[', '<']) && code.contains(' ') {
                        found.extend(commands(&place, code, Stands::InSentence));
                    }
                }
            }
        }
    }
    found
}

/// The commands of a line of a shell that call the program.
fn commands(place: &str, line: &str, stands: Stands) -> Vec<Line> {
    let mut found = Vec::new();
    for command in simple_commands(line) {
        // Before it may stand assignments, and words such as `do`.
        let before = |word: &String| word.contains('=') || ["do", "time"].contains(&word.as_str());
        let named = |word: &String| CALLED.contains(&word.as_str());
        let Some(at) = command.iter().position(named) else { continue };
        if command[..at].iter().all(before) {
            let words = command[at + 1..].to_vec();
            found.push(Line { place: place.to_owned(), words, stands });
        }
    }
    found
}

/// Words of each simple command of a line: quotes are taken off, operators divide, and redirections and comments are
/// left out.
fn simple_commands(line: &str) -> Vec<Vec<String>> {
    let (mut commands, mut words) = (vec![Vec::new()], None::<String>);
    let mut letters = line.chars().peekable();
    let mut redirected = false;
    let end =
        |word: &mut Option<String>, redirected: &mut bool, commands: &mut Vec<Vec<String>>| {
            if let Some(word) = word.take() {
                if !std::mem::take(redirected) {
                    commands.last_mut().expect("a command").push(word);
                }
            }
        };
    while let Some(letter) = letters.next() {
        match letter {
            '\'' | '"' => {
                let word = words.get_or_insert_default();
                word.extend(letters.by_ref().take_while(|&next| next != letter));
            }
            '\\' => words.get_or_insert_default().extend(letters.next()),
            '#' if words.is_none() => break,
            ' ' | '\t' => end(&mut words, &mut redirected, &mut commands),
            '>' | '<' => {
                // The number of a stream belongs to the sign.
                if words
                    .as_ref()
                    .is_some_and(|word| word.chars().all(|digit| digit.is_ascii_digit()))
                {
                    words = None;
                }
                end(&mut words, &mut redirected, &mut commands);
                while letters.next_if(|next| ['>', '&'].contains(next)).is_some() {}
                redirected = true;
            }
            '|' | '&' | ';' => {
                end(&mut words, &mut redirected, &mut commands);
                commands.push(Vec::new());
            }
            plain => words.get_or_insert_default().push(plain),
        }
    }
    end(&mut words, &mut redirected, &mut commands);
    commands
}

/// What is wrong with a command line, if something is.
fn fault(line: &Line) -> Option<String> {
    let all = std::iter::once("firmament".to_owned()).chain(line.words.iter().cloned()).collect();
    let lacks_nothing = line.stands == Stands::Alone;
    let line = match CommandLine::divide(all) {
        Ok(line) => line,
        Err(failure) => return Some(failure.to_string()),
    };
    let arguments = match Arguments::try_parse_from(line.own) {
        Ok(arguments) => arguments,
        Err(asked) if !asked.use_stderr() => return None,
        Err(lack) if lack.kind() == ErrorKind::MissingRequiredArgument && !lacks_nothing => {
            return None;
        }
        Err(error) => return Some(crate::usage::failure(&error).to_string()),
    };
    let (name, overrides) = match &arguments.command {
        Command::Board(board) => match &board.action {
            Some(BoardAction::Fit(fit)) => (fit.base.as_str(), &fit.overrides),
            None => (board.name.as_deref().unwrap_or_default(), &board.overrides),
        },
        Command::Run(run) => {
            let unknown = line.fio.iter().find(|(name, _)| !job::is_option(name));
            if let Some((name, _)) = unknown {
                return Some(format!("no option {name}"));
            }
            (board_of(&run.inputs), &run.overrides)
        }
        _ => return None,
    };
    // What a shell fills in, or a file that the reader writes, is not known.
    let fixed: Vec<(String, String)> = overrides
        .iter()
        .filter(|(key, value)| !format!("{key}{value}").contains('$'))
        .cloned()
        .collect();
    if name.contains(['/', '.', '$']) || name.chars().all(|letter| letter.is_ascii_uppercase()) {
        return None;
    }
    Board::resolve(name, &fixed).err().map(|error| error.to_string())
}

/// The board among the inputs of a run.
fn board_of(inputs: &[String]) -> &str {
    inputs
        .iter()
        .map(String::as_str)
        .find(|input| !input.ends_with(".fio"))
        .unwrap_or("cosmos-plus")
}

#[test]
fn every_command_line_in_a_page_can_be_read() {
    let (mut faults, mut count) = (Vec::new(), 0);
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page");
        let name = page.strip_prefix(repository()).expect("below the root").display().to_string();
        for line in lines(&name, &text) {
            count += 1;
            if let Some(fault) = fault(&line) {
                faults.push(format!("{}: firmament {}: {fault}", line.place, line.words.join(" ")));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(count > 100, "only {count} command lines were found");
}

#[test]
fn a_line_of_a_shell_is_divided_as_a_shell_does() {
    for (line, commands) in [
        ("firmament run a b", vec![vec!["run", "a", "b"]]),
        ("make x && firmament boards | head", vec![vec!["boards"]]),
        ("for n in 1 2; do firmament run --set a=$n; done", vec![vec!["run", "--set", "a=$n"]]),
        ("A=1 firmament board 'x y' \"z\" > out 2>&1 # not this", vec![vec!["board", "x y", "z"]]),
        ("firmament boards && $firmament man m", vec![vec!["boards"], vec!["man", "m"]]),
        ("cat firmament run", vec![]),
    ] {
        let found = self::commands("p", line, Stands::Alone);
        let found: Vec<Vec<String>> = found.into_iter().map(|line| line.words).collect();
        assert_eq!(found, commands, "{line}");
    }
}

#[test]
fn what_a_page_says_wrongly_is_noticed() {
    let page = "`firmament rum` and `firmament rerun` and `firmament run --rv=read`\n```sh\nfirmament run \\\n    --set ftl.victum=greedy\n```\n\
        ```text\n$ firmament run no-such-board\nfirmament what\n$ firmament rerun\n```\n`firmament run small --rw=read`\n";
    let faults: Vec<String> = lines("p", page)
        .iter()
        .filter_map(|line| Some(format!("{}: {}", line.place, fault(line)?)))
        .collect();
    assert_eq!(faults.len(), 5, "{faults:#?}");
    let expected = ["p:1", "--rw", "ftl.victim", "no-such-board", "too few arguments"];
    for (fault, holds) in faults.iter().zip(expected) {
        assert!(fault.contains(holds), "{fault}: {holds}");
    }
}
