//! The page of a sweep: pictures of its figures over what its points differ in, and a table. It is made of the rows alone, so it
//! is the same bytes whenever it is written again.

use std::io::{self, Write};

use chart::number::significant;
use chart::Page;
use maud::{html, Markup};

use crate::definition::Sweep;
use crate::figures::FIGURES;
use crate::journal::Journal;
use crate::page_pictures::{heat_maps, over_one, parallel};
use crate::setups::{Aims, Setup};
use crate::shown::{told, Shown, MOST_SETUPS};

/// Writes the page of the rows that there are. Without aims it shows the usual ones that points differ in.
///
/// # Errors
/// The errors of `out`.
pub fn write_page(
    sweep: &Sweep,
    journal: &Journal,
    aims: Option<&Aims>,
    out: &mut impl Write,
) -> io::Result<()> {
    let rows = journal.with_points(sweep);
    let setups = Setup::of(&rows);
    let shown = Shown::new(sweep.keys(), &setups, aims);
    let seeds = sweep.points() / (sweep.point(sweep.points() - 1).setup + 1);
    let count = |number: u64, one: &str| match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {one}s"),
    };
    let failed = rows.iter().filter(|(_, row)| row.error.is_some()).count();
    let facts = [
        Some(count(setups.len() as u64, "setup")),
        Some(count(seeds, "seed")),
        ((rows.len() as u64) < sweep.points())
            .then(|| format!("{} of {} points", rows.len(), sweep.points())),
        (failed > 0).then(|| format!("{} without figures", count(failed as u64, "point"))),
    ];
    let body = html! {
        h1 { "Sweep: " (sweep.name()) }
        p.facts { @for fact in facts.iter().flatten() { span { (fact) } } }
        (intervals_note(seeds))
        (pictures(&shown)?)
        (table(&shown))
        details { summary { "The sweep's file" } pre { (sweep.text()) } }
    };
    let title = format!("Sweep: {}", sweep.name());
    let page = Page { title: &title, inks: Vec::new(), style: "", body };
    out.write_all(page.html().as_bytes())
}

fn intervals_note(seeds: u64) -> Markup {
    html! {
        @if seeds > 1 {
            p.note { "Figures are means over seeds; ± is half of the interval that holds the mean 95 times in 100." }
        } @else {
            p.note { "Each setup ran with one seed, so that chance is not told from effect: " code { "seeds = 5" } " adds intervals." }
        }
    }
}

/// What suits the number of keys: lines or bars over one, heat maps over two, parallel axes over more and over several aims.
fn pictures(shown: &Shown<'_>) -> io::Result<Markup> {
    if shown.figures.is_empty() {
        return Ok(html! { p.note { "No figure differs from setup to setup." } });
    }
    let by_keys = match *shown.varied {
        [] => html! {},
        [key] => over_one(shown, key)?,
        [rows, columns] => heat_maps(shown, [rows, columns]),
        _ => html! {},
    };
    let many = shown.varied.len() > 2 || shown.aims.len() > 1;
    Ok(html! {
        (by_keys)
        @if many && shown.setups.len() > 1 { (parallel(shown)?) }
    })
}

fn table(shown: &Shown<'_>) -> Markup {
    let has_front = shown.front.contains(&true);
    let constant: Vec<String> = (0..FIGURES.len())
        .filter(|nth| !shown.figures.contains(nth))
        .filter_map(|nth| {
            let mean = shown.setups.iter().find_map(|setup| setup.mean(nth))?;
            Some(format!("{} {}", FIGURES[nth], significant(mean, 5)))
        })
        .collect();
    html! {
        h2 { "All setups" }
        @if !constant.is_empty() { p.note { "The same at all setups: " (constant.join(", ")) "." } }
        @if shown.setups.len() > MOST_SETUPS {
            p.note { "The first " (MOST_SETUPS) " of " (shown.setups.len()) " setups; all are in summary.csv and results.csv." }
        }
        div.scroll { table.setups {
            thead { tr {
                th { "Setup" }
                @if has_front { th.word { "Pareto" } }
                @for key in &shown.varied { th.word { (shown.keys[*key]) } }
                @for figure in &shown.figures { th { (FIGURES[*figure]) } }
            } }
            tbody { @for nth in 0..shown.setups.len().min(MOST_SETUPS) { (row(shown, nth, has_front)) "\n" } }
        } }
    }
}

fn row(shown: &Shown<'_>, nth: usize, has_front: bool) -> Markup {
    let setup = &shown.setups[nth];
    html! {
        tr {
            td { (nth) }
            @if has_front { td.word { @if shown.front[nth] { span title="no other setup beats it in all aims" { "★" } } } }
            @for key in &shown.varied { td.word { (shown.value(nth, *key)) } }
            @match &setup.error {
                Some(error) if shown.figures.iter().all(|figure| setup.figures[*figure].is_none()) => {
                    td.word.long colspan=(shown.figures.len()) { (error) }
                }
                _ => @for figure in &shown.figures { td { (told(setup.figures[*figure])) } },
            }
        }
    }
}

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;
