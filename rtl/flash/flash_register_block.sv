// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Made by rtl/tools/registers.py of rtl/flash/flash_channel.rdl; `make registers` makes it anew.
//
// Registers of a flash channel, 32 bits each, on AXI4-Lite.
//
// Contract: words only. A write of a part of a word and an access of an address without register
// end in SLVERR and change nothing. What is written to bits that cannot be written is ignored.
// One write and one read at a time. `<window>_write_o` and `<window>_read_o` pulse with the number
// of the word, where hardware has to know; the word read is that of the same cycle.
// `<register>_read_o` pulses when the register is read, `<register>_written_o` when its fields
// have been written.
// Latency: that of `fm_lite_front`.
// Reason: fields and words here, handshakes there.
module flash_register_block
  import fm_flash_pkg::*;
  import fm_flash_register_block_pkg::*;
(
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic                    aw_valid_i,
    output logic                    aw_ready_o,
    input  logic [ 8:0]             aw_addr_i,
    input  logic                    w_valid_i,
    output logic                    w_ready_o,
    input  fm_axi_pkg::lite_write_t w_i,
    output logic                    b_valid_o,
    input  logic                    b_ready_i,
    output fm_axi_pkg::response_e   b_resp_o,
    input  logic                    ar_valid_i,
    output logic                    ar_ready_o,
    input  logic [ 8:0]             ar_addr_i,
    output logic                    r_valid_o,
    input  logic                    r_ready_i,
    output fm_axi_pkg::lite_read_t  r_o,
    input  status_t                 status_i,
    output control_t                control_o,
    output logic                    halt_written_o,
    output logic                    resume_written_o,
    output logic                    give_back_written_o,
    output logic                    abort_ways_written_o,
    output logic                    request_write_o,
    output logic [ 1:0]             request_write_word_o,
    output logic                    response_read_o,
    output logic [ 1:0]             response_read_word_o,
    input  logic [31:0]             response_data_i,
    output logic [ 5:0]             monitors_read_word_o,
    input  logic [31:0]             monitors_data_i
);

  typedef logic [6:0] word_t;
  word_t write_word, read_word;
  logic write, read;
  logic [31:0] read_data;

  // Whether the word is one of a register or of a window.
  function automatic logic is_known(word_t word);
    return word inside {
      7'h00, 7'h01, 7'h02, 7'h03, 7'h04, 7'h05, 7'h06, 7'h14,
      7'h15, 7'h16, 7'h17, 7'h18, 7'h19, 7'h1a, 7'h1b, 7'h1c,
      7'h1d, 7'h1e, 7'h1f, 7'h20, [7'h08:7'h0b], [7'h10:7'h12], [7'h40:7'h7f]
    };
  endfunction

  fm_lite_front #(
      .AddressBits(9)
  ) u_front (
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
      .write_o(write),
      .write_word_o(write_word),
      .write_known_i(is_known(write_word)),
      .read_o(read),
      .read_word_o(read_word),
      .read_known_i(is_known(read_word)),
      .read_waits_i(1'b0),
      .read_data_i(read_data)
  );

  // Writes.
  logic write_interrupt_status;
  logic write_interrupt_enable;
  logic write_scheduler;
  logic write_timeouts;
  logic write_bus;
  logic write_command_waits;
  logic write_phase_waits;
  logic write_chip_waits;
  logic write_data_waits;
  logic write_monitor;
  logic write_halt;
  logic write_resume;
  logic write_give_back;
  logic write_abort_ways;

  assign write_interrupt_status = write && write_word == 7'h05;
  assign write_interrupt_enable = write && write_word == 7'h06;
  assign write_scheduler = write && write_word == 7'h14;
  assign write_timeouts = write && write_word == 7'h15;
  assign write_bus = write && write_word == 7'h16;
  assign write_command_waits = write && write_word == 7'h17;
  assign write_phase_waits = write && write_word == 7'h18;
  assign write_chip_waits = write && write_word == 7'h19;
  assign write_data_waits = write && write_word == 7'h1a;
  assign write_monitor = write && write_word == 7'h1b;
  assign write_halt = write && write_word == 7'h1d;
  assign write_resume = write && write_word == 7'h1e;
  assign write_give_back = write && write_word == 7'h1f;
  assign write_abort_ways = write && write_word == 7'h20;
  assign request_write_word_o = write_word[1:0];
  assign request_write_o = write
      && write_word inside {[7'h08:7'h0b]};

  // Fields.
  control_t control_q;
  assign control_o = control_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      control_q.interrupt_status.response <= 1'h0;
      control_q.interrupt_status.dropped <= 1'h0;
      control_q.interrupt_enable.response <= 1'h0;
      control_q.interrupt_enable.dropped <= 1'h0;
      control_q.scheduler.model <= model_e'(0);
      control_q.scheduler.merge_planes <= 1'h0;
      control_q.scheduler.merge_cache_read <= 1'h0;
      control_q.scheduler.merge_cache_program <= 1'h0;
      control_q.scheduler.jedec <= 1'h0;
      control_q.scheduler.plane_bits <= 2'h0;
      control_q.scheduler.plane_shift <= 5'h0;
      control_q.scheduler.full_gives_back <= 1'h1;
      control_q.scheduler.halt_on_failure <= 1'h0;
      control_q.scheduler.lun_shift <= 5'h1f;
      control_q.scheduler.low_ways <= 5'h10;
      control_q.scheduler.age <= 3'h0;
      control_q.timeouts.busy_timeout <= 16'hffff;
      control_q.timeouts.data_timeout <= 16'hffff;
      control_q.bus.ddr <= 1'h0;
      control_q.bus.long_row <= 1'h0;
      control_q.bus.sample_delay <= 8'h0;
      control_q.command_waits.ce_setup <= 8'hf;
      control_q.command_waits.ce_hold <= 8'hf;
      control_q.command_waits.we_low <= 8'hf;
      control_q.command_waits.we_high <= 8'hf;
      control_q.phase_waits.adl <= 8'h3f;
      control_q.phase_waits.ccs <= 8'h7f;
      control_q.phase_waits.whr <= 8'h1f;
      control_q.phase_waits.rhw <= 8'h3f;
      control_q.chip_waits.wb <= 8'h3f;
      control_q.chip_waits.rr <= 8'hf;
      control_q.chip_waits.re_low <= 8'hf;
      control_q.chip_waits.re_high <= 8'hf;
      control_q.data_waits.read_preamble <= 8'hf;
      control_q.data_waits.read_postamble <= 8'hf;
      control_q.data_waits.write_preamble <= 8'hf;
      control_q.data_waits.write_postamble <= 8'hf;
      control_q.monitor.capture <= 1'h0;
      control_q.halt.ways <= 16'h0;
      halt_written_o <= 1'b0;
      control_q.resume.ways <= 16'h0;
      resume_written_o <= 1'b0;
      control_q.give_back.ways <= 16'h0;
      give_back_written_o <= 1'b0;
      control_q.abort_ways.ways <= 16'h0;
      abort_ways_written_o <= 1'b0;
    end else begin
      if (status_i.interrupt_status.response) control_q.interrupt_status.response <= 1'b1;
      else if (write_interrupt_status && w_i.data[0]) control_q.interrupt_status.response <= 1'b0;
      if (status_i.interrupt_status.dropped) control_q.interrupt_status.dropped <= 1'b1;
      else if (write_interrupt_status && w_i.data[1]) control_q.interrupt_status.dropped <= 1'b0;
      if (write_interrupt_enable) control_q.interrupt_enable.response <= w_i.data[0];
      if (write_interrupt_enable) control_q.interrupt_enable.dropped <= w_i.data[1];
      if (write_scheduler) control_q.scheduler.model <= model_e'(w_i.data[1:0]);
      if (write_scheduler) control_q.scheduler.merge_planes <= w_i.data[2];
      if (write_scheduler) control_q.scheduler.merge_cache_read <= w_i.data[3];
      if (write_scheduler) control_q.scheduler.merge_cache_program <= w_i.data[4];
      if (write_scheduler) control_q.scheduler.jedec <= w_i.data[5];
      if (write_scheduler) control_q.scheduler.plane_bits <= w_i.data[7:6];
      if (write_scheduler) control_q.scheduler.plane_shift <= w_i.data[12:8];
      if (write_scheduler) control_q.scheduler.full_gives_back <= w_i.data[13];
      if (write_scheduler) control_q.scheduler.halt_on_failure <= w_i.data[14];
      if (write_scheduler) control_q.scheduler.lun_shift <= w_i.data[20:16];
      if (write_scheduler) control_q.scheduler.low_ways <= w_i.data[28:24];
      if (write_scheduler) control_q.scheduler.age <= w_i.data[31:29];
      if (write_timeouts) control_q.timeouts.busy_timeout <= w_i.data[15:0];
      if (write_timeouts) control_q.timeouts.data_timeout <= w_i.data[31:16];
      if (write_bus) control_q.bus.ddr <= w_i.data[0];
      if (write_bus) control_q.bus.long_row <= w_i.data[1];
      if (write_bus) control_q.bus.sample_delay <= w_i.data[15:8];
      if (write_command_waits) control_q.command_waits.ce_setup <= w_i.data[7:0];
      if (write_command_waits) control_q.command_waits.ce_hold <= w_i.data[15:8];
      if (write_command_waits) control_q.command_waits.we_low <= w_i.data[23:16];
      if (write_command_waits) control_q.command_waits.we_high <= w_i.data[31:24];
      if (write_phase_waits) control_q.phase_waits.adl <= w_i.data[7:0];
      if (write_phase_waits) control_q.phase_waits.ccs <= w_i.data[15:8];
      if (write_phase_waits) control_q.phase_waits.whr <= w_i.data[23:16];
      if (write_phase_waits) control_q.phase_waits.rhw <= w_i.data[31:24];
      if (write_chip_waits) control_q.chip_waits.wb <= w_i.data[7:0];
      if (write_chip_waits) control_q.chip_waits.rr <= w_i.data[15:8];
      if (write_chip_waits) control_q.chip_waits.re_low <= w_i.data[23:16];
      if (write_chip_waits) control_q.chip_waits.re_high <= w_i.data[31:24];
      if (write_data_waits) control_q.data_waits.read_preamble <= w_i.data[7:0];
      if (write_data_waits) control_q.data_waits.read_postamble <= w_i.data[15:8];
      if (write_data_waits) control_q.data_waits.write_preamble <= w_i.data[23:16];
      if (write_data_waits) control_q.data_waits.write_postamble <= w_i.data[31:24];
      control_q.monitor.capture <= write_monitor && w_i.data[0];
      if (write_halt) control_q.halt.ways <= w_i.data[15:0];
      halt_written_o <= write_halt;
      if (write_resume) control_q.resume.ways <= w_i.data[15:0];
      resume_written_o <= write_resume;
      if (write_give_back) control_q.give_back.ways <= w_i.data[15:0];
      give_back_written_o <= write_give_back;
      if (write_abort_ways) control_q.abort_ways.ways <= w_i.data[15:0];
      abort_ways_written_o <= write_abort_ways;
    end
  end

  // Reads.
  assign response_read_word_o = read_word[1:0];
  assign response_read_o = read
      && read_word inside {[7'h10:7'h12]};
  assign monitors_read_word_o = read_word[5:0];

  always_comb begin
    read_data = '0;
    case (read_word) inside
      7'h00: begin
        read_data[7:0] = 8'h1;
        read_data[31:8] = 24'h464c43;
      end
      7'h01: begin
        read_data[4:0] = status_i.sizes.ways;
        read_data[11:8] = status_i.sizes.streams;
        read_data[21:16] = status_i.sizes.depth;
        read_data[31:24] = status_i.sizes.metadata;
      end
      7'h02: begin
        read_data[15:0] = status_i.status.idle;
        read_data[16] = status_i.status.response;
        read_data[17] = status_i.status.free;
      end
      7'h03: begin
        read_data[31:0] = status_i.room.queues;
      end
      7'h04: begin
        read_data[15:0] = status_i.ways.ready;
        read_data[31:16] = status_i.ways.occupied;
      end
      7'h05: begin
        read_data[0] = control_q.interrupt_status.response;
        read_data[1] = control_q.interrupt_status.dropped;
      end
      7'h06: begin
        read_data[0] = control_q.interrupt_enable.response;
        read_data[1] = control_q.interrupt_enable.dropped;
      end
      7'h14: begin
        read_data[1:0] = control_q.scheduler.model;
        read_data[2] = control_q.scheduler.merge_planes;
        read_data[3] = control_q.scheduler.merge_cache_read;
        read_data[4] = control_q.scheduler.merge_cache_program;
        read_data[5] = control_q.scheduler.jedec;
        read_data[7:6] = control_q.scheduler.plane_bits;
        read_data[12:8] = control_q.scheduler.plane_shift;
        read_data[13] = control_q.scheduler.full_gives_back;
        read_data[14] = control_q.scheduler.halt_on_failure;
        read_data[20:16] = control_q.scheduler.lun_shift;
        read_data[28:24] = control_q.scheduler.low_ways;
        read_data[31:29] = control_q.scheduler.age;
      end
      7'h15: begin
        read_data[15:0] = control_q.timeouts.busy_timeout;
        read_data[31:16] = control_q.timeouts.data_timeout;
      end
      7'h16: begin
        read_data[0] = control_q.bus.ddr;
        read_data[1] = control_q.bus.long_row;
        read_data[15:8] = control_q.bus.sample_delay;
      end
      7'h17: begin
        read_data[7:0] = control_q.command_waits.ce_setup;
        read_data[15:8] = control_q.command_waits.ce_hold;
        read_data[23:16] = control_q.command_waits.we_low;
        read_data[31:24] = control_q.command_waits.we_high;
      end
      7'h18: begin
        read_data[7:0] = control_q.phase_waits.adl;
        read_data[15:8] = control_q.phase_waits.ccs;
        read_data[23:16] = control_q.phase_waits.whr;
        read_data[31:24] = control_q.phase_waits.rhw;
      end
      7'h19: begin
        read_data[7:0] = control_q.chip_waits.wb;
        read_data[15:8] = control_q.chip_waits.rr;
        read_data[23:16] = control_q.chip_waits.re_low;
        read_data[31:24] = control_q.chip_waits.re_high;
      end
      7'h1a: begin
        read_data[7:0] = control_q.data_waits.read_preamble;
        read_data[15:8] = control_q.data_waits.read_postamble;
        read_data[23:16] = control_q.data_waits.write_preamble;
        read_data[31:24] = control_q.data_waits.write_postamble;
      end
      7'h1b: begin
        read_data[1] = status_i.monitor.busy;
      end
      7'h1c: begin
        read_data[15:0] = status_i.halts.halted;
        read_data[31:16] = status_i.halts.giving_back;
      end
      [7'h10:7'h12]: read_data = response_data_i;
      [7'h40:7'h7f]: read_data = monitors_data_i;
      default: ;
    endcase
  end

endmodule
