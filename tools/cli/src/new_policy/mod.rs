//! The command `new policy`: a policy of one's own in a clone of the repository, which can be compiled at once.
//!
//! It begins as a copy of a policy that is there, with its tests: what is copied is what the repository compiles and
//! tests itself. Nothing is written unless all of it can be.

mod name;
mod shapes;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use foreign::input;

use self::name::Name;
use self::shapes::{Model, Shape};
use crate::arguments::NewPolicyArguments;
use crate::output::print;
use recipe::Failure;

/// The file with the rows of all policies.
const TABLES: &str = "drive/contract/src/policies.rs";
/// The page with the words of boards.
const PAGE: &str = "docs/spec/board-files.md";
/// The folder of studies of one's own.
const STUDIES: &str = "studies/own";
/// What stands behind the last row of a table.
const END_OF_ROWS: &str = "        }\n    };";
/// What stands behind the words of a policy's kind on the page.
const END_OF_WORDS: &str = " | P |";

const STUDY: &str = r#"title = "NAME"
paper = "Nobody yet: docs/extending.md"
boards = ["small"]

[[experiment]]
id = "policies"
title = "LABEL by KEY"
place = "docs/extending.md"
board = "small"
set = { SET }
precondition = "STATE"
job = { JOB }

[[experiment.axis]]
name = "policy"
set = "KEY"
values = ["USUAL", "MODEL", "NAME"]

[[experiment.figure]]
id = "policies"
title = "LABEL by KEY"
x = "policy"
y = { metric = "METRIC", label = "LABEL" }
"#;

/// A file and what will be in it.
type Page = (PathBuf, String);

/// Makes a policy.
///
/// # Errors
/// When the name cannot be used, or the folder is no clone that has no such policy.
pub fn make(arguments: &NewPolicyArguments) -> Result<(), Failure> {
    let shape = Shape::of(arguments.kind);
    let name = Name::read(&arguments.name)?;
    let (made, changed) = plan(&arguments.dir, (&shape, &name))?;
    for (path, text) in &made {
        let folder = path.parent().expect("a file stands in a folder");
        let failed = |error| Failure::file(path, &error, "a file that can be written");
        fs::create_dir_all(folder).map_err(failed)?;
        let file = fs::OpenOptions::new().write(true).create_new(true).open(path);
        file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(failed)?;
    }
    for (path, text) in &changed {
        fs::write(path, text)
            .map_err(|error| Failure::file(path, &error, "a file that can be written"))?;
    }
    print(|out| tell(out, (&shape, &name), (&made, &changed)))
}

/// The files that are made, and those that are changed.
fn plan(clone: &Path, (shape, name): (&Shape, &Name)) -> Result<(Vec<Page>, Vec<Page>), Failure> {
    let Shape { folder, model, .. } = shape;
    let place = |file: &str| clone.join(file);
    let tables = read(&place(TABLES))?;
    let page = read(&place(PAGE))?;
    let at = tables.find(&format!("macro_rules! {}", shape.table));
    let (Some(at), true) = (at, place(folder).is_dir()) else {
        let expected = format!("a clone of the repository, with {folder}");
        return Err(Failure::unexpected(clone.display(), "none", &expected));
    };
    let end = tables[at..].find(END_OF_ROWS).map_or(tables.len(), |end| at + end);
    let rows = &tables[at..end];
    let module = format!("{folder}/{}.rs", name.module);
    let is_there = place(&module).exists() || rows.contains(&format!("\"{}\"", name.word));
    if is_there || place(&format!("{folder}/{}_tests.rs", name.module)).exists() {
        let found = format!("a policy of this name in {folder}");
        return Err(Failure::unexpected(&name.word, found, "a new name"));
    }
    if name.is_used_in(model.policy) {
        let expected = "a name that the file of the policy does not use for something else";
        return Err(Failure::unexpected("NAME", format!("{:?}", name.word), expected));
    }
    let study = place(&format!("{STUDIES}/{}/study.toml", name.word));
    if study.exists() {
        let expected = "no study of this name";
        return Err(Failure::unexpected(study.display(), "a study", expected));
    }
    let made = vec![
        (place(&module), policy(model, name)),
        (place(&format!("{folder}/{}_tests.rs", name.module)), renamed(model.tests, (model, name))),
        (study, study_text(shape, name)),
    ];
    let Name { word, module, type_name } = name;
    let row = format!(
        "            {module}, {type_name}, \"{word}\", \"As {}, to begin with.\";\n",
        model.word
    );
    let mut tables = tables.clone();
    tables.insert_str(end, &row);
    let page = with_word(&page, shape, word).unwrap_or(page);
    Ok((made, vec![(place(TABLES), tables), (place(PAGE), page)]))
}

/// The page with one word more in the row of the kind's key; `None` if there is no such row.
fn with_word(page: &str, shape: &Shape, word: &str) -> Option<String> {
    let key = shape.key.rsplit('.').next()?;
    let row = page.find(&format!("\n| `{key}` |"))?;
    let at = row + page[row..].find(END_OF_WORDS)?;
    let mut page = page.to_owned();
    page.insert_str(at, &format!(", `{word}`"));
    Some(page)
}

/// The file of the policy: that of its model, with a head of its own.
fn policy(model: &Model, name: &Name) -> String {
    let is_head = |line: &&str| line.starts_with("//!");
    let code: Vec<&str> = model.policy.lines().skip_while(is_head).collect();
    let head = format!(
        "//! {}: so far what {} does. What it does, and where that was published, is told here.\n",
        name.type_name, model.word
    );
    head + &renamed(&(code.join("\n") + "\n"), (model, name))
}

/// A text about a model, about a new policy.
fn renamed(text: &str, (model, name): (&Model, &Name)) -> String {
    text.replace(model.type_name, &name.type_name)
        .replace(&format!("{}_tests", model.module), &format!("{}_tests", name.module))
}

fn study_text(shape: &Shape, name: &Name) -> String {
    let values = [
        ("LABEL", shape.load.label),
        ("METRIC", shape.load.metric),
        ("STATE", shape.load.precondition),
        ("SET", shape.load.set),
        ("JOB", shape.load.job),
        ("KEY", shape.key),
        ("USUAL", shape.usual),
        ("MODEL", shape.model.word),
        ("NAME", &name.word),
    ];
    values.iter().fold(STUDY.to_owned(), |text, (key, value)| text.replace(key, value))
}

fn read(path: &Path) -> Result<String, Failure> {
    let expected = "a file of a clone of the repository; --dir names the clone";
    input::text(path, input::OF_HAND).map_err(|error| Failure::file(path, &error, expected))
}

fn tell(
    out: &mut impl Write,
    (shape, name): (&Shape, &Name),
    (made, changed): (&[Page], &[Page]),
) -> io::Result<()> {
    for (path, _) in made {
        writeln!(out, "made     {}", path.display())?;
    }
    for (path, _) in changed {
        writeln!(out, "changed  {}", path.display())?;
    }
    let word = &name.word;
    writeln!(out, "\nIt does what {} does, until you change it. Then:", shape.model.word)?;
    writeln!(out, "  cargo test -p firmament-firmware {}", name.module)?;
    writeln!(out, "  make quick")?;
    writeln!(
        out,
        "  target/quick/firmament run small --set {}={word} --rw=randwrite --bs=16k",
        shape.key
    )?;
    writeln!(out, "  target/quick/firmament study {word} --studies {STUDIES}")
}
