//! What was run: the last section of the page.

use crate::provenance::{JobSource, Override, Provenance, TraceOrigin};
use crate::template::escaped;

/// The section.
pub(crate) fn what_was_run(run: &Provenance) -> String {
    let facts = [
        ("Version", run.version.clone()),
        ("Commit", run.commit.clone()),
        ("Board", run.board.name.clone()),
        ("Values (SHA-256)", run.board.sha256.clone()),
        ("Seed", run.seed.to_string()),
        ("Precondition", run.precondition.clone()),
        ("Payload", run.payload.clone()),
        ("Polling", run.polling.clone()),
    ];
    let fact = |(name, value): &(&str, String)| {
        format!("<tr><td>{name}</td><td class=\"long\">{}</td></tr>", escaped(value))
    };
    let facts: String = facts.iter().map(fact).collect();
    let again = match run.jobs {
        JobSource::Guest => {
            "A guest's commands are not in a report, so that it cannot be run again."
        }
        JobSource::Program { .. } => {
            "The program may know more than its text: it is run again in Python."
        }
        _ => "<code>firmament rerun REPORT.json</code> does it again and compares.",
    };
    format!(
        "<h2>What was run</h2>\n<p class=\"note\">All that decides this report, but for its speed \
         figures. {again}</p>\n<div class=\"scroll\"><table class=\"counts\"><tbody>{facts}</tbody></table></div>\n\
         {}{}<details><summary>Board, resolved</summary><pre>{}</pre></details>\n",
        changes(&run.board.overrides),
        jobs(&run.jobs),
        escaped(&run.board.toml)
    )
}

/// What was changed against the board.
fn changes(overrides: &[Override]) -> String {
    if overrides.is_empty() {
        return "<p>Nothing was changed against the board.</p>\n".to_string();
    }
    let row = |change: &Override| {
        let before = change.before.as_deref().unwrap_or("–");
        format!(
            "<tr><td>{}</td><td>{}</td><td>{}</td></tr>",
            escaped(&change.key),
            escaped(&change.value),
            escaped(before)
        )
    };
    let rows: String = overrides.iter().map(row).collect();
    format!(
        "<h3>Changed against the board</h3>\n<div class=\"scroll\"><table><thead><tr><th>Key</th>\
         <th>This run</th><th>Board</th></tr></thead><tbody>{rows}</tbody></table></div>\n"
    )
}

fn jobs(source: &JobSource) -> String {
    let (name, text) = match source {
        JobSource::File { name, text } => (format!("Job file {name}"), text.clone()),
        JobSource::Options(options) => {
            let option = |(key, value): &(String, String)| match value.as_str() {
                "" => format!("--{key}\n"),
                value => format!("--{key}={value}\n"),
            };
            let options: String = options.iter().map(option).collect();
            ("Options in place of a job file".to_string(), options)
        }
        JobSource::Traces { files, options } => {
            let file = |file: &TraceOrigin| {
                let TraceOrigin { name, sha256, format, requests, unreadable } = file;
                format!(
                    "{name}, {format}\n  {requests} requests, {unreadable} unreadable, sha256 {sha256}\n"
                )
            };
            let option = |(key, value): &(String, String)| match value.as_str() {
                "" => format!("--{key}\n"),
                value => format!("--{key}={value}\n"),
            };
            let text = files.iter().map(file).chain(options.iter().map(option)).collect();
            ("Traces".to_string(), text)
        }
        JobSource::Program { name, text, options } => {
            let option = |(key, value): &(String, String)| format!("# {key}={value}\n");
            let options: String = options.iter().map(option).collect();
            (format!("Program {name}"), options + text)
        }
        JobSource::Guest => return String::new(),
    };
    format!(
        "<details open><summary>{}</summary><pre>{}</pre></details>\n",
        escaped(&name),
        escaped(&text)
    )
}
