//! The tutorial runs: each of its commands `tiny-drive` prints the lines that stand below it.

use std::fs;
use std::path::Path;
use std::process::Command;

const PAGE: &str = "docs/tutorials/a-firmware-of-your-own.md";
/// Stands where lines are left out.
const LEFT_OUT: &str = "[...]";

fn printed(root: &Path, line: &str) -> String {
    let arguments: Vec<&str> = line.split_whitespace().skip(1).collect();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tiny-drive"));
    let output = command.args(arguments).current_dir(root).output().expect("it runs");
    String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8")
}

#[test]
fn its_commands_print_what_it_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let page = fs::read_to_string(root.join(PAGE)).unwrap();
    let (mut said, mut compared) = (String::new(), 0);
    for block in page.split("\n```").filter(|block| block.contains('\n')) {
        let (kind, text) = block.split_once('\n').unwrap();
        match kind {
            "sh" => {
                for line in text.lines().filter(|line| line.starts_with("tiny-drive ")) {
                    said = printed(root, line);
                }
            }
            "text" => {
                let mut lines = said.lines().map(str::trim_end);
                for line in text.lines().filter(|&line| line != LEFT_OUT) {
                    assert!(lines.any(|found| found == line), "found no\n{line}\nin\n{said}");
                    compared += 1;
                }
            }
            _ => {}
        }
    }
    assert!(compared > 3, "{compared} lines were compared");
}
