// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Turns transfers into the reads of their source, and says where in the ring the answers belong.
//
// Contract: a transfer is `in_bytes_i` from `in_source_i` to an address that ends with
// `in_offset_i`. It is taken when the ring has room for it, so that answers never wait. A read
// does not cross a multiple of SplitBytes. A transfer without bytes has no reads. `freed_i` gives
// rows back.
// Latency: three cycles to the first read, then one read every third cycle.
// Reason: places are given before anything is asked for, and in order. So whoever reads the ring
// needs no list of places, and no answer can be without one.
module dma_reader #(
    parameter int unsigned DataBits   = 256,
    parameter int unsigned Rows       = 512,
    parameter int unsigned SplitBytes = 4096,
    localparam int unsigned RowBits = $clog2(Rows),
    localparam int unsigned BeatBits = $clog2(DataBits / 8),
    localparam int unsigned LaneBits = BeatBits - 2,
    localparam int unsigned CountBits = 14 - BeatBits
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 in_valid_i,
    output logic                 in_ready_o,
    input  logic [         63:0] in_source_i,
    input  logic [ BeatBits-1:0] in_offset_i,
    input  logic [         12:0] in_bytes_i,
    input  logic [CountBits-1:0] freed_i,
    output logic                 read_valid_o,
    input  logic                 read_ready_i,
    output logic [         63:0] read_address_o,
    output logic [          7:0] read_length_o,
    output logic [  RowBits-1:0] read_row_o,
    output logic [ LaneBits-1:0] read_shift_o,
    output logic                 read_skip_first_o,
    output logic                 read_skip_last_o,
    output logic                 read_final_o
);

  localparam int unsigned SplitBits = $clog2(SplitBytes) - BeatBits;

  typedef logic [CountBits-1:0] count_t;

  // Beats or rows that bytes touch, from an offset in the first one on.
  function automatic count_t touched(logic [BeatBits-1:0] offset, logic [12:0] bytes);
    logic [13:0] sum;
    sum = 14'(offset) + 14'(bytes) + 14'(DataBits / 8 - 1);
    return count_t'(sum >> BeatBits);
  endfunction

  logic in_take, begins, begun_q, waiting_q, reading_q, planned_q, in_room, final_q, first_q;
  logic no_bytes, straddles, straddles_q;
  logic [63:0] source_q;
  logic [BeatBits-1:0] offset_q;
  logic [12:0] bytes_q;
  logic [LaneBits-1:0] shift_q;
  count_t rows, rows_q, left_q, beats_q;
  logic [SplitBits:0] room;
  // The rows that are free, and the row after the last one given away.
  logic [RowBits:0] free_q;
  logic [RowBits-1:0] end_q, row_q;
  // What was read is counted a cycle later, since the way from whoever takes a read is long.
  logic read, read_q;

  assign in_ready_o = !waiting_q && !reading_q;
  assign in_take = in_valid_i && in_ready_o;
  // What comes may come from block RAM, which takes half of a cycle. So it is looked at a cycle later, and the rows
  // that a transfer begins with are in use a cycle after that; the next one begins later still.
  assign rows = touched(offset_q, bytes_q);
  assign straddles = offset_q < source_q[BeatBits-1:0];
  assign no_bytes = bytes_q == '0;
  assign begins = waiting_q && !no_bytes && (RowBits + 2)'(rows) <= (RowBits + 2)'(free_q);

  // Beats to the next border. A read is planned in a cycle of its own.
  assign room = (SplitBits + 1)'(2 ** SplitBits) - (SplitBits + 1)'(source_q[BeatBits+:SplitBits]);
  assign in_room = left_q <= count_t'(room);
  assign read_final_o = final_q;
  assign read_valid_o = planned_q;
  assign read_address_o = source_q;
  assign read_length_o = 8'(beats_q - 1'b1);
  assign read_row_o = row_q;
  assign read_shift_o = shift_q;
  assign read_skip_first_o = first_q && straddles_q;
  // What leaves the last row belongs to the next transfer.
  assign read_skip_last_o = read_final_o && row_q + RowBits'(beats_q) == end_q;
  assign read = read_valid_o && read_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waiting_q <= 1'b0;
      begun_q <= 1'b0;
      reading_q <= 1'b0;
      planned_q <= 1'b0;
      read_q <= 1'b0;
      free_q <= (RowBits + 1)'(Rows);
      end_q <= '0;
    end else begin
      if (in_take) waiting_q <= 1'b1;
      else if (begins || no_bytes) waiting_q <= 1'b0;
      if (begins) reading_q <= 1'b1;
      begun_q <= begins;
      if (begun_q) end_q <= end_q + RowBits'(rows_q);
      else if (read && read_final_o) reading_q <= 1'b0;
      read_q <= read && !read_final_o;
      planned_q <= reading_q && !read && !read_q;
      free_q <= free_q - (RowBits + 1)'(begun_q ? rows_q : '0) + (RowBits + 1)'(freed_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (in_take) begin
      source_q <= in_source_i;
      offset_q <= in_offset_i;
      bytes_q <= in_bytes_i;
    end
    if (!planned_q) begin
      final_q <= in_room;
      beats_q <= in_room ? left_q : count_t'(room);
    end
    if (waiting_q) begin
      first_q <= 1'b1;
      rows_q <= rows;
      left_q <= touched(source_q[BeatBits-1:0], bytes_q);
      // The lane of the first byte moves from one offset to the other, perhaps to the row before.
      shift_q <= offset_q[BeatBits-1:2] - source_q[BeatBits-1:2];
      straddles_q <= straddles;
      row_q <= straddles ? end_q - 1'b1 : end_q;
    end
    if (read_q) begin
      first_q <= 1'b0;
      row_q <= row_q + RowBits'(beats_q);
      left_q <= left_q - beats_q;
      if (SplitBytes < fm_transfer_pkg::UnitBytes) begin
        source_q <= {source_q[63:BeatBits] + (64 - BeatBits)'(beats_q), {BeatBits{1'b0}}};
      end
    end
  end

  `FM_ASSERT_STREAM(u_assert_in, in_valid_i, in_ready_o,
                 ({in_source_i, in_offset_i, in_bytes_i}))
  `FM_ASSERT_STREAM(u_assert_read, read_valid_o, read_ready_i,
                 ({read_address_o, read_length_o, read_row_o}))
  `FM_ASSERT(RowsInRing, free_q <= (RowBits + 1)'(Rows))

endmodule
