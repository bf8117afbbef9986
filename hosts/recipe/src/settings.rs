//! What decides runs, held against each other.

use board::Board;
use foreign::one_line;
use report::{FunctionOrigin, JobSource, Provenance, RunResult, Setting, TraceOrigin};

/// What was not the same in all runs.
pub fn settings(runs: &[RunResult]) -> Vec<Setting> {
    let each: Vec<_> = runs.iter().map(|run| decisive(run.provenance.as_ref())).collect();
    let mut names: Vec<&String> = Vec::new();
    for (name, _) in each.iter().flatten() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let setting = |name: &String| {
        let value = |of: &Vec<(String, String)>| {
            let found = of.iter().find(|(known, _)| known == name);
            found.map_or_else(|| "–".to_owned(), |(_, value)| value.clone())
        };
        Setting { name: name.clone(), values: each.iter().map(value).collect() }
    };
    let differs = |setting: &Setting| setting.values.iter().any(|v| *v != setting.values[0]);
    names.into_iter().map(setting).filter(differs).collect()
}

/// All that decides a run, by name.
fn decisive(provenance: Option<&Provenance>) -> Vec<(String, String)> {
    let Some(run) = provenance else { return Vec::new() };
    let jobs = match &run.jobs {
        JobSource::File { text, .. } => text.trim().replace('\n', " ⏎ "),
        JobSource::Options(options) => {
            let option = |(key, value): &(String, String)| format!("--{key}={value}");
            options.iter().map(option).collect::<Vec<_>>().join(" ")
        }
        JobSource::Traces { files, options } => {
            let file = |file: &TraceOrigin| format!("{} ({})", file.name, file.sha256);
            let option = |(key, value): &(String, String)| format!("--{key}={value}");
            let words = files.iter().map(file).chain(options.iter().map(option));
            words.collect::<Vec<_>>().join(" ")
        }
        JobSource::Program { name, text, options } => {
            let option = |(key, value): &(String, String)| format!("{key}={value}");
            let options: Vec<String> = options.iter().map(option).collect();
            format!("{name}, {}: {}", options.join(", "), text.trim().replace('\n', " ⏎ "))
        }
        JobSource::Guest => "a guest".to_owned(),
    };
    let mut all = vec![
        ("version", run.version.clone()),
        ("commit", run.commit.clone()),
        ("board", run.board.name.clone()),
        ("jobs", jobs),
        ("seed", run.seed.to_string()),
        ("precondition", run.precondition.clone()),
        ("payload", run.payload.clone()),
        ("polling", run.polling.clone()),
    ];
    if let Some(FunctionOrigin { name, text }) = &run.victim {
        all.push(("victim", format!("{name}: {}", text.trim().replace('\n', " ⏎ "))));
    }
    let board = Board::parse(&format!("{}.toml", run.board.name), &run.board.toml);
    if let Ok(board) = &board {
        all.extend(board.values().map(|(key, value)| (key, value.to_owned())));
    }
    all.into_iter().map(|(name, value)| (name.to_owned(), one_line(&value))).collect()
}
