//! What is installed beside the program: manual pages, and files by which shells complete commands.

use std::fs;
use std::process::Command;

use predicates::str::contains;

use crate::program::{firmament, names, stdout};

/// Commands as `firmament --help` lists them.
fn commands() -> Vec<String> {
    let help = stdout(&mut firmament(["--help"]));
    let list = help.split_once("Commands:\n").unwrap().1.split_once("\n\n").unwrap().0;
    // A line that goes on has deeper indentation.
    let names = list.lines().filter(|line| !line.starts_with("   "));
    let names: Vec<String> =
        names.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect();
    assert!(names.len() > 10, "{names:?}");
    names.into_iter().filter(|name| name != "help").collect()
}

#[test]
fn each_command_has_a_page_of_the_manual() {
    let place = tempfile::tempdir().unwrap();
    let pages = place.path().join("share/man/man1");
    firmament(["man".as_ref(), pages.as_os_str()]).assert().success().stdout("").stderr("");
    let there = names(&pages);
    let mut wanted = vec!["firmament.1".to_owned()];
    wanted.extend(commands().iter().map(|command| format!("firmament-{command}.1")));
    for page in &wanted {
        assert!(there.contains(page), "{page} is not among {there:?}");
    }
    assert!(there.contains(&"firmament-image-new.1".to_owned()), "{there:?}");
    let page = fs::read_to_string(pages.join("firmament-run.1")).unwrap();
    for part in
        [".TH firmament-run 1", "firmament run", "\\-\\-precondition", "\\-\\-html", "Examples:"]
    {
        assert!(page.contains(part), "{part} is not in\n{page}");
    }
    let whole = fs::read_to_string(pages.join("firmament.1")).unwrap();
    for command in commands() {
        let named = format!("firmament\\-{}(1)", command.replace('-', "\\-"));
        assert!(whole.contains(&named), "{named} is not in\n{whole}");
    }
}

#[test]
fn a_manual_that_cannot_be_written_is_one_line() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let below = file.path().join("man1");
    let run = firmament(["man".as_ref(), below.as_os_str()]).assert();
    let lines = run.code(2).stdout("").stderr(contains("man1: found ")).get_output().stderr.clone();
    assert_eq!(lines.iter().filter(|&&byte| byte == b'\n').count(), 1);
}

#[test]
fn shells_complete_every_command() {
    for (shell, mark) in [
        ("bash", "complete -F _firmament"),
        ("zsh", "#compdef firmament"),
        ("fish", "complete -c firmament"),
    ] {
        let file = stdout(&mut firmament(["completions", shell]));
        assert!(file.contains(mark), "{shell}: found no {mark}");
        for word in commands().iter().map(String::as_str).chain(["precondition", "steady-run"]) {
            assert!(file.contains(word), "{shell}: {word} is not completed");
        }
        assert!(!file.contains("board-keys"), "{shell}: a hidden command is completed");
    }
    firmament(["completions", "tcsh"]).assert().code(2).stdout("");
}

/// Bash is on every system that this is tested on; the others' files are of the same library.
#[test]
fn bash_completes_a_command_and_its_options() {
    let file = stdout(&mut firmament(["completions", "bash"]));
    let completed = |words: &[&str]| -> Vec<String> {
        let script = format!(
            "{file}\nCOMP_WORDS=({}); COMP_CWORD={}; _firmament firmament {last} {before}\n\
            printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            words.join(" "),
            words.len() - 1,
            last = words[words.len() - 1],
            before = words[words.len() - 2],
        );
        let output = Command::new("bash").args(["-c", &script]).output().expect("bash is there");
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
    };
    assert_eq!(completed(&["firmament", "tort"]), ["torture"]);
    assert_eq!(completed(&["firmament", "run", "--precond"]), ["--precondition"]);
    assert_eq!(completed(&["firmament", "run", "--precondition", "se"]), ["sequential"]);
}
