// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"
`include "fm_axi.svh"

// Reads and writes single words of the data buffer memory.
//
// Contract: an order with `valid` stays, unchanged, until `done` is up for a cycle; then the next may come. One word at
// a time.
// Latency: that of the memory, and two cycles for a write.
// Reason: for the processor, which moves metadata and pages of its log, a few words at a time.
module word_access
  import fm_ssd_pkg::*;
#(
    parameter int unsigned DataBits = 256,
    localparam int unsigned Lanes = DataBits / 32,
    localparam type r_beat_t = `FM_AXI_R(DataBits),
    localparam type w_beat_t = `FM_AXI_W(DataBits)
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  word_order_t           order_i,
    output word_answer_t          answer_o,
    // The memory.
    output logic                  ar_valid_o,
    input  logic                  ar_ready_i,
    output fm_axi_pkg::burst_t    ar_o,
    input  logic                  r_valid_i,
    output logic                  r_ready_o,
    input  r_beat_t               r_i,
    output logic                  aw_valid_o,
    input  logic                  aw_ready_i,
    output fm_axi_pkg::burst_t    aw_o,
    output logic                  w_valid_o,
    input  logic                  w_ready_i,
    output w_beat_t               w_o,
    input  logic                  b_valid_i,
    output logic                  b_ready_o,
    input  fm_axi_pkg::response_e b_response_i
);

  localparam int unsigned LaneBits = $clog2(Lanes);

  typedef enum logic [1:0] {
    Address,
    Data,
    Answer
  } state_e;

  state_e state_q;
  logic [LaneBits-1:0] lane;
  fm_axi_pkg::burst_t beat;
  // The only beat of its burst.
  logic unused_last;

  assign unused_last = r_i.last;

  assign lane = order_i.address[LaneBits-1:0];
  assign beat = '{id: '0, address: 64'({order_i.address[27:LaneBits], (LaneBits + 2)'(0)}), length: '0};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Address;
    end else begin
      unique case (state_q)
        Address: begin
          if (ar_valid_o && ar_ready_i) state_q <= Answer;
          if (aw_valid_o && aw_ready_i) state_q <= Data;
        end
        Data:    if (w_ready_i) state_q <= Answer;
        Answer:  if (answer_o.done) state_q <= Address;
        default: ;
      endcase
    end
  end

  assign ar_valid_o = state_q == Address && order_i.valid && !order_i.write;
  assign ar_o = beat;
  assign aw_valid_o = state_q == Address && order_i.valid && order_i.write;
  assign aw_o = beat;
  assign w_valid_o = state_q == Data;
  assign w_o = '{data: {Lanes{order_i.data}}, strobe: Lanes'(1) << lane, last: 1'b1};
  assign r_ready_o = state_q == Answer;
  assign b_ready_o = state_q == Answer;

  assign answer_o = '{
      done: state_q == Answer && (r_valid_i || b_valid_i),
      failed: is_error(order_i.write ? b_response_i : r_i.response),
      data: r_i.data[32*lane+:32]
  };

  `FM_ASSERT_STREAM(u_assert_ar, ar_valid_o, ar_ready_i, ar_o)
  `FM_ASSERT_STREAM(u_assert_aw, aw_valid_o, aw_ready_i, aw_o)
  `FM_ASSERT_STREAM(u_assert_w, w_valid_o, w_ready_i, w_o)

endmodule
