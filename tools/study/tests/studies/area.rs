//! Studies that read what a synthesis found.

use study::{Plan, StudyError};

use crate::folder::Folder;

const STUDY: &str = r#"
title = "Area"
paper = "Nobody: Nothing. Nowhere, 2020"
boards = ["small"]

[[experiment]]
id = "decoders"
title = "Look-up tables by size of a chunk"
place = "Figure 1"
board = "small"
area = { file = "luts.csv", channels = 4 }

[[experiment.axis]]
name = "chunk"
area = "chunk_bytes"
values = [256, 512]

[[experiment.axis]]
name = "solver"
area = "solver"
values = ["own", "shared"]

[[experiment.claim]]
id = "luts"
says = "four decoders with a solver that they share"
evidence = "bound"
let.luts = { metric = "decoder_luts", at = { chunk = 512, solver = "shared" } }
value = "luts"
at_most = 870
unit = "LUT"

[[experiment.claim]]
id = "sharing"
says = "sharing saves look-up tables"
evidence = "ordering"
each = { chunk = [256, 512] }
let.own = { metric = "decoder_luts", at = { solver = "own" } }
let.shared = { metric = "decoder_luts", at = { solver = "shared" } }
value = "shared / own"
below = 1
unit = "times"
"#;

const LUTS: &str = "chunk_bytes,correctable_bits,decoder_lut,solver_lut,shared_solver_lut
256,13,100,30,20
512,24,200,70,60
";

fn fault(from: &str, to: &str, luts: &str) -> StudyError {
    let folder = Folder::empty();
    assert!(STUDY.contains(from), "{from}");
    folder.write("study.toml", &STUDY.replacen(from, to, 1));
    folder.write("luts.csv", luts);
    match folder.load() {
        Err(error) => error,
        Ok(study) => Plan::new(&study).err().unwrap_or_else(|| panic!("{to}: no fault")),
    }
}

#[test]
fn look_up_tables_are_read_and_claims_on_them_judged() {
    let folder = Folder::empty();
    folder.write("study.toml", STUDY);
    folder.write("luts.csv", LUTS);
    let study = folder.load().unwrap();
    let outcome = Plan::new(&study).unwrap().run(2, &mut |_| ()).unwrap();
    let measured: Vec<f64> = outcome.experiments[0].rows.iter().map(|row| row.measured).collect();
    // 4 x 200 + 60; (4 x 100 + 20) / (4 x 130); (4 x 200 + 60) / (4 x 270).
    assert_eq!(measured, [860.0, 420.0 / 520.0, 860.0 / 1080.0]);
}

#[test]
fn what_is_wrong_with_an_area_is_one_line() {
    let area = "area = { file = \"luts.csv\", channels = 4 }";
    for (from, to, luts, expected) in [
        (area, "area = { file = \"no.csv\", channels = 4 }", LUTS, "no.csv: found"),
        (area, "area = { file = \"luts.csv\" }", LUTS, "area.channels: found nothing"),
        (
            area,
            "area = { file = \"luts.csv\", channels = 4 }\njob = { rw = \"read\" }",
            LUTS,
            "area: found it and job, flash or cells, expected one of them",
        ),
        (
            area,
            "area = { file = \"luts.csv\", channels = 4 }\nprecondition = \"random\"",
            LUTS,
            "precondition: found another than none",
        ),
        (
            "area = \"chunk_bytes\"\nvalues = [256, 512]",
            "points = [{ is = 256, area = { chunk_bytes = 128 } }, { is = 512, area = { chunk_bytes = 512 } }]",
            LUTS,
            "luts.csv: chunk_bytes: found 128, expected one of 256, 512",
        ),
        (
            area,
            area,
            "chunk_bytes,decoder_lut\n256,1\n512,2\n",
            "luts.csv: line 1: found no column \"solver_lut\"",
        ),
    ] {
        let line = fault(from, to, luts).to_string();
        assert!(line.contains(expected), "{line:?} does not hold {expected:?}");
        assert_eq!(line.lines().count(), 1, "{line}");
    }
}
