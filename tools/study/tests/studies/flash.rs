//! Studies that put flash requests straight to the channels of a board.

use study::outcome::Role;
use study::Plan;

use crate::folder::Folder;

/// Reads on Ozone's board, one bus of eight chips, and claims about them.
const STUDY: &str = r#"
title = "Flash"
paper = "Nobody: Nothing. Nowhere, 2020"
boards = ["ozone"]

[[experiment]]
id = "reads"
title = "Reads by model"
place = "Table 1"
board = "ozone"
flash = { mix = "0:0:1", requests = 2000, outstanding = 32 }

[[experiment.axis]]
name = "model"
set = "channel.execution"
values = ["sequential", "out-of-order"]

[[experiment.axis]]
name = "urgent"
flash = "urgent_outstanding"
values = [0, 1]

[[experiment.claim]]
id = "alone"
says = "reads one at a time take 59 us and 131 us on the bus of 32 MB/s"
evidence = "bound"
let.all = { metric = "throughput_mb_s", at = { model = "sequential", urgent = 0 } }
value = "all"
at_most = 21.6
unit = "MB/s"

[[experiment.claim]]
id = "together"
says = "out of order they fill the bus"
evidence = "bound"
fitted = true
let.busy = { metric = "channel_utilization_percent", at = { model = "out-of-order", urgent = 0 } }
value = "busy"
at_least = 98
unit = "%"

[[experiment.claim]]
id = "urgent_first"
says = "an urgent read waits less than a fifth as long as the others, which are alone in `low`"
evidence = "ordering"
let.urgent = { metric = "response_us:urgent", at = { model = "out-of-order", urgent = 1 } }
let.low = { metric = "response_us:low", at = { model = "out-of-order", urgent = 1 } }
let.read = { metric = "response_p99_us:read", at = { model = "out-of-order", urgent = 1 } }
value = "max(urgent / low * 5, low / read)"
below = 1
unit = "times"
"#;

fn folder(from: &str, to: &str) -> Folder {
    let folder = Folder::empty();
    assert!(STUDY.contains(from), "{from}");
    folder.write("study.toml", &STUDY.replacen(from, to, 1));
    folder
}

#[test]
fn flash_loads_are_measured_and_claims_on_them_judged() {
    let study = folder("", "").load().unwrap();
    let outcome = Plan::new(&study).unwrap().run(2, &mut |_| ()).unwrap();
    let rows = &outcome.experiments[0].rows;
    for row in rows {
        assert!(row.error_percent == 0.0, "{}: {}", row.id, row.measured);
    }
    assert!(rows[0].measured > 20.5, "{}", rows[0].measured);
    let roles: Vec<Role> = rows.iter().map(|row| row.role).collect();
    assert_eq!(roles, [Role::Predicted, Role::Fitted, Role::Predicted]);
}

#[test]
fn what_is_wrong_with_a_flash_load_is_one_line() {
    let flash = "flash = { mix = \"0:0:1\", requests = 2000, outstanding = 32 }";
    let cases = [
        (flash, "flash = { mix = \"0:0\" }", "flash.mix: found \"0:0\", expected three whole numbers"),
        (flash, "flash = { mixes = 1 }", "flash.mixes: found \"mixes\", expected one of mix, pages"),
        (flash, "flash = { mix = [1] }", "flash.mix"),
        (
            "board = \"ozone\"\nflash",
            "board = \"ozone\"\njob = { rw = \"read\" }\nflash",
            "flash: found it and job, expected one of both",
        ),
        (
            "board = \"ozone\"\nflash",
            "board = \"ozone\"\nprecondition = \"random\"\nflash",
            "precondition: found another than none, expected none",
        ),
        (
            "board = \"ozone\"\nflash",
            "board = \"cosmos-plus\"\nset = { geometry = { page_bytes = 65536 }, flash = { spare_bytes = 8192 } }\nflash",
            "geometry.page_bytes of a flash load: found 65536, expected at most 32768",
        ),
        (
            "board = \"ozone\"\nflash",
            "board = \"cosmos-plus-tlc\"\nflash",
            "flash.program of a flash load: found whole word lines, expected page",
        ),
        (
            "set = \"channel.execution\"",
            "set = \"channel.execution\"\nflash = \"mix\"",
            "values: found several of job, flash, cells, area, set and look, expected one of them",
        ),
        ("response_us:urgent", "response_us:soon", "expected response_us: and one of erase"),
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
