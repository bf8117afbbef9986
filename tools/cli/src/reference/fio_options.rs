//! fio's options, and what becomes of them.

use host::job::{self, OptionGroup};

use crate::arguments::OptionState;

/// The table of the options of a state.
pub fn table(state: OptionState) -> String {
    match state {
        OptionState::Honoured => grouped("Subject", job::honoured()),
        OptionState::Ignored => grouped("Why they change nothing", job::ignored()),
        OptionState::Refused => refused(),
    }
}

fn grouped(heading: &str, groups: impl Iterator<Item = OptionGroup>) -> String {
    let mut text = format!("| {heading} | Options |\n|---|---|\n");
    for OptionGroup { about, names } in groups {
        let names: Vec<String> = names.iter().map(|name| named(name)).collect();
        text += &format!("| {about} | {} |\n", names.join(", "));
    }
    text
}

fn refused() -> String {
    let mut text = "| Option | Taken all the same, as it changes nothing |\n|---|---|\n".to_owned();
    for option in job::refused() {
        let taken: Vec<String> = option.taken.iter().map(|value| format!("`{value}`")).collect();
        text += &format!("| {} | {} |\n", named(option.name), taken.join(", "));
    }
    text
}

/// An option with its other names, and with the engines that have it if not all do.
fn named(name: &str) -> String {
    let mut said: Vec<String> =
        job::aliases_of(name).map(|alias| format!("or `{alias}`")).collect();
    if let Some(engines) = job::only_engines(name) {
        said.push(format!("with {}", engines.join(", ")));
    }
    match said.is_empty() {
        true => format!("`{name}`"),
        false => format!("`{name}` ({})", said.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_stands_in_one_table() {
        let all = [OptionState::Honoured, OptionState::Ignored, OptionState::Refused];
        let tables: Vec<String> = all.into_iter().map(table).collect();
        for name in ["rw", "iodepth", "write_bw_log", "thread", "buffer_pattern", "zonemode"] {
            let holds = tables.iter().filter(|table| table.contains(&format!("`{name}`"))).count();
            assert_eq!(holds, 1, "{name}");
        }
        assert!(tables[0].contains("`bs` (or `blocksize`)"), "{}", tables[0]);
        assert!(tables[0].contains("`readfua` (with sg)"), "{}", tables[0]);
        assert!(tables[0].contains("`zonemode`"), "{}", tables[0]);
        assert!(tables[2].contains("| `write_hint` | `none` |"), "{}", tables[2]);
    }
}
