//! Tables of the page.

use super::fidelity::PARAMETER_ROLES;
use super::tally::{errors, Verdicts};
use super::wording::{
    counted, error, evidence, measured, percent, published, role, status, tolerance,
};
use crate::outcome::{Parameter, Row, StudyOutcome};
use maud::{html, Markup};

/// Longest table that is not folded even though nothing in it is outside.
const UNFOLDED: usize = 30;

/// A table of rows, coloured by status, under its heading; nothing when there are none.
pub(super) fn row_table(thing: &str, rows: &[&Row]) -> Markup {
    if rows.is_empty() {
        return html! {};
    }
    let outside = Verdicts::of(rows.iter().copied()).outside;
    html! {
        details open[outside > 0 || rows.len() <= UNFOLDED] {
            summary {
                (counted(rows.len(), thing))
                @if outside > 0 { span.bad { (outside) " outside" } }
            }
            div.scroll {
                table {
                    thead {
                        tr {
                            th.word { (thing) }
                            th { "published" }
                            th { "measured" }
                            th.word { "unit" }
                            th { "error" }
                            th { "tolerance" }
                            th.word { "evidence" }
                            th.word { "role" }
                            th.word { "status" }
                        }
                    }
                    tbody { @for row in rows { (table_row(row)) } }
                }
            }
        }
    }
}

fn table_row(row: &Row) -> Markup {
    html! {
        tr class=(status(row.status)) {
            td.word.prose {
                (row.conditions)
                code { (row.id) }
                @if let Some(reason) = &row.reason { small { (reason) } }
            }
            td { (published(row)) }
            td { (measured(row)) }
            td.word { (row.unit) }
            td { (error(row)) }
            td { (tolerance(row)) }
            td.word { (evidence(row.evidence)) }
            td.word { (role(row.role)) }
            td.word.status { (status(row.status)) }
        }
    }
}

/// Errors of fitted and predicted values apart; nothing when there are none.
pub(super) fn error_table(study: &StudyOutcome) -> Markup {
    let errors = errors(study);
    if errors.is_empty() {
        return html! {};
    }
    html! {
        h4 { "Absolute errors of values" }
        div.scroll {
            table {
                thead {
                    tr {
                        th.word { "values" }
                        th.word { "evidence" }
                        th.word { "role" }
                        th { "number" }
                        th { "mean error" }
                        th { "largest error" }
                        th { "outside" }
                    }
                }
                tbody {
                    @for line in &errors {
                        tr {
                            td.word { (line.scope) }
                            td.word { (evidence(line.evidence)) }
                            td.word { (role(line.role)) }
                            td { (line.rows) }
                            td { (percent(line.mean_percent)) }
                            td { (percent(line.largest_percent)) }
                            td { (line.outside) }
                        }
                    }
                }
            }
        }
    }
}

/// The parameters by role, folded.
pub(super) fn parameter_tables(parameters: &[Parameter]) -> Markup {
    html! {
        @for (role, meaning) in PARAMETER_ROLES {
            @let of_role = parameters.iter().filter(|parameter| parameter.role == role).collect::<Vec<_>>();
            @if !of_role.is_empty() {
                details {
                    summary { (counted(of_role.len(), "parameter")) " " (role) }
                    p.note { (meaning) }
                    div.scroll {
                        table {
                            thead {
                                tr {
                                    th.word { "board" }
                                    th.word { "key" }
                                    th { "value" }
                                    th.word { "source" }
                                }
                            }
                            tbody { @for parameter in of_role { (parameter_row(parameter)) } }
                        }
                    }
                }
            }
        }
    }
}

fn parameter_row(parameter: &Parameter) -> Markup {
    html! {
        tr {
            td.word { (parameter.board) }
            td.word { code { (parameter.key) } }
            td { (parameter.value) }
            td.word.prose { (parameter.source) }
        }
    }
}
