// SPDX-License-Identifier: Apache-2.0

// Test top: the bus of a channel of four ways and its pins.
module bus_of_pins
  import fm_flash_pkg::*;
#(
    localparam int unsigned Ways = 4
) (
    input  logic                      clk_i,
    input  logic                      rst_ni,
    input  bus_config_t               config_i,
    input  logic                      step_valid_i,
    output logic                      step_ready_o,
    input  logic        [     6:0]    step_operation_i,
    input  logic        [     3:0]    step_way_i,
    input  logic        [    31:0]    step_row_i,
    input  logic        [    15:0]    step_column_i,
    input  logic                      step_next_plane_i,
    input  logic        [    15:0]    step_length_i,
    output logic                      done_valid_o,
    output logic        [     3:0]    done_way_o,
    output logic                      done_timed_out_o,
    output logic        [    31:0]    done_value_o,
    output logic        [Ways-1:0]    ready_o,
    output logic                      open_valid_o,
    input  logic                      open_ready_i,
    output logic        [     6:0]    open_operation_o,
    output logic        [     3:0]    open_way_o,
    input  logic                      write_valid_i,
    output logic                      write_ready_o,
    input  logic        [    15:0]    write_data_i,
    input  logic                      write_error_i,
    output logic                      read_valid_o,
    input  logic                      read_ready_i,
    output logic        [    15:0]    read_data_o,
    output logic                      read_last_o,
    output logic                      abort_o,
    output logic                      bus_busy_o,
    output logic        [Ways-1:0]    ce_no,
    output logic                      cle_o,
    output logic                      ale_o,
    output logic                      we_no,
    output logic                      wp_no,
    output logic                      re_no,
    output logic        [     7:0]    dq_o,
    output logic                      dq_oe_o,
    output logic                      dqs_o,
    output logic                      dqs_oe_o,
    input  logic        [     7:0]    dq_i,
    input  logic                      dqs_i,
    input  logic        [Ways-1:0]    rb_ni
);

  step_t step;
  // verilator lint_off UNUSEDSIGNAL
  step_t open;
  // verilator lint_on UNUSEDSIGNAL
  step_done_t done;
  logic [Ways-1:0] bus_ce_n, bus_rb_n;
  logic bus_cle, bus_ale, bus_we_n, bus_wp_n, bus_dq_oe, bus_dqs_oe, bus_strobe;
  logic [1:0] bus_re_n, bus_dqs;
  logic [1:0][7:0] bus_dq_out;
  logic [7:0] bus_dq_in;
  logic [15:0] bus_capture;

  always_comb begin
    step = '0;
    step.operation = operation_e'(step_operation_i);
    step.way = step_way_i;
    step.row = step_row_i;
    step.column = step_column_i;
    step.length = step_length_i;
    step.next_plane = step_next_plane_i;
  end

  assign open_operation_o = open.operation;
  assign open_way_o = open.way;
  assign done_way_o = done.way;
  assign done_timed_out_o = done.timed_out;
  assign done_value_o = done.value;

  flash_bus #(
      .Ways(Ways)
  ) u_bus (
      .*,
      .step_i(step),
      .done_o(done),
      .open_o(open),
      .open_words_i({1'b0, open.length[15:1]}),
      .ce_no(bus_ce_n),
      .cle_o(bus_cle),
      .ale_o(bus_ale),
      .we_no(bus_we_n),
      .wp_no(bus_wp_n),
      .re_no(bus_re_n),
      .dq_o(bus_dq_out),
      .dq_oe_o(bus_dq_oe),
      .dqs_o(bus_dqs),
      .dqs_oe_o(bus_dqs_oe),
      .strobe_i(bus_strobe),
      .capture_i(bus_capture),
      .dq_i(bus_dq_in),
      .rb_ni(bus_rb_n)
  );

  flash_pins #(
      .Ways(Ways)
  ) u_pins (
      .clk_i,
      .rst_ni,
      .bus_ce_ni(bus_ce_n),
      .bus_cle_i(bus_cle),
      .bus_ale_i(bus_ale),
      .bus_we_ni(bus_we_n),
      .bus_wp_ni(bus_wp_n),
      .bus_re_ni(bus_re_n),
      .bus_dq_i(bus_dq_out),
      .bus_dq_oe_i(bus_dq_oe),
      .bus_dqs_i(bus_dqs),
      .bus_dqs_oe_i(bus_dqs_oe),
      .bus_strobe_o(bus_strobe),
      .bus_capture_o(bus_capture),
      .bus_dq_o(bus_dq_in),
      .bus_rb_no(bus_rb_n),
      .pin_ce_no(ce_no),
      .pin_cle_o(cle_o),
      .pin_ale_o(ale_o),
      .pin_we_no(we_no),
      .pin_wp_no(wp_no),
      .pin_re_no(re_no),
      .pin_dq_o(dq_o),
      .pin_dq_oe_o(dq_oe_o),
      .pin_dqs_o(dqs_o),
      .pin_dqs_oe_o(dqs_oe_o),
      .pin_dq_i(dq_i),
      .pin_dqs_i(dqs_i),
      .pin_rb_ni(rb_ni)
  );

endmodule
