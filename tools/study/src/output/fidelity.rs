//! `docs/fidelity.md`: what was published, what came out, and why it differs.

use super::exhibits::exhibits;
use super::fidelity_claims::claims_text;
use super::fidelity_differences::differences_text;
use super::fidelity_glance::at_a_glance;
use super::fidelity_values::values_text;
use super::markdown::{code, escaped, paragraph, Side, Table};
use super::tally::{counts, errors, rows, values, Count};
use super::wording::{count_name, counted, evidence, percent, role};
use crate::outcome::{Parameter, StudyOutcome};

/// Roles of parameters, in the order in which they are listed, and what they mean.
pub(super) const PARAMETER_ROLES: [(&str, &str); 5] = [
    ("given", "stated by this paper, or by the public source of its drive"),
    ("borrowed", "stated by another paper, or fitted to it"),
    ("measured", "on hardware of our own"),
    ("calibrated", "fitted to published values of this paper"),
    ("assumed", "chosen, for the reason that stands beside it"),
];

const TITLE: &str = "# Fidelity\n\n";

const HEAD: &str = "\
This page is written by `firmament study all`; do not edit it. It sets what was published beside
what Firmament measured. *Reproduced* is what lies within its tolerance. *Partly* is what lies
outside, but within twice its tolerance; for a bound, what misses it by less than 10 %. All else
*differs*. What has no tolerance is *reported*. An error is the measured value over the published
one, less one; for a bound, by how much it is missed; for a range, how far the measured value lies
from its nearer end. Where a value can be told in two ways, as a share that is lost and as what is
kept of 100, or as a ratio and as the gain beyond 1, both stand there, the second one in brackets,
and the error is the larger one of both. A value behind ± is half of the interval that holds the
mean of 95 % of such runs: each run is done with several seeds, until that is below a fifth of the
tolerance, five seeds at most. A claim that was made at several points and
reproduced at all of them has one line; the terminal and `result.csv` have a line for each.

Rows are counted by the evidence that they are. The score is made of *published* values: numbers
that the paper gives and that do not follow from one another. An *ordering* says which of two is
larger, a *bound* sets a limit. What is *derived* follows by arithmetic from published values. A
*goal* is an aim of this project. *Fitted* values were used to calibrate the model, *predicted* ones
were not. A parameter is *given* by the paper of the study, or *borrowed* from another paper. Where
values of a paper contradict each other, [contradictions](contradictions.md) has the arithmetic.

Each study begins with the figures and tables of its paper, from front to back, and what is done
about each. What is *compared*, the study sets beside what is measured here: experiments, columns,
claims and pictures of the study that do so are named, and the verdicts on them stand below. What
is *compared in part* has beside it what is missing. What is *compared elsewhere*, no study
compares, but the file that is named. What is *given* has its numbers among the parameters of a
board. What is *described* measures nothing, and shows how something is built: the file that is
named is what is built here in its place, or describes it. What is *not done* has the reason beside
it.

";

/// The page `docs/fidelity.md` over `studies`, as Markdown. The same outcome gives the same bytes.
pub fn fidelity(studies: &[StudyOutcome]) -> String {
    let mut text = TITLE.to_string();
    text += &at_a_glance(studies);
    text += HEAD;
    text += &overview(studies);
    for study in studies {
        text += &study_text(study);
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}

fn overview(studies: &[StudyOutcome]) -> String {
    let mut table = Table::new(&[
        ("study", Side::Left),
        ("evidence", Side::Left),
        ("judged", Side::Right),
        ("within", Side::Right),
        ("outside", Side::Right),
        ("reported", Side::Right),
    ]);
    let counted = |study| counts(rows(study)).into_iter().map(move |count: Count| (study, count));
    for (study, count) in studies.iter().flat_map(counted) {
        let verdicts = count.verdicts;
        table.row([
            escaped(&study.title),
            count_name(&count),
            verdicts.judged().to_string(),
            verdicts.within.to_string(),
            verdicts.outside.to_string(),
            verdicts.reported.to_string(),
        ]);
    }
    table.finished()
}

fn study_text(study: &StudyOutcome) -> String {
    let mut text = format!("## {}\n\n", escaped(&study.title));
    text += &paragraph(&escaped(&study.paper));
    text += &paragraph(&format!("`firmament study {}` runs this study alone.", study.name));
    text += &exhibits(&study.exhibits);
    text += &claims_text(study);
    text += &errors_text(study);
    text += &differences_text(study);
    for experiment in study.experiments.iter().filter(|one| values(one).next().is_some()) {
        text += &format!("### {}\n\n", escaped(&experiment.title));
        text += &paragraph(&format!("{}; {}.", escaped(&experiment.place), code(&experiment.id)));
        text += &values_text(experiment);
    }
    text + &parameters_text(&study.parameters)
}

fn errors_text(study: &StudyOutcome) -> String {
    let errors = errors(study);
    if errors.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&[
        ("values", Side::Left),
        ("evidence", Side::Left),
        ("role", Side::Left),
        ("number", Side::Right),
        ("mean error", Side::Right),
        ("largest error", Side::Right),
        ("outside", Side::Right),
    ]);
    for line in errors {
        table.row([
            escaped(&line.scope),
            evidence(line.evidence).to_string(),
            role(line.role).to_string(),
            line.rows.to_string(),
            percent(line.mean_percent),
            percent(line.largest_percent),
            line.outside.to_string(),
        ]);
    }
    format!("### Absolute errors of values\n\n{}", table.finished())
}

fn parameters_text(parameters: &[Parameter]) -> String {
    let mut text = String::new();
    for (role, meaning) in PARAMETER_ROLES {
        let mut of_role = parameters.iter().filter(|parameter| parameter.role == role).peekable();
        if of_role.peek().is_none() {
            continue;
        }
        let mut table = Table::new(&[
            ("board", Side::Left),
            ("key", Side::Left),
            ("value", Side::Right),
            ("source", Side::Left),
        ]);
        let mut amount = 0;
        for parameter in of_role {
            table.row([
                escaped(&parameter.board),
                code(&parameter.key),
                escaped(&parameter.value),
                escaped(&parameter.source),
            ]);
            amount += 1;
        }
        text += &format!("### {} {role}\n\n", counted(amount, "parameter"));
        text += &paragraph(&format!("{}{}.", meaning[..1].to_uppercase(), &meaning[1..]));
        text += &table.finished();
    }
    text
}
