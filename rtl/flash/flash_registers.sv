// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// What software sees of a flash channel: configuration, the windows for requests and responses,
// interrupt and monitors. docs/spec/flash-registers.md has the map.
//
// Contract: AXI4-Lite as in `flash_register_block`. A request leaves whole, after its last word was
// written. One that is begun before the one before it has left is dropped, and told as an interrupt.
// A response is taken by the read of its last word, but only after its first word was read, so that
// one which comes in between is not lost. `irq_i` pulses set the interrupt. `pending_i` is up for a way
// from two cycles after a request of it was taken until all of them are over: queued, under way, or on
// the bus, silent ones too. `occupied_i` is up while an operation is under way.
// Latency: one cycle from the last word to the request.
// Reason: neither window ever stalls the bus; a request that waits for room would keep software from
// the responses that make room.
module flash_registers
  import fm_flash_pkg::*;
  import fm_flash_register_block_pkg::*;
#(
    parameter int unsigned Ways          = 8,
    parameter int unsigned Streams       = 8,
    parameter int unsigned Depth         = 32,
    parameter int unsigned MetadataBytes = 24
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    // AXI4-Lite.
    input  logic                    aw_valid_i,
    output logic                    aw_ready_o,
    input  logic [8:0]              aw_addr_i,
    input  logic                    w_valid_i,
    output logic                    w_ready_o,
    input  fm_axi_pkg::lite_write_t w_i,
    output logic                    b_valid_o,
    input  logic                    b_ready_i,
    output fm_axi_pkg::response_e   b_resp_o,
    input  logic                    ar_valid_i,
    output logic                    ar_ready_o,
    input  logic [8:0]              ar_addr_i,
    output logic                    r_valid_o,
    input  logic                    r_ready_i,
    output fm_axi_pkg::lite_read_t  r_o,
    output logic                    irq_o,
    // The channel.
    output scheduler_config_t       scheduler_config_o,
    output way_orders_t             orders_o,
    input  logic [Ways-1:0]         halted_i,
    input  logic [Ways-1:0]         giving_i,
    output bus_config_t             bus_config_o,
    output logic                    request_valid_o,
    input  logic                    request_ready_i,
    output request_t                request_o,
    input  logic                    response_valid_i,
    output logic                    response_ready_o,
    input  response_t               response_i,
    input  logic                    irq_i,
    input  logic [Ways*2-1:0]       room_i,
    input  logic [Ways-1:0]         ready_i,
    input  logic [Ways-1:0]         pending_i,
    input  logic [Ways-1:0]         occupied_i,
    input  watch_t                  watch_i
);

  localparam int unsigned RequestWords = ($bits(request_t) + 31) / 32;
  localparam int unsigned ResponseWords = $bits(response_t) / 32;

  `FM_REQUIRE(gen_much_metadata, MetadataBytes < 256, "flash_registers: MetadataBytes is above 255")

  status_t status;
  control_t control;
  logic request_write, response_read;
  logic [1:0] request_word;
  logic [1:0] response_word;
  logic [5:0] monitors_word;
  logic [31:0] response_data, monitors_data;
  logic capturing, halt_written, resume_written, give_back_written, abort_written;

  flash_register_block u_block (
      .clk_i,
      .rst_ni,
      .aw_valid_i,
      .aw_ready_o,
      .aw_addr_i,
      .w_valid_i,
      .w_ready_o,
      .w_i,
      .b_valid_o,
      .b_ready_i,
      .b_resp_o,
      .ar_valid_i,
      .ar_ready_o,
      .ar_addr_i,
      .r_valid_o,
      .r_ready_i,
      .r_o,
      .status_i(status),
      .control_o(control),
      .halt_written_o(halt_written),
      .resume_written_o(resume_written),
      .give_back_written_o(give_back_written),
      .abort_ways_written_o(abort_written),
      .request_write_o(request_write),
      .request_write_word_o(request_word),
      .response_read_o(response_read),
      .response_read_word_o(response_word),
      .response_data_i(response_data),
      .monitors_read_word_o(monitors_word),
      .monitors_data_i(monitors_data)
  );

  // The request window. A word that is written while a request waits spoils the request that it is
  // part of.
  logic [$bits(request_t)-1:0] request_q;
  logic full_q, spoiled_q, last_write, keep, dropped;

  assign last_write = request_write && request_word == 2'(RequestWords - 1);
  assign keep = request_write && !full_q;
  assign dropped = last_write && (full_q || spoiled_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      full_q <= 1'b0;
      spoiled_q <= 1'b0;
    end else begin
      if (last_write && !dropped) full_q <= 1'b1;
      else if (request_ready_i) full_q <= 1'b0;
      if (request_write) spoiled_q <= !last_write && (spoiled_q || full_q);
    end
  end

  for (genvar i = 0; i < RequestWords; i++) begin : gen_word
    localparam int unsigned Left = $bits(request_t) - 32 * i;
    localparam int unsigned Bits = Left < 32 ? Left : 32;

    always_ff @(posedge clk_i) begin
      if (keep && request_word == 2'(i)) request_q[32*i+:Bits] <= w_i.data[Bits-1:0];
    end
  end

  assign request_valid_o = full_q;
  assign request_o = request_t'(request_q);

  // The response window.
  logic opened_q;
  logic [ResponseWords-1:0][31:0] response_words;

  assign response_words = response_i;
  assign response_data = response_valid_i ? response_words[response_word] : '0;
  assign response_ready_o = response_read && opened_q && response_word == 2'(ResponseWords - 1);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      opened_q <= 1'b0;
    end else if (response_read) begin
      if (response_word == '0) opened_q <= response_valid_i;
      else if (response_ready_o) opened_q <= 1'b0;
    end
  end

  // A request in the window counts for its way.
  logic [15:0] in_window;
  assign in_window = full_q ? 16'd1 << request_o.way : '0;

  always_comb begin
    status = '0;
    status.sizes.ways = 5'(Ways);
    status.sizes.streams = 4'(Streams);
    status.sizes.depth = 6'(Depth);
    status.sizes.metadata = 8'(MetadataBytes);
    status.status.idle = 16'(ready_i) & ~(16'(pending_i) | in_window);
    status.status.response = response_valid_i;
    status.status.free = !full_q;
    status.room.queues = 32'(room_i);
    status.ways.ready = 16'(ready_i);
    status.ways.occupied = 16'(occupied_i);
    status.halts.halted = 16'(halted_i);
    status.halts.giving_back = 16'(giving_i);
    status.interrupt_status.response = irq_i;
    status.interrupt_status.dropped = dropped;
    status.monitor.busy = capturing;
  end

  assign irq_o = (control.interrupt_status.response && control.interrupt_enable.response)
      || (control.interrupt_status.dropped && control.interrupt_enable.dropped);

  assign scheduler_config_o = '{
      model: control.scheduler.model,
      merge_planes: control.scheduler.merge_planes,
      merge_cache_read: control.scheduler.merge_cache_read,
      merge_cache_program: control.scheduler.merge_cache_program,
      jedec: control.scheduler.jedec,
      plane_bits: control.scheduler.plane_bits,
      plane_shift: control.scheduler.plane_shift,
      lun_shift: control.scheduler.lun_shift,
      halt_on_failure: control.scheduler.halt_on_failure,
      full_gives_back: control.scheduler.full_gives_back,
      low_ways: control.scheduler.low_ways,
      age: control.scheduler.age,
      busy_timeout: control.timeouts.busy_timeout
  };

  assign orders_o = '{
      halt: control.halt.ways & {16{halt_written}},
      resume: control.resume.ways & {16{resume_written}},
      give_back: control.give_back.ways & {16{give_back_written}},
      give_up: control.abort_ways.ways & {16{abort_written}}
  };

  assign bus_config_o = '{
      ddr: control.bus.ddr,
      long_row: control.bus.long_row,
      ce_setup: control.command_waits.ce_setup,
      ce_hold: control.command_waits.ce_hold,
      we_low: control.command_waits.we_low,
      we_high: control.command_waits.we_high,
      adl: control.phase_waits.adl,
      ccs: control.phase_waits.ccs,
      whr: control.phase_waits.whr,
      rhw: control.phase_waits.rhw,
      wb: control.chip_waits.wb,
      rr: control.chip_waits.rr,
      re_low: control.chip_waits.re_low,
      re_high: control.chip_waits.re_high,
      read_preamble: control.data_waits.read_preamble,
      read_postamble: control.data_waits.read_postamble,
      write_preamble: control.data_waits.write_preamble,
      write_postamble: control.data_waits.write_postamble,
      sample_delay: control.bus.sample_delay,
      data_timeout: control.timeouts.data_timeout
  };

  channel_monitor #(
      .Ways(Ways)
  ) u_monitor (
      .clk_i,
      .rst_ni,
      .watch_i,
      .way_busy_i(occupied_i | ~ready_i),
      .capture_i(control.monitor.capture),
      .busy_o(capturing),
      .read_word_i(monitors_word),
      .read_data_o(monitors_data)
  );

  `FM_ASSERT_STREAM(u_assert_request, request_valid_o, request_ready_i, request_o)
  `FM_ASSERT_STREAM(u_assert_response, response_valid_i, response_ready_o, response_i)

endmodule
