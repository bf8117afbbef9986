// SPDX-License-Identifier: Apache-2.0

// Test top with parameters (models.csv): a flash channel of eight ways up to the pins, with a solver and monitors of its own.
// Choices act a cycle late: behind registers, a model need not look at what they reach whenever some other input changes.
module flash_core_bench
  import fm_flash_pkg::*;
#(
    // As in flash_core.
    parameter int unsigned ChunkBytes = 256,
    parameter int unsigned T = 13,
    parameter int unsigned PollCycles = 0,
    parameter bit          PollEnhanced = 1'b0,
    localparam int unsigned Ways = 8,
    localparam int unsigned M = fm_bch_pkg::field_degree(ChunkBytes, T),
    localparam int unsigned ErrorBits = $clog2(T + 1)
) (
    input logic clk_i,
    input logic rst_ni,
    input logic [1:0] config_model_i,
    input logic config_merge_planes_i,
    input logic config_merge_cache_read_i,
    input logic config_merge_cache_program_i,
    input logic config_jedec_i,
    input logic [1:0] config_plane_bits_i,
    input logic [4:0] config_plane_shift_i,
    input logic [4:0] config_lun_shift_i,
    input logic config_halt_on_failure_i,
    input logic config_full_gives_back_i,
    input logic [4:0] config_low_ways_i,
    input logic [2:0] config_age_i,
    input logic [15:0] config_busy_timeout_i,
    input bus_config_t bus_config_i,
    input logic request_valid_i,
    output logic request_ready_o,
    input logic [31:0] request_word0_i,
    input logic [31:0] request_word1_i,
    input logic [31:0] request_word2_i,
    input logic [31:0] request_word3_i,
    output logic [2*Ways-1:0] room_o,
    output logic response_valid_o,
    input logic response_ready_i,
    output logic [31:0] response_word0_o,
    output logic [31:0] response_word1_o,
    output logic [31:0] response_word2_o,
    output logic irq_o,
    output logic fetch_valid_o,
    input logic fetch_ready_i,
    output logic [15:0] fetch_buffer_o,
    output logic [15:0] fetch_length_o,
    output logic [3:0] fetch_way_o,
    output logic store_valid_o,
    input logic store_ready_i,
    output logic [15:0] store_buffer_o,
    output logic [15:0] store_length_o,
    output logic [3:0] store_way_o,
    input logic data_in_valid_i,
    output logic data_in_ready_o,
    input logic [15:0] data_in_data_i,
    input logic data_in_last_i,
    input logic data_in_error_i,
    output logic data_out_valid_o,
    input logic data_out_ready_i,
    output logic [15:0] data_out_data_o,
    output logic data_out_last_o,
    input logic data_out_error_i,
    input logic [Ways-1:0] halt_i,
    input logic [Ways-1:0] resume_i,
    input logic [Ways-1:0] give_back_i,
    input logic [Ways-1:0] abort_i,
    output logic [Ways-1:0] halted_o,
    output logic [Ways-1:0] giving_o,
    output logic [Ways-1:0] ready_o,
    output logic [Ways-1:0] occupied_o,
    output logic [Ways-1:0] pending_o,
    output logic bus_busy_o,
    output logic word_out_o,
    output logic word_in_o,
    input logic monitor_capture_i,
    output logic monitor_busy_o,
    input logic [5:0] monitor_word_i,
    output logic [31:0] monitor_data_o,
    output logic [Ways-1:0] ce_no,
    output logic cle_o,
    output logic ale_o,
    output logic we_no,
    output logic wp_no,
    output logic re_no,
    output logic [7:0] dq_o,
    output logic dq_oe_o,
    output logic dqs_o,
    output logic dqs_oe_o,
    input logic [7:0] dq_i,
    input logic dqs_i,
    input logic [Ways-1:0] rb_ni
);

  scheduler_config_t scheduler_config_d, scheduler_config_q;
  bus_config_t bus_config_q;
  request_t request;
  response_t response;
  watch_t watch;
  packet_t fetch, store;

  assign scheduler_config_d = '{
      model: model_e'(config_model_i),
      merge_planes: config_merge_planes_i,
      merge_cache_read: config_merge_cache_read_i,
      merge_cache_program: config_merge_cache_program_i,
      jedec: config_jedec_i,
      plane_bits: config_plane_bits_i,
      plane_shift: config_plane_shift_i,
      lun_shift: config_lun_shift_i,
      halt_on_failure: config_halt_on_failure_i,
      full_gives_back: config_full_gives_back_i,
      low_ways: config_low_ways_i,
      age: config_age_i,
      busy_timeout: config_busy_timeout_i
  };

  always_ff @(posedge clk_i) begin
    scheduler_config_q <= scheduler_config_d;
    bus_config_q <= bus_config_i;
  end

  assign request =
      request_t'({request_word3_i, request_word2_i, request_word1_i, request_word0_i});
  assign {response_word2_o, response_word1_o, response_word0_o} = response;
  assign fetch_buffer_o = fetch.buffer;
  assign fetch_length_o = fetch.length;
  assign fetch_way_o = fetch.way;
  assign store_buffer_o = store.buffer;
  assign store_length_o = store.length;
  assign store_way_o = store.way;
  assign bus_busy_o = watch.bus_busy;
  assign word_out_o = watch.word_out;
  assign word_in_o = watch.word_in;

  logic syndrome_valid, syndrome_ready, syndrome_last;
  logic locator_valid, locator_last, locator_failed;
  logic [M-1:0] syndrome, locator;
  logic [ErrorBits-1:0] locator_errors;
  logic [Ways-1:0] bus_ce_n, bus_rb_n;
  logic bus_cle, bus_ale, bus_we_n, bus_wp_n, bus_dq_oe, bus_dqs_oe, bus_strobe;
  logic [1:0] bus_re_n, bus_dqs;
  logic [1:0][7:0] bus_dq_out;
  logic [7:0] bus_dq_in;
  logic [15:0] bus_capture;

  flash_core #(
      .Ways(Ways),
      .ChunkBytes(ChunkBytes),
      .T(T),
      .PollCycles(PollCycles),
      .PollEnhanced(PollEnhanced)
  ) u_core (
      .*,
      .scheduler_config_i(scheduler_config_q),
      .bus_config_i(bus_config_q),
      .orders_i('{
          halt: 16'(halt_i),
          resume: 16'(resume_i),
          give_back: 16'(give_back_i),
          give_up: 16'(abort_i)
      }),
      .request_i(request),
      .response_o(response),
      .fetch_o(fetch),
      .store_o(store),
      .syndrome_valid_o(syndrome_valid),
      .syndrome_ready_i(syndrome_ready),
      .syndrome_o(syndrome),
      .syndrome_last_o(syndrome_last),
      .locator_valid_i(locator_valid),
      .locator_i(locator),
      .locator_last_i(locator_last),
      .locator_errors_i(locator_errors),
      .locator_failed_i(locator_failed),
      .watch_o(watch),
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

  channel_monitor #(
      .Ways(Ways)
  ) u_monitor (
      .clk_i,
      .rst_ni,
      .watch_i(watch),
      .way_busy_i(~ready_o | occupied_o),
      .capture_i(monitor_capture_i),
      .busy_o(monitor_busy_o),
      .read_word_i(monitor_word_i),
      .read_data_o(monitor_data_o)
  );

  flash_pins_bench #(
      .Ways(Ways),
      .ChunkBytes(ChunkBytes),
      .T(T)
  ) u_bench (
      .*,
      .syndrome_valid_i(syndrome_valid),
      .syndrome_ready_o(syndrome_ready),
      .syndrome_i(syndrome),
      .syndrome_last_i(syndrome_last),
      .locator_valid_o(locator_valid),
      .locator_o(locator),
      .locator_last_o(locator_last),
      .locator_errors_o(locator_errors),
      .locator_failed_o(locator_failed),
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
      .bus_rb_no(bus_rb_n)
  );

endmodule
