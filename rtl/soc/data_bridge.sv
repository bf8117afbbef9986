// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"
`include "fm_axi.svh"

// From the processor's loads and stores to what is at their addresses (`fm_map_pkg`).
//
// Contract: an access is granted while none waits for its answer; it is answered in order, with `failed_o` where nothing
// is at its address, or the controller or memory refused it. Registers and trace window take whole words. Of the data
// buffer memory, a store of less is one of the word with these bytes in it, which is read before.
// Latency: one cycle for program memory and trace window; for registers and data buffer memory theirs and one, twice where a word
// is read before.
// Reason: the processor waits for each access, so one at a time costs nothing, and a store has ended before the next
// access begins: data are in memory before the register is written that sends hardware to them.
module data_bridge
  import fm_ssd_pkg::*, fm_map_pkg::*;
#(
    localparam type lite_request_t = `FM_LITE_REQUEST(RegistersBits)
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    // The processor.
    input  logic                       valid_i,
    output logic                       grant_o,
    input  logic                       write_i,
    input  logic [3:0]                 bytes_i,
    input  logic [31:0]                address_i,
    input  logic [31:0]                data_i,
    output logic                       answer_o,
    output logic                       failed_o,
    output logic [31:0]                data_o,
    output logic                       waits_o,
    // Program memory, which answers in the next cycle.
    output logic                       program_o,
    input  logic [31:0]                program_data_i,
    // Registers, on AXI4-Lite.
    output lite_request_t              registers_o,
    input  fm_axi_pkg::lite_response_t registers_i,
    // The data buffer memory.
    output word_order_t                word_order_o,
    input  word_answer_t               word_answer_i,
    // The trace window.
    output logic                       trace_valid_o,
    output logic [3:0]                 trace_place_o,
    output logic [31:0]                trace_data_o
);

  typedef enum logic [2:0] {
    Idle,
    Program,
    Registers,
    Memory,
    // The word of a store of bytes is read.
    Merge,
    Trace,
    Nowhere
  } state_e;

  state_e state_d, state_q, target;
  logic write_q, aw_wait_q, w_wait_q, ar_wait_q, takes;
  logic [29:0] address_q;
  logic [31:0] data_q;
  logic [3:0] bytes_q;
  logic is_word;

  assign is_word = !write_i || bytes_i == '1;

  always_comb begin
    target = Nowhere;
    if (address_i[31:RegistersBits] == RegistersBase[31:RegistersBits] && is_word) target = Registers;
    if (address_i[31:TraceBits] == TraceBase[31:TraceBits] && is_word && write_i) target = Trace;
    if (address_i[31:ProgramBits] == ProgramBase[31:ProgramBits]) target = Program;
    if (address_i[31:MemoryBits] == MemoryBase[31:MemoryBits]) target = is_word ? Memory : Merge;
  end

  always_comb begin
    unique case (state_q)
      Registers: answer_o = write_q ? registers_i.b_valid : registers_i.r_valid;
      Memory:    answer_o = word_answer_i.done;
      Merge:     answer_o = word_answer_i.done && word_answer_i.failed;
      Idle:      answer_o = 1'b0;
      default:   answer_o = 1'b1;
    endcase
  end

  assign grant_o = state_q == Idle || answer_o;
  assign takes = valid_i && grant_o;

  always_comb begin
    state_d = state_q;
    if (takes) state_d = target;
    else if (answer_o) state_d = Idle;
    else if (state_q == Merge && word_answer_i.done) state_d = Memory;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      aw_wait_q <= 1'b0;
      w_wait_q <= 1'b0;
      ar_wait_q <= 1'b0;
    end else begin
      state_q <= state_d;
      if (registers_i.aw_ready) aw_wait_q <= 1'b0;
      if (registers_i.w_ready) w_wait_q <= 1'b0;
      if (registers_i.ar_ready) ar_wait_q <= 1'b0;
      if (takes && target == Registers) begin
        aw_wait_q <= write_i;
        w_wait_q <= write_i;
        ar_wait_q <= !write_i;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (takes) begin
      write_q <= write_i;
      address_q <= address_i[29:0];
      bytes_q <= bytes_i;
      data_q <= data_i;
    end else if (state_q == Merge) begin
      for (int unsigned i = 0; i < 4; i++) begin
        if (!bytes_q[i] && word_answer_i.done) data_q[8*i+:8] <= word_answer_i.data[8*i+:8];
      end
    end
  end

  assign waits_o = state_q inside {Registers, Memory, Merge};
  assign program_o = takes && target == Program;

  assign registers_o = '{
      aw_valid: aw_wait_q,
      aw_addr: address_q[RegistersBits-1:0],
      w_valid: w_wait_q,
      w: '{data: data_q, strobe: '1},
      b_ready: state_q == Registers,
      ar_valid: ar_wait_q,
      ar_addr: address_q[RegistersBits-1:0],
      r_ready: state_q == Registers
  };

  assign word_order_o = '{
      valid: state_q inside {Memory, Merge},
      write: write_q && state_q == Memory,
      address: address_q[29:2],
      data: data_q
  };

  assign trace_valid_o = state_q == Trace;
  assign trace_place_o = address_q[TraceBits-1:2];
  assign trace_data_o = data_q;

  always_comb begin
    unique case (state_q)
      Registers: failed_o = (write_q ? registers_i.b_resp : registers_i.r.response) != fm_axi_pkg::Okay;
      Memory, Merge: failed_o = word_answer_i.failed;
      default:   failed_o = state_q == Nowhere;
    endcase
    unique case (state_q)
      Program: data_o = program_data_i;
      Memory:  data_o = word_answer_i.data;
      default: data_o = registers_i.r.data;
    endcase
  end

  `FM_ASSERT_STREAM(u_assert_aw, registers_o.aw_valid, registers_i.aw_ready, registers_o.aw_addr)
  `FM_ASSERT_STREAM(u_assert_w, registers_o.w_valid, registers_i.w_ready, registers_o.w)
  `FM_ASSERT_STREAM(u_assert_ar, registers_o.ar_valid, registers_i.ar_ready, registers_o.ar_addr)

endmodule
