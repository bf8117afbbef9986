//! Divides the command line between the program's own options and fio's.

use std::cmp::Reverse;

use clap::CommandFactory;
use host::job;

use crate::arguments::Arguments;
use crate::fio_program::{self, Takes};
use recipe::Failure;

/// Options of fio that stand alone: what follows one is not its value. All others take a value.
const FLAGS: [&str; 22] = [
    "bs_unaligned",
    "blocksize_unaligned",
    "exitall",
    "exitall_on_error",
    "fixedbufs",
    "force_async",
    "group_reporting",
    "hipri",
    "new_group",
    "nonvectored",
    "norandommap",
    "refill_buffers",
    "registerfiles",
    "stonewall",
    "thread",
    "time_based",
    "uncached",
    "userspace_reap",
    "verify_only",
    "wait_for_previous",
    "write_barrier",
    "zero_buffers",
];

/// The command line, divided.
#[derive(Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// What the program itself understands, the program's name first.
    pub own: Vec<String>,
    /// fio's options: name and value, which is empty for a flag.
    pub fio: Vec<(String, String)>,
}

impl CommandLine {
    /// Divides the arguments, of which the first is the program's name. Only `run` takes options
    /// of fio.
    ///
    /// # Errors
    /// When an option is one of neither.
    pub fn divide(arguments: Vec<String>) -> Result<CommandLine, Failure> {
        let mut line = CommandLine { own: Vec::new(), fio: Vec::new() };
        let mut rest = arguments.into_iter().peekable();
        line.own.extend(rest.next());
        if rest.peek().is_none_or(|command| command != "run") {
            line.own.extend(rest);
            return Ok(line);
        }
        line.own.extend(rest.next());
        let options = own_options();
        while let Some(argument) = rest.next() {
            if argument == "--" {
                line.own.push(argument);
                line.own.extend(rest);
                return Ok(line);
            }
            let Some(option) = dashed(&argument) else {
                line.own.push(argument);
                continue;
            };
            let (name, value) = match option.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (option, None),
            };
            if let Some(known) = options.iter().find(|known| known.name == name) {
                let follows = known.values == Values::One && value.is_none();
                line.own.push(format!("--{option}"));
                line.own.extend(rest.next_if(|_| follows));
                continue;
            }
            if let Some(takes) = fio_program::ignored(name)? {
                rest.next_if(|next| takes == Takes::One && value.is_none() && !is_option(next));
                continue;
            }
            if !job::is_option(name) {
                return Err(unknown(name, &options));
            }
            let value = match value {
                Some(value) => value.to_owned(),
                None if FLAGS.contains(&name) => String::new(),
                None => rest.next_if(|next| !is_option(next)).unwrap_or_default(),
            };
            line.fio.push((name.to_owned(), value));
        }
        Ok(line)
    }
}

/// What stands behind the dashes of an option. As with fio, one dash is as good as two; a single letter
/// behind it is the program's own.
fn dashed(argument: &str) -> Option<&str> {
    let one = || argument.strip_prefix('-').filter(|name| name.len() > 1);
    let is_name = |name: &&str| name.starts_with(|c: char| c.is_ascii_alphabetic());
    argument.strip_prefix("--").or_else(|| one().filter(is_name))
}

/// Whether an argument is an option, and so no value of the one before.
fn is_option(argument: &str) -> bool {
    dashed(argument).is_some()
}

/// A long option of `run`.
struct OwnOption {
    name: String,
    values: Values,
}

/// How many values an option takes.
#[derive(PartialEq, Eq)]
enum Values {
    None,
    One,
}

/// The long options of `run` that are the program's own.
fn own_options() -> Vec<OwnOption> {
    let mut command = Arguments::command();
    command.build();
    let run = command.find_subcommand("run").expect("run is a command");
    let option = |argument: &clap::Arg| {
        let takes = argument.get_action().takes_values() && !argument.is_require_equals_set();
        let values = if takes { Values::One } else { Values::None };
        Some(OwnOption { name: argument.get_long()?.to_owned(), values })
    };
    run.get_arguments().filter_map(option).collect()
}

/// The fault of an option that neither the program nor fio has, with the one that may be meant.
fn unknown(name: &str, options: &[OwnOption]) -> Failure {
    let expected = if name.starts_with("help") {
        "--help".to_owned()
    } else {
        let typed = name.replace('_', "-");
        let own = options
            .iter()
            .map(|known| (strsim::osa_distance(&known.name, &typed), &known.name))
            // Of names that are equally near, the one that looks most like it.
            .min_by_key(|(slips, known)| (*slips, Reverse(likeness(known, &typed))))
            .filter(|(slips, known)| *slips <= if known.len() < 6 { 1 } else { 2 });
        match (own, job::nearest_option(name)) {
            (Some((_, known)), _) => format!("--{known}"),
            (None, Some(known)) => format!("--{known}"),
            (None, None) => {
                "one that firmament run --help names, or that fio has in job files".to_owned()
            }
        }
    };
    Failure::unexpected(format!("--{name}"), "an unknown option", &expected)
}

/// How much two names look alike, in millionths.
fn likeness(known: &str, typed: &str) -> u32 {
    (strsim::jaro_winkler(known, typed) * 1e6) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A command line, the program's part of it, and fio's.
    type Case = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

    fn divide(line: &str) -> Result<CommandLine, Failure> {
        CommandLine::divide(line.split(' ').map(str::to_owned).collect())
    }

    #[test]
    fn options_go_where_they_belong() {
        let cases: [Case; 16] = [
            ("f run a.fio", "f run a.fio", &[]),
            ("f run --rw=read small", "f run small", &[("rw", "read")]),
            ("f run --rw read small", "f run small", &[("rw", "read")]),
            ("f run --time_based small", "f run small", &[("time_based", "")]),
            ("f run --direct --bs=4k", "f run", &[("direct", ""), ("bs", "4k")]),
            ("f run --seed 3 --set a=b --bs=4k", "f run --seed 3 --set a=b", &[("bs", "4k")]),
            ("f run --seed=3 small", "f run --seed=3 small", &[]),
            ("f run --help small", "f run --help small", &[]),
            ("f run --rw=read -- --bs=4k", "f run -- --bs=4k", &[("rw", "read")]),
            ("f boards --rw=read", "f boards --rw=read", &[]),
            ("f run -rw=read -bs 4k small", "f run small", &[("rw", "read"), ("bs", "4k")]),
            ("f run -thread -name=a", "f run", &[("thread", ""), ("name", "a")]),
            ("f run -direct -seed=3", "f run --seed=3", &[("direct", "")]),
            ("f run -h -V - small", "f run -h -V - small", &[]),
            ("f run --debug=io --alloc-size 9 -max-jobs=3 small", "f run small", &[]),
            ("f run --cmdhelp small --cmdhelp=rw", "f run --cmdhelp small --cmdhelp=rw", &[]),
        ];
        for (line, own, fio) in cases {
            let divided = divide(line).unwrap();
            assert_eq!(divided.own.join(" "), own, "{line}");
            let pairs: Vec<_> =
                divided.fio.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
            assert_eq!(pairs, fio, "{line}");
        }
    }

    #[test]
    fn a_value_may_hold_an_equals_sign_and_a_dash() {
        let divided = divide("f run --description=a=b --offset -1").unwrap();
        assert_eq!(divided.fio[0], ("description".to_owned(), "a=b".to_owned()));
        assert_eq!(divided.fio[1], ("offset".to_owned(), "-1".to_owned()));
    }

    #[test]
    fn what_is_nobodys_option_starts_nothing_and_is_told_what_was_meant() {
        for (slip, meant) in [
            ("--sed=1", "--seed"),
            ("--iodepht=4", "--iodepth"),
            ("--numjob 2", "--numjobs"),
            ("--help-fio", "--help"),
            ("-rww=read", "--rw"),
            ("--cmdhlep=rw", "--cmdhelp"),
            ("--frobnicate", "one that firmament run --help names, or that fio has in job files"),
            ("--payloda=full", "--payload"),
            ("--output_format=json", "--output-format"),
            ("--preconditon=steady", "--precondition"),
            ("--sede=1", "--seed"),
        ] {
            let failure = divide(&format!("f run --rw=read {slip}")).unwrap_err().to_string();
            assert!(failure.ends_with(&format!("expected {meant}")), "{failure}");
        }
    }

    #[test]
    fn no_option_of_fio_is_taken_for_a_slip() {
        for name in [
            "rw",
            "bs",
            "ba",
            "bsrange",
            "bssplit",
            "direct",
            "iodepth",
            "ioengine",
            "filename",
            "filesize",
            "fsync",
            "io_size",
            "loops",
            "mem",
            "name",
            "nice",
            "numjobs",
            "offset",
            "prio",
            "ramp_time",
            "randseed",
            "rate",
            "runtime",
            "rwmixread",
            "size",
            "sync",
            "stats",
            "steadystate",
            "thread",
            "thinktime",
            "time_based",
            "timeout",
            "uid",
            "unlink",
            "verify",
            "zonesize",
            "write_iolog",
            "read_iolog",
        ] {
            assert!(divide(&format!("f run --{name}=1")).is_ok(), "{name}");
        }
    }
}
