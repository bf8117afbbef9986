//! Tables of the page.

use super::fidelity::PARAMETER_ROLES;
use super::tally::errors;
use super::wording::{counted, error, measured, percent, published, role, status, tolerance};
use crate::outcome::{Parameter, Row, StudyOutcome};
use maud::{html, Markup};

/// A table of rows, coloured by status, under a heading; nothing when there are none.
pub(super) fn row_table<'a>(
    heading: &str,
    conditions: &str,
    rows: impl Iterator<Item = &'a Row>,
) -> Markup {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return html! {};
    }
    html! {
        h4 { (heading) }
        div.scroll {
            table {
                thead {
                    tr {
                        th.word { "id" }
                        th.word { (conditions) }
                        th { "published" }
                        th { "measured" }
                        th.word { "unit" }
                        th { "error" }
                        th { "tolerance" }
                        th.word { "role" }
                        th.word { "status" }
                    }
                }
                tbody { @for row in rows { (table_row(row)) } }
            }
        }
    }
}

fn table_row(row: &Row) -> Markup {
    html! {
        tr class=(status(row.status)) {
            td.word.id { (row.id) }
            td.word.prose {
                (row.conditions)
                @if let Some(reason) = &row.reason { small { (reason) } }
            }
            td { (published(row)) }
            td { (measured(row)) }
            td.word { (row.unit) }
            td { (error(row)) }
            td { (tolerance(row)) }
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
                        th.word { "experiment" }
                        th.word { "role" }
                        th { "values" }
                        th { "mean error" }
                        th { "largest error" }
                        th { "outside" }
                    }
                }
                tbody {
                    @for line in &errors {
                        tr {
                            td.word { (line.scope) }
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
            td.word.id { (parameter.key) }
            td { (parameter.value) }
            td.word.prose { (parameter.source) }
        }
    }
}
