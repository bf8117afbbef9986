// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"
`include "fm_axi.svh"

// Puts what a channel has read into the data buffer memory: packets of words, into the entries that it names.
//
// Contract: `store_i` names an entry and a number of bytes from its start, then come its words, the lower byte
// first. The last word is taken only when memory has answered for all of the packet, so that who is told of
// the page finds it there. Writes are bursts of up to a unit, one at a time; one begins when its beats are there. Strobes
// have a bit a 32-bit lane; where a packet ends in the middle of one, zeros are written behind it. When a burst is
// refused, `failed_o` pulses, and the last word of its packet is taken with `data_error_o`.
// Latency: a word a cycle, if memory answers within the 256 cycles that a unit takes.
// Reason: a burst that waits for words of a slow bus would keep all others from memory.
module entry_store
  import fm_ssd_pkg::*;
#(
    parameter int unsigned DataBits = 256,
    localparam int unsigned Lanes = DataBits / 32,
    localparam type w_beat_t = `FM_AXI_W(DataBits)
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  entries_t              entries_i,
    input  logic                  store_valid_i,
    output logic                  store_ready_o,
    input  fm_flash_pkg::packet_t store_i,
    input  logic                  data_valid_i,
    output logic                  data_ready_o,
    input  logic [15:0]           data_i,
    input  logic                  data_last_i,
    output logic                  data_error_o,
    output logic                  failed_o,
    // The memory.
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
  localparam int unsigned Words = DataBits / 16;
  localparam int unsigned IndexBits = $clog2(Words);
  localparam int unsigned LevelBits = $clog2(2 * Beats + 1);

  // A packet that is open, all of whose words were seen, of which memory has refused some.
  logic open_q, seen_q, refused_q;
  unit_address_t unit_q;

  // The beat that is being filled.
  logic take, push, push_ready;
  logic [IndexBits-1:0] index_q;
  logic [DataBits-1:0] beat_d, beat_q;
  logic [Lanes-1:0] strobe;

  // A burst: none, its address, its beats, its answer.
  typedef enum logic [1:0] {
    None,
    Address,
    Data,
    Response
  } burst_e;
  burst_e burst_q;
  logic [7:0] left_q, burst_beats;
  logic [LevelBits-1:0] level;
  logic begin_burst, quiet, done;

  assign store_ready_o = !open_q;
  assign quiet = burst_q == None && level == '0;
  assign done = open_q && seen_q && quiet;
  assign take = open_q && data_valid_i && !seen_q && (!push || push_ready);
  assign push = data_last_i || index_q == IndexBits'(Words - 1);
  assign data_ready_o = data_last_i ? done : take;
  assign data_error_o = refused_q;

  always_comb begin
    beat_d = index_q == '0 ? '0 : beat_q;
    beat_d[16*index_q+:16] = data_i;
    for (int unsigned lane = 0; lane < Lanes; lane++) strobe[lane] = lane <= 32'(index_q) / 2;
  end

  always_ff @(posedge clk_i) begin
    if (take) beat_q <= beat_d;
    if (store_valid_i && store_ready_o) begin
      unit_q <= entries_i.base + unit_address_t'(store_i.buffer * entries_i.stride);
    end else if (aw_valid_o && aw_ready_i) begin
      unit_q <= unit_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q <= 1'b0;
      seen_q <= 1'b0;
      refused_q <= 1'b0;
      index_q <= '0;
    end else begin
      open_q <= open_q ? !done : store_valid_i;
      refused_q <= open_q && (refused_q || failed_o);
      seen_q <= open_q && !done && (seen_q || (take && data_last_i));
      if (take) index_q <= push ? '0 : index_q + 1'b1;
    end
  end

  logic beat_valid;

  fm_fifo #(
      .Width(DataBits + Lanes),
      .Depth(2 * Beats)
  ) u_beats (
      .clk_i,
      .rst_ni,
      .in_valid_i(open_q && data_valid_i && !seen_q && push),
      .in_ready_o(push_ready),
      .in_data_i({strobe, beat_d}),
      .out_valid_o(beat_valid),
      .out_ready_i(burst_q == Data && w_ready_i),
      .out_data_o({w_o.strobe, w_o.data}),
      .level_o(level)
  );

  // A burst begins with a whole unit, or with what the packet ends in.
  assign begin_burst = burst_q == None && (level >= LevelBits'(Beats) || (seen_q && level != '0));
  assign burst_beats = level >= LevelBits'(Beats) ? 8'(Beats) : 8'(level);

  assign aw_valid_o = burst_q == Address;
  assign aw_o = '{id: '0, address: 64'({unit_q, UnitBits'(0)}), length: left_q};
  assign w_valid_o = burst_q == Data;
  assign w_o.last = left_q == '0;
  assign b_ready_o = burst_q == Response;
  assign failed_o = b_ready_o && b_valid_i && is_error(b_response_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      burst_q <= None;
    end else begin
      unique case (burst_q)
        None:     if (begin_burst) burst_q <= Address;
        Address:  if (aw_ready_i) burst_q <= Data;
        Data:     if (w_ready_i && w_o.last) burst_q <= Response;
        Response: if (b_valid_i) burst_q <= None;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (begin_burst) left_q <= burst_beats - 1'b1;
    else if (w_valid_o && w_ready_i) left_q <= left_q - 1'b1;
  end

  `FM_ASSERT(BeatsAreThere, !w_valid_o || beat_valid)
  `FM_ASSERT_STREAM(u_assert_store, store_valid_i, store_ready_o, store_i)
  `FM_ASSERT_STREAM(u_assert_data, data_valid_i, data_ready_o, ({data_last_i, data_i}))
  `FM_ASSERT_STREAM(u_assert_aw, aw_valid_o, aw_ready_i, aw_o)
  `FM_ASSERT_STREAM(u_assert_w, w_valid_o, w_ready_i, w_o)

endmodule
