//! One HTML page over all studies, which needs nothing beside itself.

use super::ink::style_sheet;
use super::page_tables::{error_table, parameter_tables, row_table};
use super::tally::{counts, errors, rows, score, statements, values, Count, Verdicts, ALL};
use super::wording::{count_name, percent, role};
use crate::outcome::{ExperimentOutcome, StudyOutcome};
use maud::{html, Markup, PreEscaped, DOCTYPE};

/// The page over `studies`; `plots` are the SVGs of their figures and timelines, one after the other.
pub(super) fn page(studies: &[StudyOutcome], plots: &[String]) -> String {
    let mut plots = plots.iter();
    let style = style_sheet() + include_str!("page.css");
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Studies" }
                style { (PreEscaped(style)) }
            }
            body {
                main {
                    h1 { "Studies" }
                    p.note { "What was published, and what Firmament measured." }
                    (headline(studies))
                    (contents(studies))
                    @for study in studies { (section(study, &mut plots)) }
                }
            }
        }
    };
    page.into_string() + "\n"
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
                    figure.plot role="img" aria-label=(title) id={ (anchor(study, experiment)) "/" (id) } {
                        @for plot in plots.by_ref().take(1) { (PreEscaped(inline(plot))) }
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

/// A plot as part of a page of HTML, where no name space is declared.
fn inline(svg: &str) -> String {
    svg.replacen(" xmlns=\"http://www.w3.org/2000/svg\"", "", 1)
}
