// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"
`include "fm_axi.svh"

// Works on the data buffer memory for the processor: fills with zeros, copies, compares.
//
// Contract: `start_i` with an order of at least one unit begins it, and is ignored while `busy_o` is up. Units are done one after
// the other; when `busy_o` falls all of them are, `differs_o` says whether what was compared differed, and
// `failed_o` whether memory refused an access. Source and target that overlap are copied from low to high.
// Latency: for each unit of 512 bytes two accesses of memory, one for zeros, and a few cycles.
// Reason: a unit at a time needs a buffer of one unit, and meets one memory channel at once. What the processor
// asks for here is rare: parts of pages that were never written, and compares.
module memory_engine
  import fm_ssd_pkg::*;
#(
    parameter int unsigned DataBits = 256,
    localparam type r_beat_t = `FM_AXI_R(DataBits),
    localparam type w_beat_t = `FM_AXI_W(DataBits)
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  logic                  start_i,
    input  order_t                order_i,
    output logic                  busy_o,
    output logic                  differs_o,
    output logic                  failed_o,
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

  localparam int unsigned Beats = UnitBytes / (DataBits / 8);
  localparam int unsigned BeatBits = $clog2(Beats);

  typedef enum logic [2:0] {
    Idle,
    AskSource,
    TakeSource,
    AskTarget,
    TakeTarget,
    Address,
    Data,
    Answer
  } state_e;

  state_e state_d, state_q;
  order_t order_q;
  logic [BeatBits-1:0] beat_q;
  logic [DataBits-1:0] kept;
  logic moves, unit_ends, differs_q, failed_q, refused;

  assign moves = (r_valid_i && r_ready_o) || (w_valid_o && w_ready_i);
  assign unit_ends = (state_q == TakeTarget && r_valid_i && r_i.last) || (state_q == Answer && b_valid_i);
  assign refused = (r_valid_i && r_ready_o && is_error(r_i.response))
      || (b_valid_i && b_ready_o && is_error(b_response_i));

  function automatic state_e first_of(deed_e deed);
    return deed == DeedZero ? Address : AskSource;
  endfunction

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle:       if (start_i) state_d = first_of(order_i.deed);
      AskSource:  if (ar_ready_i) state_d = TakeSource;
      TakeSource: if (r_valid_i && r_i.last) state_d = order_q.deed == DeedCompare ? AskTarget : Address;
      AskTarget:  if (ar_ready_i) state_d = TakeTarget;
      TakeTarget: ;
      Address:    if (aw_ready_i) state_d = Data;
      Data:       if (w_ready_i && w_o.last) state_d = Answer;
      Answer:     ;
    endcase
    if (unit_ends) state_d = order_q.units == 16'd1 ? Idle : first_of(order_q.deed);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      differs_q <= 1'b0;
      failed_q <= 1'b0;
      beat_q <= '0;
    end else begin
      state_q <= state_d;
      if (state_q == Idle && start_i) begin
        differs_q <= 1'b0;
        failed_q <= 1'b0;
      end else begin
        if (state_q == TakeTarget && r_valid_i && r_i.data != kept) differs_q <= 1'b1;
        if (refused) failed_q <= 1'b1;
      end
      if (moves) beat_q <= beat_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Idle) begin
      order_q <= order_i;
    end else if (unit_ends) begin
      order_q.from <= order_q.from + 1'b1;
      order_q.target <= order_q.target + 1'b1;
      order_q.units <= order_q.units - 1'b1;
    end
  end

  fm_ram_lut #(
      .Width(DataBits),
      .Depth(Beats)
  ) u_unit (
      .clk_i,
      .write_i(state_q == TakeSource && r_valid_i),
      .write_address_i(beat_q),
      .write_data_i(r_i.data),
      .read_address_i(beat_q),
      .read_data_o(kept)
  );

  assign busy_o = state_q != Idle;
  assign differs_o = differs_q;
  assign failed_o = failed_q;

  assign ar_valid_o = state_q inside {AskSource, AskTarget};
  assign ar_o = '{
      id: '0,
      address: 64'({state_q == AskSource ? order_q.from : order_q.target, UnitBits'(0)}),
      length: 8'(Beats - 1)
  };
  assign r_ready_o = state_q inside {TakeSource, TakeTarget};
  assign aw_valid_o = state_q == Address;
  assign aw_o = '{id: '0, address: 64'({order_q.target, UnitBits'(0)}), length: 8'(Beats - 1)};
  assign w_valid_o = state_q == Data;
  assign w_o = '{
      data: order_q.deed == DeedZero ? '0 : kept,
      strobe: '1,
      last: beat_q == BeatBits'(Beats - 1)
  };
  assign b_ready_o = state_q == Answer;

  `FM_ASSERT(NoEmptyOrder, !start_i || busy_o || order_i.units != '0)
  `FM_ASSERT_STREAM(u_assert_ar, ar_valid_o, ar_ready_i, ar_o)
  `FM_ASSERT_STREAM(u_assert_aw, aw_valid_o, aw_ready_i, aw_o)
  `FM_ASSERT_STREAM(u_assert_w, w_valid_o, w_ready_i, w_o)

endmodule
