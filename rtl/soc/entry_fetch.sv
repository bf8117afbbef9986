// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"
`include "fm_axi.svh"

// Brings what a program needs out of the data buffer memory: packets of words, of the entries that a channel
// names.
//
// Contract: `fetch_i` names an entry and a number of bytes from its start. They leave on `data` as words of 16
// bits, the lower byte first, packet by packet in the order of their descriptors. Reads are bursts of up to a
// unit, one at a time. When one is refused, `failed_o` pulses, and the words that came with it are marked by
// `data_error_o`.
// Latency: that of memory and a few cycles for the first word. Two units are kept ahead, so that a word leaves in
// every cycle if memory answers within the 256 cycles that a unit takes.
// Reason: one burst at a time keeps the order over all channels of the memory without a queue for it, and a word
// a cycle is what a bus of flash chips can take at most.
module entry_fetch
  import fm_ssd_pkg::*;
#(
    parameter int unsigned DataBits = 256,
    localparam type r_beat_t = `FM_AXI_R(DataBits)
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  entries_t              entries_i,
    input  logic                  fetch_valid_i,
    output logic                  fetch_ready_o,
    input  fm_flash_pkg::packet_t fetch_i,
    output logic                  data_valid_o,
    input  logic                  data_ready_i,
    output logic [15:0]           data_o,
    output logic                  data_last_o,
    output logic                  data_error_o,
    output logic                  failed_o,
    // The memory.
    output logic                  ar_valid_o,
    input  logic                  ar_ready_i,
    output fm_axi_pkg::burst_t    ar_o,
    input  logic                  r_valid_i,
    output logic                  r_ready_o,
    input  r_beat_t               r_i
);

  localparam int unsigned BeatBytes = DataBits / 8;
  localparam int unsigned Beats = UnitBytes / BeatBytes;
  localparam int unsigned Words = DataBits / 16;
  localparam int unsigned IndexBits = $clog2(Words);
  localparam int unsigned LevelBits = $clog2(2 * Beats + 1);

  // Asks: units of the entry that are to be read, and how far its bytes go.
  logic asking_q, busy_q, begin_entry, lengths_ready, ask;
  unit_address_t unit_q;
  logic [16:0] left_q;
  logic [7:0] beats;
  logic [LevelBits-1:0] level;

  assign begin_entry = fetch_valid_i && fetch_ready_o;
  assign fetch_ready_o = !asking_q && lengths_ready;
  assign beats = left_q >= 17'(UnitBytes) ? 8'(Beats) : 8'((left_q + 17'(BeatBytes - 1)) >> $clog2(BeatBytes));

  assign ar_valid_o = asking_q && !busy_q && level <= LevelBits'(Beats);
  assign ar_o = '{id: '0, address: 64'({unit_q, UnitBits'(0)}), length: beats - 1'b1};
  assign ask = ar_valid_o && ar_ready_i;

  always_ff @(posedge clk_i) begin
    if (begin_entry) begin
      unit_q <= entries_i.base + unit_address_t'(fetch_i.buffer * entries_i.stride);
      left_q <= 17'(fetch_i.length);
    end else if (ask) begin
      unit_q <= unit_q + 1'b1;
      left_q <= left_q - 17'(UnitBytes);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      asking_q <= 1'b0;
      busy_q <= 1'b0;
    end else begin
      if (begin_entry) asking_q <= 1'b1;
      else if (ask && left_q <= 17'(UnitBytes)) asking_q <= 1'b0;
      busy_q <= ask || (busy_q && !(r_valid_i && r_ready_o && r_i.last));
    end
  end

  // Beats that have come.
  logic beat_valid, beat_ready, refused;
  logic [DataBits-1:0] beat;

  fm_fifo #(
      .Width(DataBits + 1),
      .Depth(2 * Beats)
  ) u_beats (
      .clk_i,
      .rst_ni,
      .in_valid_i(r_valid_i),
      .in_ready_o(r_ready_o),
      .in_data_i({refused, r_i.data}),
      .out_valid_o(beat_valid),
      .out_ready_i(beat_ready),
      .out_data_o({data_error_o, beat}),
      .level_o(level)
  );

  assign refused = is_error(r_i.response);
  assign failed_o = r_valid_i && r_ready_o && refused;

  // The words of a packet.
  logic length_valid, word_leaves;
  logic [14:0] words, sent_q;
  logic [IndexBits-1:0] index_q;
  logic [1:0] unused_level;

  fm_fifo #(
      .Width(15),
      .Depth(2)
  ) u_lengths (
      .clk_i,
      .rst_ni,
      .in_valid_i(fetch_valid_i && !asking_q),
      .in_ready_o(lengths_ready),
      .in_data_i(fetch_i.length[15:1]),
      .out_valid_o(length_valid),
      .out_ready_i(word_leaves && data_last_o),
      .out_data_o(words),
      .level_o(unused_level)
  );

  assign data_valid_o = beat_valid && length_valid;
  assign data_o = beat[16*index_q+:16];
  assign data_last_o = sent_q == words - 1'b1;
  assign word_leaves = data_valid_o && data_ready_i;
  assign beat_ready = word_leaves && (data_last_o || index_q == IndexBits'(Words - 1));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sent_q <= '0;
      index_q <= '0;
    end else if (word_leaves) begin
      sent_q <= data_last_o ? '0 : sent_q + 1'b1;
      index_q <= data_last_o ? '0 : index_q + 1'b1;
    end
  end

  `FM_ASSERT(RoomForEveryBeat, !r_valid_i || r_ready_o)
  `FM_ASSERT_STREAM(u_assert_fetch, fetch_valid_i, fetch_ready_o, fetch_i)
  `FM_ASSERT_STREAM(u_assert_data, data_valid_o, data_ready_i, ({data_error_o, data_last_o, data_o}))
  `FM_ASSERT_STREAM(u_assert_ar, ar_valid_o, ar_ready_i, ar_o)

endmodule
