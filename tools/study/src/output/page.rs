//! One HTML page over all studies, which needs nothing beside itself.

use super::page_tables::{error_table, parameter_tables, row_table};
use super::tally::{counts, errors, rows, score, statements, values, Count, Verdicts, ALL};
use super::wording::{count_name, percent, role};
use crate::outcome::{ExperimentOutcome, StudyOutcome};
use chart::{drawn, Ink, Page};
use maud::{html, Markup};

/// What is within its tolerance.
const WITHIN: Ink = Ink::new(0x1B7A4B, 0x62C5A0);
/// What is outside.
const OUTSIDE: Ink = Ink::new(0xB42318, 0xFF8A80);

/// The page over `studies`; `plots` are the SVGs of their figures and timelines, one after the other.
pub(super) fn page(studies: &[StudyOutcome], plots: &[String]) -> String {
    let mut plots = plots.iter();
    let verdicts = [("within", WITHIN), ("outside", OUTSIDE)];
    let inks =
        verdicts.map(|(name, ink)| (name.to_string(), ink)).into_iter().chain(timeline::inks());
    let body = html! {
        h1 { "Studies" }
        p.note { "What was published, and what Firmament measured." }
        (headline(studies))
        (contents(studies))
        @for study in studies { (section(study, &mut plots)) }
    };
    Page { title: "Studies", inks: inks.collect(), style: include_str!("study.css"), body }.html()
}

fn headline(studies: &[StudyOutcome]) -> Markup {
    let all = || studies.iter().flat_map(rows);
    let score = score(all());
    html! {
        dl.tiles {
            @if score.judged() > 0 {
                div { dt { "Published values within" } dd { (score.within) } }
                div.outside[score.outside > 0] {
                    dt { "Published values outside" }
                    dd { (score.outside) }
                }
            }
            @for study in studies {
                @for line in errors(study).iter().filter(|line| line.scope == ALL) {
                    div {
                        dt { (study.name) ", mean error of " (role(line.role)) " values" }
                        dd { (percent(line.mean_percent)) }
                    }
                    div {
                        dt { (study.name) ", largest error of " (role(line.role)) " values" }
                        dd { (percent(line.largest_percent)) }
                    }
                }
            }
        }
        (count_table(&counts(all())))
    }
}

/// The verdicts by kind of evidence; only published values make up the score.
fn count_table(counts: &[Count]) -> Markup {
    html! {
        table {
            thead {
                tr {
                    th.word { "evidence" }
                    th { "judged" }
                    th { "within" }
                    th { "outside" }
                    th { "reported" }
                }
            }
            tbody {
                @for count in counts {
                    tr {
                        td.word { (count_name(count)) }
                        td { (count.verdicts.judged()) }
                        td { (count.verdicts.within) }
                        td { (count.verdicts.outside) }
                        td { (count.verdicts.reported) }
                    }
                }
            }
        }
    }
}

/// Links to the experiments, with how many of their rows are outside.
fn contents(studies: &[StudyOutcome]) -> Markup {
    html! {
        @for study in studies {
            h4 { (study.title) }
            ul.contents {
                @for experiment in &study.experiments {
                    @let outside = Verdicts::of(&experiment.rows).outside;
                    li {
                        a href={ "#" (anchor(study, experiment)) } { (experiment.title) }
                        @if outside > 0 { span.bad { (outside) " outside" } }
                    }
                }
            }
        }
    }
}

fn anchor(study: &StudyOutcome, experiment: &ExperimentOutcome) -> String {
    format!("{}/{}", study.name, experiment.id)
}

fn section<'a>(study: &StudyOutcome, plots: &mut impl Iterator<Item = &'a String>) -> Markup {
    html! {
        section {
            h2 { (study.title) }
            p.note { (study.paper) }
            (error_table(study))
            @for experiment in &study.experiments {
                h3 id=(anchor(study, experiment)) { (experiment.title) }
                p.note { (experiment.place) " · " (experiment.id) }
                (row_table("claim", &statements(experiment).collect::<Vec<_>>()))
                @for (id, title) in pictures(experiment) {
                    div id={ (anchor(study, experiment)) "/" (id) } {
                        @for plot in plots.by_ref().take(1) { (drawn(plot, title)) }
                    }
                }
                (row_table("value", &values(experiment).collect::<Vec<_>>()))
            }
            (parameter_tables(&study.parameters))
        }
    }
}

/// Figures and then timelines, each with its title.
fn pictures(experiment: &ExperimentOutcome) -> impl Iterator<Item = (&str, &str)> {
    let figures = experiment.figures.iter().map(|figure| (&*figure.id, &*figure.title));
    figures.chain(experiment.timelines.iter().map(|timeline| (&*timeline.id, &*timeline.title)))
}
