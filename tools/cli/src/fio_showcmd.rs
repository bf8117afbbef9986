//! What `--showcmd` prints: the command line that says what job files say.

use std::io::Write;

use host::job;
use recipe::Failure;
use report::JobSource;

use crate::inputs::Inputs;
use crate::output::print;

/// Prints the command line of these jobs.
///
/// # Errors
/// When it cannot be printed.
pub fn show(inputs: &Inputs) -> Result<(), Failure> {
    let mut words = vec!["firmament".to_owned(), "run".to_owned()];
    words.extend(inputs.board.clone());
    match &inputs.source {
        JobSource::File { name, text } => words.extend(options_of_file(name, text)),
        JobSource::Options(options) => words.extend(options.iter().map(option)),
        _ => {}
    }
    let line: Vec<_> = words.iter().map(|word| quoted(word)).collect();
    print(|out| writeln!(out, "{}", line.join(" ")))
}

/// A job file as options. The first section needs no name if it is a global one.
fn options_of_file(name: &str, text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (_, line) in job::lines(name, text) {
        let line = line.split([';', '#']).next().unwrap_or("").trim();
        let heading = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        match heading {
            _ if line.is_empty() => {}
            Some("global") if words.is_empty() => {}
            Some(section) => words.push(format!("--name={section}")),
            None => {
                let (key, value) = line.split_once('=').unwrap_or((line, ""));
                words.push(option(&(key.trim().to_owned(), value.trim().to_owned())));
            }
        }
    }
    words
}

fn option((key, value): &(String, String)) -> String {
    match value.as_str() {
        "" => format!("--{key}"),
        value => format!("--{key}={value}"),
    }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=.,:/+@%".contains(c);
    match word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_becomes_options_in_its_order() {
        let text = "; two jobs\n[global]\nrw=randread\nsize = 1m # all\n[a]\nstonewall\n[global]\nbs=8k\n[b]\n";
        let found = options_of_file("f", text).join(" ");
        assert_eq!(
            found,
            "--rw=randread --size=1m --name=a --stonewall --name=global --bs=8k --name=b"
        );
        assert_eq!(options_of_file("f", "[a]\nrw=read\n"), ["--name=a", "--rw=read"]);
    }

    #[test]
    fn words_are_quoted_where_a_shell_would_read_more_in_them() {
        assert_eq!(quoted("--bs=4k,8k"), "--bs=4k,8k");
        assert_eq!(quoted("--name=a b"), "'--name=a b'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
