//! Tests of which lane a job has.

use crate::engine::lanes;
use crate::job::{parse_file, DriveShape};

#[test]
fn jobs_of_a_stage_have_lanes_of_their_own_as_far_as_there_are_some() {
    let text = "[a]\nnumjobs=3\n[b]\nstonewall\n[c]\n";
    let drive = DriveShape {
        capacity_bytes: 1 << 30,
        block_bytes: 4096,
        placement_handles: 0,
        zones: None,
    };
    let specs = parse_file("job.fio", text).unwrap().resolve(drive).unwrap();
    assert_eq!(lanes(&specs, 8), [0, 1, 2, 0, 1]);
    assert_eq!(lanes(&specs, 2), [0, 1, 0, 0, 1]);
    assert_eq!(lanes(&specs, 1), [0; 5]);
}
