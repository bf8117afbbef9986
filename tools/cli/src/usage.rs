//! Faults of the command line in one line each, in place of the several that clap prints.

use std::error::Error as _;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::CommandFactory;

use crate::arguments::Arguments;
use recipe::Failure;

/// The fault that clap found.
pub fn failure(error: &clap::Error) -> Failure {
    let argument = text(error, ContextKind::InvalidArg);
    let name = argument.split([' ', '=']).next().unwrap_or_default();
    match error.kind() {
        ErrorKind::InvalidValue => {
            let expected = alternatives(&list(error, ContextKind::ValidValue), "a value");
            Failure::unexpected(name, value(error), &expected)
        }
        ErrorKind::ValueValidation => {
            let expected = error.source().map_or("another value".to_owned(), |e| e.to_string());
            Failure::unexpected(name, value(error), &expected)
        }
        ErrorKind::UnknownArgument => {
            let nearest = list(error, ContextKind::SuggestedArg);
            let expected = alternatives(&nearest, "one that firmament --help names");
            Failure::unexpected(name, "an unknown argument", &expected)
        }
        ErrorKind::InvalidSubcommand => {
            let command = text(error, ContextKind::InvalidSubcommand);
            Failure::unexpected(command, "an unknown command", &commands())
        }
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let expected = match &list(error, ContextKind::ValidSubcommand)[..] {
                [] => commands(),
                names => alternatives(names, "a command"),
            };
            Failure::unexpected("command line", "no command", &expected)
        }
        ErrorKind::MissingRequiredArgument => {
            let expected = alternatives(&list(error, ContextKind::InvalidArg), "more arguments");
            Failure::unexpected("command line", "too few arguments", &expected)
        }
        ErrorKind::ArgumentConflict if name.is_empty() => {
            let expected = "them behind it, and nothing before";
            Failure::unexpected("command line", "arguments before a command", expected)
        }
        ErrorKind::ArgumentConflict => {
            let other = text(error, ContextKind::PriorArg);
            match other.split([' ', '=']).next().unwrap_or_default() {
                other if other.is_empty() || other == name => {
                    Failure::unexpected(name, "it twice", "it once")
                }
                other => Failure::unexpected(name, format!("it beside {other}"), "one of the two"),
            }
        }
        _ => {
            let rendered = error.to_string();
            let line = rendered.lines().next().unwrap_or_default();
            Failure::Input(line.trim_start_matches("error: ").to_owned())
        }
    }
}

fn commands() -> String {
    let program = Arguments::command();
    let shown = program.get_subcommands().filter(|command| !command.is_hide_set());
    let names: Vec<String> = shown.map(|command| command.get_name().to_owned()).collect();
    format!("{}; firmament --help tells more", alternatives(&names, "a command"))
}

fn value(error: &clap::Error) -> String {
    match text(error, ContextKind::InvalidValue) {
        empty if empty.is_empty() => "nothing".to_owned(),
        value => format!("{value:?}"),
    }
}

fn text(error: &clap::Error, kind: ContextKind) -> String {
    list(error, kind).into_iter().next().unwrap_or_default()
}

fn list(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    }
}

/// "a, b or c", or `otherwise` for an empty list.
fn alternatives(names: &[String], otherwise: &str) -> String {
    match names {
        [] => otherwise.to_owned(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use clap::{Arg, Command, CommandFactory, Parser};

    use super::failure;
    use crate::arguments::Arguments;

    /// Options of a command and of those below it that take a value, each behind the words that lead to it.
    fn options(command: &Command, words: &[String]) -> Vec<Vec<String>> {
        let takes_value = |option: &&Arg| option.get_action().takes_values();
        let of_itself = command.get_opts().filter(takes_value).filter_map(|option| {
            let name = option.get_long()?;
            Some([words, &[format!("--{name}")]].concat())
        });
        let below = command
            .get_subcommands()
            .flat_map(|own| options(own, &[words, &[own.get_name().to_owned()]].concat()));
        of_itself.chain(below).collect()
    }

    /// What is said of a wrong value names what would be right. It is not what a number's parser says of itself.
    #[test]
    fn each_option_says_in_its_own_words_what_it_expects() {
        let all = options(&Arguments::command(), &["firmament".to_owned()]);
        assert!(all.len() > 60, "{all:?}");
        let mut refused = 0;
        for words in all {
            let (option, before) = words.split_last().expect("an option");
            for value in ["x", "0", "-1", "1e99"] {
                let argument = [format!("{option}={value}")];
                let Err(error) = Arguments::try_parse_from([before, &argument].concat()) else {
                    continue;
                };
                let line = failure(&error).to_string();
                for foreign in ["digit", "non-zero type", "invalid", "is not in", "too large"] {
                    assert!(!line.contains(foreign), "{words:?}: {line}");
                }
                refused +=
                    usize::from(line.contains(&format!("{option}: found \"{value}\", expected")));
            }
        }
        assert!(refused > 60, "{refused} values were refused");
    }
}
