// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Made by rtl/tools/registers.py of rtl/soc/ssd_top.rdl; `make registers` makes it anew.
//
// Registers of the controller as a whole, 32 bits each, on AXI4-Lite.
//
// Contract: words only. A write of a part of a word and an access of an address without register
// end in SLVERR and change nothing. What is written to bits that cannot be written is ignored.
// One write and one read at a time. `<window>_write_o` and `<window>_read_o` pulse with the number
// of the word, where hardware has to know; the word read is that of the same cycle.
// `<register>_read_o` pulses when the register is read, `<register>_written_o` when its fields
// have been written.
// Latency: that of `fm_lite_front`.
// Reason: fields and words here, handshakes there.
module controller_register_block
  import fm_ssd_pkg::*;
  import fm_controller_register_block_pkg::*;
(
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic                    aw_valid_i,
    output logic                    aw_ready_o,
    input  logic [ 5:0]             aw_addr_i,
    input  logic                    w_valid_i,
    output logic                    w_ready_o,
    input  fm_axi_pkg::lite_write_t w_i,
    output logic                    b_valid_o,
    input  logic                    b_ready_i,
    output fm_axi_pkg::response_e   b_resp_o,
    input  logic                    ar_valid_i,
    output logic                    ar_ready_o,
    input  logic [ 5:0]             ar_addr_i,
    output logic                    r_valid_o,
    input  logic                    r_ready_i,
    output fm_axi_pkg::lite_read_t  r_o,
    input  status_t                 status_i,
    output control_t                control_o,
    output logic                    time_low_read_o,
    output logic                    engine_written_o
);

  `FM_REQUIRE(gen_deed_e_differs, DeedZero == 2'd0
           && DeedCopy == 2'd1
           && DeedCompare == 2'd2,
           "controller_register_block: deed_e")

  typedef logic [3:0] word_t;
  word_t write_word, read_word;
  logic write, read;
  logic [31:0] read_data;

  // Whether the word is one of a register or of a window.
  function automatic logic is_known(word_t word);
    return word inside {
      4'h00, 4'h01, 4'h02, 4'h03, 4'h04, 4'h05, 4'h06, 4'h07,
      4'h08, 4'h09, 4'h0a, 4'h0b, 4'h0c, 4'h0d
    };
  endfunction

  fm_lite_front #(
      .AddressBits(6)
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
  logic write_interrupt_enable;
  logic write_alarm;
  logic write_entries;
  logic write_entry_base;
  logic write_memory_errors;
  logic write_source;
  logic write_target;
  logic write_engine;

  assign write_interrupt_enable = write && write_word == 4'h05;
  assign write_alarm = write && write_word == 4'h06;
  assign write_entries = write && write_word == 4'h07;
  assign write_entry_base = write && write_word == 4'h08;
  assign write_memory_errors = write && write_word == 4'h09;
  assign write_source = write && write_word == 4'h0a;
  assign write_target = write && write_word == 4'h0b;
  assign write_engine = write && write_word == 4'h0c;

  // Fields.
  control_t control_q;
  assign control_o = control_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      control_q.interrupt_enable.channels <= 16'h0;
      control_q.interrupt_enable.host <= 1'h0;
      control_q.interrupt_enable.memory <= 1'h0;
      control_q.interrupt_enable.alarm <= 1'h0;
      control_q.alarm.moment <= 32'h0;
      control_q.entries.stride <= 9'h0;
      control_q.entry_base.base <= 31'h0;
      control_q.memory_errors.fetch <= 16'h0;
      control_q.memory_errors.store <= 16'h0;
      control_q.source.address <= 31'h0;
      control_q.target.address <= 31'h0;
      control_q.engine.units <= 16'h0;
      control_q.engine.deed <= deed_e'(0);
      engine_written_o <= 1'b0;
    end else begin
      if (write_interrupt_enable) control_q.interrupt_enable.channels <= w_i.data[15:0];
      if (write_interrupt_enable) control_q.interrupt_enable.host <= w_i.data[16];
      if (write_interrupt_enable) control_q.interrupt_enable.memory <= w_i.data[17];
      if (write_interrupt_enable) control_q.interrupt_enable.alarm <= w_i.data[18];
      if (write_alarm) control_q.alarm.moment <= w_i.data[31:0];
      if (write_entries) control_q.entries.stride <= w_i.data[8:0];
      if (write_entry_base) control_q.entry_base.base <= w_i.data[30:0];
      control_q.memory_errors.fetch <= (control_q.memory_errors.fetch & ~(write_memory_errors ? w_i.data[15:0] : '0)) | status_i.memory_errors.fetch;
      control_q.memory_errors.store <= (control_q.memory_errors.store & ~(write_memory_errors ? w_i.data[31:16] : '0)) | status_i.memory_errors.store;
      if (write_source) control_q.source.address <= w_i.data[30:0];
      if (write_target) control_q.target.address <= w_i.data[30:0];
      if (write_engine) control_q.engine.units <= w_i.data[15:0];
      if (write_engine) control_q.engine.deed <= deed_e'(w_i.data[17:16]);
      engine_written_o <= write_engine;
    end
  end

  // Reads.
  assign time_low_read_o = read && read_word == 4'h02;

  always_comb begin
    read_data = '0;
    case (read_word) inside
      4'h00: begin
        read_data[7:0] = 8'h1;
        read_data[31:8] = 24'h535344;
      end
      4'h01: begin
        read_data[4:0] = status_i.sizes.channels;
        read_data[12:8] = status_i.sizes.ways;
        read_data[19:16] = status_i.sizes.memories;
        read_data[30:24] = status_i.sizes.bytes;
      end
      4'h02: begin
        read_data[31:0] = status_i.time_low.low;
      end
      4'h03: begin
        read_data[31:0] = status_i.time_high.high;
      end
      4'h04: begin
        read_data[15:0] = status_i.interrupt_lines.channels;
        read_data[16] = status_i.interrupt_lines.host;
        read_data[17] = status_i.interrupt_lines.memory;
        read_data[18] = status_i.interrupt_lines.alarm;
      end
      4'h05: begin
        read_data[15:0] = control_q.interrupt_enable.channels;
        read_data[16] = control_q.interrupt_enable.host;
        read_data[17] = control_q.interrupt_enable.memory;
        read_data[18] = control_q.interrupt_enable.alarm;
      end
      4'h06: begin
        read_data[31:0] = control_q.alarm.moment;
      end
      4'h07: begin
        read_data[8:0] = control_q.entries.stride;
      end
      4'h08: begin
        read_data[30:0] = control_q.entry_base.base;
      end
      4'h09: begin
        read_data[15:0] = control_q.memory_errors.fetch;
        read_data[31:16] = control_q.memory_errors.store;
      end
      4'h0a: begin
        read_data[30:0] = control_q.source.address;
      end
      4'h0b: begin
        read_data[30:0] = control_q.target.address;
      end
      4'h0d: begin
        read_data[0] = status_i.engine_status.busy;
        read_data[1] = status_i.engine_status.differs;
        read_data[2] = status_i.engine_status.failed;
      end
      default: ;
    endcase
  end

endmodule
