//! What stands in the page of a sweep, by the number of keys.

use runs::confidence::{Interval, Level};

use super::*;

/// Keys with their values, and reads a second and their 99th percentile with two seeds.
type Made<'a> = (&'a [&'a str], [f64; 2], [f64; 2]);

fn setups(made: &[Made<'_>]) -> Vec<Setup> {
    let setup = |(values, iops, p99): &Made<'_>| {
        let mut figures = vec![None; FIGURES.len()];
        let place = |name: &str| FIGURES.iter().position(|own| *own == name).unwrap();
        figures[place("read_iops")] = Interval::of(iops, Level::USUAL);
        figures[place("read_p99_us")] = Interval::of(p99, Level::USUAL);
        figures[place("erases")] = Interval::of(&[7.0, 7.0], Level::USUAL);
        let values = values.iter().map(|value| Some(value.to_string())).collect();
        Setup { values, figures, error: None }
    };
    made.iter().map(setup).collect()
}

fn drawn(keys: &[&str], setups: &[Setup]) -> String {
    let keys: Vec<String> = keys.iter().map(|key| key.to_string()).collect();
    let shown = Shown::new(&keys, setups, None);
    html! { (pictures(&shown).unwrap()) (table(&shown)) }.into_string()
}

#[test]
fn one_key_of_numbers_has_lines_with_intervals_and_one_of_names_has_bars() {
    let made = |values: [&'static str; 3]| {
        [[10.0, 12.0], [20.0, 21.0], [15.0, 15.0]]
            .into_iter()
            .zip(values)
            .map(|(iops, value)| (vec![value], iops))
            .collect::<Vec<_>>()
    };
    let page = |values| {
        let made = made(values);
        let all: Vec<Made<'_>> =
            made.iter().map(|(values, iops)| (&**values, *iops, [5.0, 5.0])).collect();
        drawn(&["ftl.x"], &setups(&all))
    };
    let lines = page(["4k", "8k", "64k"]);
    let bars = page(["greedy", "fifo", "cost-benefit"]);
    // One figure differs, and so has a picture; the paper of a picture is a rectangle, too.
    for page in [&lines, &bars] {
        assert_eq!(page.matches("<figure").count(), 1);
        assert!(page.contains("The same at all setups: read_p99_us 5, erases 7."), "{page}");
        assert!(page.contains("11 ± 13") && page.contains("Figures over ftl.x"), "{page}");
    }
    assert_eq!((lines.matches("<circle").count(), lines.matches("<rect").count()), (3, 1));
    assert_eq!((bars.matches("<circle").count(), bars.matches("<rect").count()), (0, 4));
    assert!(lines.contains("65536") && bars.contains("cost-benefit"));
}

#[test]
fn two_keys_have_a_heat_map_of_each_aim_with_a_shade_for_each_cell() {
    let made: [Made<'_>; 3] = [
        (&["1", "a"], [10.0, 10.0], [1.0, 1.0]),
        (&["1", "b"], [20.0, 20.0], [2.0, 2.0]),
        (&["2", "a"], [30.0, 30.0], [9.0, 9.0]),
    ];
    let page = drawn(&["iodepth", "<key>"], &setups(&made));
    assert_eq!(page.matches("<table class=\"heat\"").count(), 2);
    for cell in [
        "class=\"swatch-heat-0\">10 ± 0<",
        "class=\"swatch-heat-30\">20 ± 0<",
        "class=\"swatch-heat-60 deep\">30 ± 0<",
    ] {
        assert_eq!(page.matches(cell).count(), 1, "{cell}");
    }
    // What did not run has no shade.
    assert!(page.contains("<td>–</td>") && !page.contains("<key>"), "{page}");
    // Both aims differ, so there are parallel axes, and the second setup with 20 is not beaten either.
    assert!(page.contains("Aims beside each other"));
    assert_eq!(page.matches("★").count(), 3);
}

#[test]
fn more_keys_have_parallel_axes_and_a_setup_that_is_beaten_has_no_star() {
    let made: [Made<'_>; 3] = [
        (&["1", "a", "x"], [10.0, 10.0], [1.0, 1.0]),
        (&["2", "b", "x"], [20.0, 20.0], [2.0, 2.0]),
        (&["2", "a", "y"], [15.0, 15.0], [9.0, 9.0]),
    ];
    let page = drawn(&["iodepth", "ftl.victim", "ftl.cache"], &setups(&made));
    assert!(!page.contains("table class=\"heat\""));
    assert_eq!((page.matches("<figure").count(), page.matches("★").count()), (1, 2));
    for name in ["iodepth", "ftl.victim", "ftl.cache", "read_iops", "read_p99_us"] {
        assert!(page.contains(&format!("\n{name}\n")), "{name}");
    }
}

#[test]
fn a_setup_without_figures_tells_its_error() {
    let mut all = setups(&[(&["1"], [1.0, 2.0], [1.0, 1.0]), (&["2"], [4.0, 5.0], [2.0, 2.0])]);
    all[1].figures.fill(None);
    all[1].error = Some("found <nothing>".to_owned());
    let page = drawn(&["iodepth"], &all);
    assert!(page.contains("No figure differs"), "{page}");
    all.push(setups(&[(&["3"], [9.0, 9.0], [9.0, 9.0])]).remove(0));
    assert!(drawn(&["iodepth"], &all).contains("found &lt;nothing&gt;"));
}
