//! The fitted board as a file: what differs from the base, each value with where it comes from.

use std::fmt::Write;
use std::path::Path;

use board::Board;

use crate::error::FitError;
use crate::outcome::{no_board, Outcome, Verdict};

/// A leaf of the file.
struct Leaf {
    key: String,
    value: String,
    source: String,
    role: &'static str,
}

impl Outcome {
    /// The text of the board's file, which is to be written to `file`. It inherits from the base; what the measurements do not
    /// determine stands in it as a remark.
    ///
    /// # Errors
    /// When the text is no board: the base cannot be inherited from where the file will be.
    pub fn board_file(&self, file: &Path) -> Result<String, FitError> {
        let mut text = String::new();
        let files = self.files.join(", ");
        let write = &mut text;
        put(write, format_args!("# Fitted to what fio measured ({files}) by firmament board fit, precondition {}, seed {}.", self.precondition, self.seed));
        put(
            write,
            format_args!(
                "# Differences from what was measured: {:.1} %, those of {} {:.1} %.",
                100.0 * self.differences()[1],
                self.base,
                100.0 * self.differences()[0]
            ),
        );
        if self.is_off() {
            put(write, format_args!("# That is more than errors of measurement: what is fitted holds on this base only."));
        }
        for (key, remark) in self.keys.iter().filter_map(|own| Some((own, self.remark(own)?))) {
            put(write, format_args!("# {}: {remark}", key.keys.join(", ")));
        }
        put(write, format_args!("\ninherits = {}", quoted(&self.parent(file)?)));
        put(
            write,
            format_args!("description = {}", quoted(&format!("{} fitted to {files}", self.base))),
        );
        let mut leaves = self.leaves();
        leaves.sort_by_key(|leaf| section(&leaf.key).0.to_owned());
        let mut open = "";
        for Leaf { key, value, source, role } in &leaves {
            let (own, name) = section(key);
            if own != open {
                put(write, format_args!("\n[{own}]"));
                open = own;
            }
            let source = quoted(source);
            put(
                write,
                format_args!(
                    "{name} = {{ value = {value}, source = {source}, role = \"{role}\" }}"
                ),
            );
        }
        let place = file.to_string_lossy();
        Board::parse(&place, &text).map_err(no_board)?;
        Ok(text)
    }

    /// What the file says of a key that is not determined.
    fn remark(&self, key: &crate::FittedKey) -> Option<String> {
        match key.verdict {
            Verdict::Determined { .. } => None,
            Verdict::NotDetermined if key.kept => {
                Some(format!("not determined by these files, as {} has it", self.base))
            }
            Verdict::NotDetermined => Some("not determined by these files".to_owned()),
            Verdict::Together(group) => {
                let left =
                    if key.kept { format!(", as {} has it", self.base) } else { String::new() };
                Some(format!("determined only together with {}{left}", self.others(key, group)))
            }
        }
    }

    /// Values that were set by hand, and those that were fitted.
    fn leaves(&self) -> Vec<Leaf> {
        let moved = || self.keys.iter().filter(|key| !key.kept && key.values != key.base);
        let is_moved = |name: &String| moved().any(|key| key.keys.contains(name));
        let set = self.set.iter().filter(|(key, _)| !is_moved(key)).map(|(key, value)| Leaf {
            key: key.clone(),
            value: value.clone(),
            source: "set by hand for firmament board fit".to_owned(),
            role: "assumed",
        });
        let fitted = moved().flat_map(|key| {
            let source = self.source(key);
            key.keys.iter().zip(&key.values).map(move |(name, value)| Leaf {
                key: name.clone(),
                value: value.to_string(),
                source: source.clone(),
                role: "calibrated",
            })
        });
        set.chain(fitted).collect()
    }

    fn source(&self, key: &crate::FittedKey) -> String {
        let files = self.files.join(", ");
        let known = match key.verdict {
            Verdict::Determined { low, high } => format!("{low} to {high}"),
            Verdict::Together(group) => {
                let others = self.others(key, group);
                match &self.combinations[group].combination {
                    Some((text, [_, low, high])) => {
                        format!("with {others} as it stands: {text} is {low} to {high}")
                    }
                    None => format!("with {others} as it stands"),
                }
            }
            Verdict::NotDetermined => "not determined".to_owned(),
        };
        let by = if key.keys.len() > 1 { ", by one factor" } else { "" };
        format!("fitted to {files} by firmament board fit{by}: {known}")
    }

    /// The other keys of a group.
    pub(crate) fn others(&self, key: &crate::FittedKey, group: usize) -> String {
        let members = self.combinations[group].members.iter().map(|nth| &self.keys[*nth]);
        let names = members.filter(|own| own.keys != key.keys).map(|own| own.keys[0].clone());
        names.collect::<Vec<_>>().join(" and ")
    }

    /// What the file inherits from: a built-in board by its name, a file by its name if it is beside this one.
    fn parent(&self, file: &Path) -> Result<String, FitError> {
        if board::names().contains(&self.base.as_str()) {
            return Ok(self.base.clone());
        }
        let refuse =
            |error: std::io::Error| FitError::unexpected(&self.base, error, "a board file");
        let base = Path::new(&self.base).canonicalize().map_err(refuse)?;
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok();
        let beside = folder.is_some() && base.parent() == folder.as_deref();
        let path = if beside { base.file_name().map(Path::new).unwrap_or(&base) } else { &base };
        Ok(path.to_string_lossy().into_owned())
    }
}

fn section(key: &str) -> (&str, &str) {
    key.rsplit_once('.').unwrap_or(("", key))
}

fn put(text: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(text, "{line}").expect("a string takes all");
}

/// A text as a TOML string on one line.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            control if control.is_control() => put_escaped(&mut quoted, control),
            plain => quoted.push(plain),
        }
    }
    quoted + "\""
}

fn put_escaped(text: &mut String, control: char) {
    write!(text, "\\u{:04X}", control as u32).expect("a string takes all");
}
