//! The list of a paper's figures and tables: what it may say, and that those of the repository's
//! papers are whole.

use std::collections::BTreeSet;
use std::path::Path;

use study::outcome::Treatment;
use study::{Plan, Study};

use crate::folder::Folder;

/// What each paper has, as it numbers it; the slides of OCOWFC are counted.
const PAPERS: [(&str, &[(&str, u32)]); 5] = [
    ("bluessd", &[("Figure", 4)]),
    ("cosmos-plus", &[("Algorithm", 1), ("Figure", 38), ("Table", 8)]),
    ("ocowfc", &[("Item", 22)]),
    ("openexpress", &[("Figure", 5)]),
    ("ozone", &[("Figure", 15), ("Table", 2)]),
];

/// Studies of no paper, or of what a paper says in words, which have nothing to list.
const OTHERS: [&str; 3] = ["data-sheets", "fdp", "zns"];

const STUDY: &str = include_str!("tiny/study.toml");
const LAST: &str = "{ Figure = 2, Table = 1 }";
const LIST: &str = "\
# A paper that nobody wrote.
kind,number,shows,done,by,files,note
Figure,2,waiting,compared,depth,,
Table,1,times,given,,boards/small.toml,
Figure,1,where data lie,compared in part,channel_first_is_even throughput,,\"no ways, no planes\"
";

/// The study `tiny` with such a list.
fn listing(last: &str, list: &str) -> Folder {
    let folder = Folder::tiny();
    let key = format!("{STUDY}\n[exhibits]\nfile = \"list.csv\"\nlast = {last}\n");
    folder.write("study.toml", &key);
    folder.write("list.csv", list);
    folder
}

#[test]
fn the_list_goes_from_the_file_to_the_outcome_in_its_order() {
    let study = listing(LAST, LIST).load().unwrap();
    let numbers: Vec<_> =
        study.exhibits().iter().map(|one| (one.kind.as_str(), one.number)).collect();
    assert_eq!(numbers, [("Figure", 2), ("Table", 1), ("Figure", 1)]);
    let [two, times, one] = study.exhibits() else { panic!("{:?}", study.exhibits()) };
    assert_eq!((two.treatment, two.by.len()), (Treatment::Compared, 1));
    assert_eq!((times.treatment, times.files.len()), (Treatment::Given, 1));
    assert_eq!(one.treatment, Treatment::ComparedInPart);
    assert_eq!(one.by, ["channel_first_is_even", "throughput"]);
    assert_eq!((one.shows.as_str(), one.note.as_str()), ("where data lie", "no ways, no planes"));
    let quick = study.quick();
    let outcome = Plan::new(&quick).unwrap().run(1, &mut |_| ()).unwrap();
    assert_eq!(outcome.exhibits, study.exhibits());
    assert_eq!(Folder::tiny().load().unwrap().exhibits(), [], "a study need not list any");
}

#[test]
fn a_list_with_a_fault_is_one_line() {
    for (from, to, line) in [
        ("Figure,2,", "Figur,2,", "line 3: kind: found \"Figur\", expected one of Figure, Table"),
        (
            "Figure,2,",
            "Figure,3,",
            "line 3: number: found \"3\", expected a whole number from 1 to 2",
        ),
        (
            "Figure,2,",
            "Figure,0,",
            "line 3: number: found \"0\", expected a whole number from 1 to 2",
        ),
        ("Figure,2,", "Figure,1,", "line 5: number: found Figure 1 twice, expected it once"),
        (
            "Table,1,times,given,,boards/small.toml,\n",
            "",
            "kind, number: found no Table 1, expected a row for each Table from 1 to 1",
        ),
        (
            "Figure,2,waiting,compared,depth,,\n",
            "",
            "kind, number: found no Figure 2, expected a row for each Figure from 1 to 2",
        ),
        ("waiting", "", "line 3: shows: found nothing, expected what it shows"),
        (
            "compared,depth",
            "reproduced,depth",
            "line 3: done: found \"reproduced\", expected one of compared, compared in part",
        ),
        (
            "compared,depth",
            "compared,",
            "line 3: by: found nothing, expected what of the study compares it: it is compared",
        ),
        ("compared,depth", "compared,deep", "line 3: by: found \"deep\", expected an experiment"),
        ("compared,depth", "compared,dept", "line 3: by: found \"dept\", expected an experiment"),
        (
            "compared,depth",
            "compared,depth/latency_p99_us",
            "line 3: by: found \"depth/latency_p99_us\"",
        ),
        (
            "compared,depth",
            "compared,depth deep",
            "line 3: by: found \"deep\", expected an experiment",
        ),
        (
            "compared,depth",
            "compared,throughput",
            "line 3: by: found pictures alone (throughput), expected a value",
        ),
        (
            "given,,boards/small.toml",
            "given,,",
            "line 4: files: found nothing, expected a file of the repository: it is given",
        ),
        ("given,,boards/small.toml", "described,,", "line 4: files: found nothing"),
        ("given,,boards/small.toml", "compared elsewhere,,", "line 4: files: found nothing"),
        (
            "given,,boards/small.toml",
            "given,depth,boards/small.toml",
            "line 4: by: found \"depth\", expected nothing: it is given",
        ),
        (
            "given,,boards/small.toml,",
            "not done,,,",
            "line 4: note: found nothing, expected what is missing, or why: it is not done",
        ),
        ("\"no ways, no planes\"", "", "line 5: note: found nothing"),
        ("kind,number", "kind,numbr", "found a fault ("),
        ("compared,depth,,", "compared,depth,", "line 3: found a fault ("),
    ] {
        assert!(LIST.contains(from), "{from}");
        let error = listing(LAST, &LIST.replacen(from, to, 1)).load().expect_err(line).to_string();
        assert!(error.contains("list.csv: ") && error.contains(line), "{error}\nis not\n{line}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    let error = listing("{}", LIST).load().unwrap_err().to_string();
    assert!(error.contains("study.toml: exhibits.last: found nothing, expected"), "{error}");
}

#[test]
fn a_column_a_claim_at_each_point_and_a_summary_may_be_named() {
    for name in ["depth/latency_us", "two_are_faster", "latency_mean", "again"] {
        let list = LIST.replacen("compared,depth", &format!("compared,{name}"), 1);
        assert_eq!(listing(LAST, &list).load().unwrap().exhibits()[0].by, [name]);
    }
}

#[test]
fn the_repository_lists_each_figure_and_table_of_its_papers_once() {
    let named: Vec<_> = PAPERS.iter().map(|(name, _)| *name).chain(OTHERS).collect();
    assert_eq!(
        study::built_in_names().iter().copied().collect::<BTreeSet<_>>(),
        named.into_iter().collect()
    );
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (name, last) in PAPERS {
        let study = Study::built_in(name).unwrap().unwrap();
        let mut listed: Vec<_> =
            study.exhibits().iter().map(|one| (one.kind.as_str(), one.number)).collect();
        listed.sort_unstable();
        let all = last.iter().flat_map(|(kind, last)| (1..=*last).map(move |nth| (*kind, nth)));
        assert_eq!(listed, all.collect::<Vec<_>>(), "{name}");
        let files: BTreeSet<_> = study.exhibits().iter().flat_map(|one| &one.files).collect();
        for file in files {
            assert!(root.join(file).is_file(), "{name} names {file}, which is not there");
        }
    }
}
