//! Studies that put patterns into worn blocks.

use study::Plan;

use crate::folder::Folder;

const STUDY: &str = r#"
title = "Cells"
paper = "Nobody: Nothing. Nowhere, 2020"
boards = ["small"]

[[experiment]]
id = "worn"
title = "Wrong bits by cycles"
place = "Table 1"
board = "small"
set = { "flash.cell_mode" = "mlc", "errors.model" = "cells" }
cells = { pattern = "01-00" }

[[experiment.axis]]
name = "cycles"
cells = "cycles"
values = [0, 5000]

[[experiment.axis]]
name = "scrambler"
set = "ecc.scrambler"
values = ["on", "off"]

[[experiment.claim]]
id = "wear"
says = "cycles make wrong bits"
evidence = "ordering"
each = { scrambler = ["on", "off"] }
let.fresh = { metric = "wrong_bits_per_page", at = { cycles = 0 } }
let.worn = { metric = "wrong_bits_per_page", at = { cycles = 5000 } }
value = "worn - fresh"
above = 1
unit = "bits"

[[experiment.claim]]
id = "readable"
says = "all pages can be corrected"
evidence = "ordering"
let.lost = { metric = "uncorrectable_percent", at = { cycles = 5000, scrambler = "on" } }
value = "lost"
at_most = 0
unit = "%"
"#;

fn folder(from: &str, to: &str) -> Folder {
    let folder = Folder::empty();
    assert!(STUDY.contains(from), "{from}");
    folder.write("study.toml", &STUDY.replacen(from, to, 1));
    folder
}

#[test]
fn patterns_in_worn_blocks_are_measured_and_claims_on_them_judged() {
    let study = folder("", "").load().unwrap();
    let outcome = Plan::new(&study).unwrap().run(2, &mut |_| ()).unwrap();
    let rows = &outcome.experiments[0].rows;
    assert_eq!(rows.len(), 3);
    for row in rows {
        assert!(row.error_percent == 0.0, "{}: {}", row.id, row.measured);
    }
}

#[test]
fn what_is_wrong_with_a_load_of_cells_is_one_line() {
    let cells = "cells = { pattern = \"01-00\" }";
    let cases = [
        (cells, "cells = { pattern = \"01\" }", "cells.pattern: found \"01\", expected two words"),
        (cells, "cells = { blocks = 1 }", "cells.pattern: found \"\", expected two words"),
        (
            cells,
            "cells = { pattern = \"1-0\" }",
            "cells.pattern: found \"1-0\", expected words of 2 bits",
        ),
        (
            cells,
            "cells = { patterns = 1 }",
            "cells.patterns: found \"patterns\", expected one of pattern",
        ),
        (
            cells,
            "cells = { pattern = \"01-00\" }\njob = { rw = \"read\" }",
            "cells: found it and job or flash, expected one of them",
        ),
        (
            cells,
            "cells = { pattern = \"01-00\" }\nprecondition = \"random\"",
            "precondition: found another than none, expected none, as a load of cells",
        ),
    ];
    for (from, to, expected) in cases {
        let error = match folder(from, to).load() {
            Err(error) => error,
            Ok(study) => Plan::new(&study).err().unwrap_or_else(|| panic!("{to}: no fault")),
        };
        let line = error.to_string();
        assert!(line.contains(expected), "{line:?} does not hold {expected:?}");
        assert_eq!(line.lines().count(), 1, "{line}");
    }
}
