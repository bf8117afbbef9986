//! The rules of AXI are watched at the borders: who breaks one is caught.

use rtl_sim::{tops, Bench};

/// Drives inputs of the top for a few cycles.
fn drive(inputs: &[(&str, u64)]) {
    let mut bench = Bench::new(&tops::HOST_DATA);
    for (name, value) in inputs {
        let port = bench.input(name);
        bench.set(port, *value);
    }
    for _ in 0..4 {
        bench.cycle(&mut []);
    }
}

#[test]
fn nothing_is_wrong_where_nothing_happens() {
    drive(&[]);
}

#[test]
#[should_panic(expected = "assertion at prim/fm_axi_assert.sv")]
fn an_answer_that_nobody_asked_for_is_caught() {
    drive(&[("host_r_valid_i", 1)]);
}

#[test]
#[should_panic(expected = "assertion at prim/fm_axi_assert.sv")]
fn an_answer_to_a_write_that_was_not_sent_is_caught() {
    drive(&[("memory_b_valid_i", 1)]);
}
