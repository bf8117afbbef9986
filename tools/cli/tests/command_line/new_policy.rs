//! `firmament new policy`: what it makes is the policy of the repository that it copies under another name, and it writes
//! nothing that it cannot write whole.

use std::fs;
use std::path::{Path, PathBuf};

use predicates::str::contains;

use crate::page::repository;
use crate::program::{firmament, names};

const TABLES: &str = "drive/contract/src/policies.rs";
const PAGE: &str = "docs/spec/board-files.md";

/// Each kind, its folder, and the policy that it copies: module, type, word.
const KINDS: [(&str, &str, [&str; 3]); 6] = [
    ("victim", "ftl/victim", ["d_choices", "DChoices", "d-choices"]),
    ("streams", "ftl/streams", ["by_writes", "ByWrites", "by-writes"]),
    ("wear", "ftl/wear", ["threshold", "Threshold", "static"]),
    ("placement", "ftl/placement", ["idle_first", "IdleFirst", "idle-first"]),
    ("priority", "sched/priority", ["reads_first", "ReadsFirst", "reads-first"]),
    ("replacement", "ftl/replacement", ["clean_first", "CleanFirst", "clean-first"]),
];

/// What the command needs of a clone, without a policy `my-own` that it may have already.
pub fn clone() -> tempfile::TempDir {
    let clone = tempfile::tempdir().unwrap();
    for file in [TABLES, PAGE] {
        let to = clone.path().join(file);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        let text = read(&repository(), file).replace(", `my-own`", "");
        let lines = text.lines().filter(|line| !line.contains("\"my-own\""));
        fs::write(to, lines.map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    }
    for (_, folder, _) in KINDS {
        fs::create_dir_all(clone.path().join("firmware/src").join(folder)).unwrap();
    }
    clone
}

fn read(root: &Path, file: impl AsRef<Path>) -> String {
    fs::read_to_string(root.join(file)).unwrap()
}

/// A text without the lines that tell what a file is about.
fn code(text: &str) -> Vec<&str> {
    text.lines().skip_while(|line| line.starts_with("//!")).collect()
}

fn make(root: &Path, words: &[&str]) -> assert_cmd::assert::Assert {
    let mut run = firmament(["new", "policy"]);
    run.args(words).arg("--dir").arg(root).assert()
}

#[test]
fn a_new_policy_of_each_kind_is_one_of_the_repository_under_another_name() {
    let clone = clone();
    for (kind, folder, [module, type_name, word]) in KINDS {
        make(clone.path(), &["my-own", "--kind", kind]).success().stderr("");
        for end in [".rs", "_tests.rs"] {
            let folder = PathBuf::from("firmware/src").join(folder);
            let made = read(clone.path(), folder.join(format!("my_own{end}")));
            let back = made.replace("MyOwn", type_name).replace("my_own", module);
            let model = read(&repository(), folder.join(format!("{module}{end}")));
            assert_eq!(code(&back), code(&model), "{kind} {end}");
            assert!(made.contains("MyOwn") && !made.contains(type_name), "{kind} {end}");
        }
        let study = read(clone.path(), "studies/own/my-own/study.toml");
        let values = format!("\"{word}\", \"my-own\"]");
        assert!(study.contains(&values), "{study}");
        fs::remove_dir_all(clone.path().join("studies/own/my-own")).unwrap();
    }
    let tables = read(clone.path(), TABLES);
    let page = read(clone.path(), PAGE);
    for (_, _, [module, type_name, word]) in KINDS {
        // A row stands behind the last one of its table.
        let table = tables
            .split("macro_rules!")
            .find(|table| table.contains(&format!(" {module}, {type_name},")));
        let rows: Vec<&str> = table.unwrap().lines().filter(|line| line.ends_with("\";")).collect();
        let row = format!("my_own, MyOwn, \"my-own\", \"As {word}, to begin with.\";");
        assert_eq!(rows.last().unwrap().trim(), row);
        assert_eq!(rows.iter().filter(|line| line.contains("MyOwn")).count(), 1);
    }
    assert_eq!(tables.matches("MyOwn").count(), KINDS.len());
    assert_eq!(page.matches(", `my-own` | P |").count(), KINDS.len(), "{page}");
}

#[test]
fn the_study_of_a_new_policy_can_be_run() {
    // The word of a policy that the program has stands for the new one.
    let clone = clone();
    make(clone.path(), &["my-own", "--kind", "cache"])
        .success()
        .stdout(contains("studies/own/my-own"));
    let study = clone.path().join("studies/own/my-own/study.toml");
    let text = fs::read_to_string(&study).unwrap();
    fs::write(&study, text.replace("\"my-own\"]", "\"fifo\"]").replace("6000", "200")).unwrap();
    let mut run = firmament(["study", "my-own", "--studies", "studies/own"]);
    run.current_dir(clone.path()).assert().success();
    let figure = read(clone.path(), "out/studies/my-own/policies.svg");
    assert!(["lru", "clean-first", "fifo"].iter().all(|word| figure.contains(word)));
}

#[test]
fn what_cannot_be_made_is_one_line_and_changes_nothing() {
    let clone = clone();
    make(clone.path(), &["my-own", "--kind", "victim"]).success();
    let before = (read(clone.path(), TABLES), read(clone.path(), PAGE));
    let folder = clone.path().join("firmware/src/ftl/victim");
    let files = names(&folder);
    let cases: [(&[&str], &str); 7] = [
        (&["my-own", "--kind", "victim"], "my-own: found a policy of this name in firmware/src/ftl/victim, expected a new name\n"),
        (&["greedy", "--kind", "victim"], "greedy: found a policy of this name in firmware/src/ftl/victim, expected a new name\n"),
        (&["my-own", "--kind", "wear"], "found a study, expected no study of this name\n"),
        (&["Mine", "--kind", "victim"], "NAME: found \"Mine\", expected a name of small letters and digits, words joined by -, of at most 32 characters\n"),
        (&["closed", "--kind", "victim"], "NAME: found \"closed\", expected a name that the file of the policy does not use for something else\n"),
        (&["static", "--kind", "victim"], "NAME: found \"static\", expected a name that is no word of Rust\n"),
        (&["other", "--kind", "colour"], "--kind: found \"colour\", expected victim, streams, wear, placement, priority or replacement\n"),
    ];
    for (words, line) in cases {
        let run = make(clone.path(), words).code(2).stdout("").stderr(contains(line));
        let told = String::from_utf8(run.get_output().stderr.clone()).unwrap();
        assert_eq!(told.lines().count(), 1, "{told}");
    }
    assert_eq!((read(clone.path(), TABLES), read(clone.path(), PAGE)), before);
    assert_eq!(names(&folder), files);
    let nowhere = tempfile::tempdir().unwrap();
    make(nowhere.path(), &["other", "--kind", "wear"])
        .code(2)
        .stderr(contains("expected a file of a clone of the repository; --dir names the clone\n"));
    assert!(names(nowhere.path()).is_empty());
}
