//! What `steadystate` saw, as fio prints it.

use crate::{json_of, normal_of, sample};
use report::{JsonForm, SteadyCriterion, SteadyLimit, SteadyState};
use serde_json::{json, Value};

/// The seconds of a run of fio 3.33 with `ss=iops:5%` and `ss_dur=3s`.
fn seen() -> SteadyState {
    let limit = SteadyLimit::PercentOfMean(5.0);
    SteadyState {
        duration_ps: 3 * sample::SECOND,
        ramp_ps: sample::SECOND,
        attained: true,
        iops: vec![2001, 2010, 2002],
        bandwidth: vec![8_200_143, 8_232_960, 8_200_200],
        ..SteadyState::new(SteadyCriterion::Iops, limit)
    }
}

#[test]
fn json_and_text_are_those_that_fio_printed() {
    let mut run = sample::small();
    assert!(!normal_of(&run).contains("steadystate"));
    run.jobs[0].steady_state = Some(seen());
    let report: Value = serde_json::from_str(&json_of(&run, JsonForm::Plain)).unwrap();
    let expected = json!({
        "ss": "iops:5.000000%",
        "duration": 3,
        "attained": 1,
        "criterion": "0.282721%",
        "max_deviation": 5.666667,
        "slope": 0.0,
        "data": {
            "bw_mean": 8_211_101,
            "iops_mean": 2004,
            "iops": [2001, 2010, 2002],
            "bw": [8_200_143, 8_232_960, 8_200_200],
        },
    });
    assert_eq!(report["jobs"][0]["steadystate"], expected);
    // fio 3.33 prints the same number of KiB and kB, which cannot both be right.
    let line = "  steadystate  : attained=yes, bw=8019KiB/s (8211kB/s), iops=2004, \
                iops mean dev=0.283%\n";
    assert!(normal_of(&run).contains(line), "{}", normal_of(&run));
}

#[test]
fn a_slope_is_told_with_its_sign_and_its_unit() {
    let mut run = sample::small();
    let limit = SteadyLimit::Absolute(1.0);
    run.jobs[0].steady_state = Some(SteadyState {
        duration_ps: 2 * sample::SECOND,
        iops: vec![1001, 1000],
        bandwidth: vec![4_100_096, 4_096_000],
        ..SteadyState::new(SteadyCriterion::BandwidthSlope, limit)
    });
    let report: Value = serde_json::from_str(&json_of(&run, JsonForm::Plain)).unwrap();
    let object = &report["jobs"][0]["steadystate"];
    assert_eq!((&object["ss"], &object["attained"]), (&json!("bw_slope:1.000000"), &json!(0)));
    assert_eq!(object["criterion"], json!("-4096.000000"));
    assert_eq!((&object["slope"], &object["max_deviation"]), (&json!(-4096.0), &json!(0.0)));
    assert!(normal_of(&run).contains("iops=1000, bw slope=-4096.000\n"));
}
