//! What was run: the last section of the page.

use crate::provenance::{FunctionOrigin, JobSource, Override, Provenance, TraceOrigin};
use maud::{html, Markup};

/// The section.
pub(crate) fn what_was_run(run: &Provenance) -> Markup {
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
    let again = match run.jobs {
        JobSource::Guest => {
            html! { "A guest's commands are not in a report, so that it cannot be run again." }
        }
        JobSource::Program { .. } => {
            html! { "The program may know more than its text: it is run again in Python." }
        }
        _ if run.victim.is_some() => {
            html! { "The function that chose victims may know more than its text: it is run again in Python." }
        }
        _ => html! { code { "firmament rerun REPORT.json" } " does it again and compares." },
    };
    html! {
        h2 { "What was run" } "\n"
        p.note { "All that decides this report, but for its speed figures. " (again) } "\n"
        div.scroll {
            table.counts {
                tbody { @for (name, value) in facts { tr { td { (name) } td.long { (value) } } } }
            }
        }
        "\n"
        (changes(&run.board.overrides))
        (jobs(&run.jobs))
        @if let Some(FunctionOrigin { name, text }) = &run.victim {
            details open { summary { "Victims of collection by " (name) } pre { (text) } } "\n"
        }
        details { summary { "Board, resolved" } pre { (run.board.toml) } } "\n"
    }
}

/// What was changed against the board.
fn changes(overrides: &[Override]) -> Markup {
    if overrides.is_empty() {
        return html! { p { "Nothing was changed against the board." } "\n" };
    }
    html! {
        h3 { "Changed against the board" } "\n"
        div.scroll {
            table {
                thead { tr { th { "Key" } th { "This run" } th { "Board" } } }
                tbody {
                    @for change in overrides {
                        tr {
                            td { (change.key) }
                            td { (change.value) }
                            td { (change.before.as_deref().unwrap_or("–")) }
                        }
                    }
                }
            }
        }
        "\n"
    }
}

fn jobs(source: &JobSource) -> Markup {
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
        JobSource::Guest => return html! {},
    };
    html! { details open { summary { (name) } pre { (text) } } "\n" }
}
