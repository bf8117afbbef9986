// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Sorts commands by how long they took.
//
// Contract: `bin` gives one number for each pulse of `completed_valid_i`: how many of 2^7, 2^8, ..., 2^21
// cycles have passed since the pulse of `fetched_valid_i` with that tag. Times from 2^32 cycles on are taken
// modulo. A tag is completed at most once for each time that it is fetched, and all at most in every
// second cycle in the long run.
// Latency: five cycles.
// Reason: the start of each command is kept in block RAM. Several commands may end at once, so their bins
// wait in a queue.
module latency_bins #(
    parameter int unsigned Tags = 256,
    localparam int unsigned TagBits = $clog2(Tags)
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  logic               fetched_valid_i,
    input  logic [TagBits-1:0] fetched_tag_i,
    input  logic               completed_valid_i,
    input  logic [TagBits-1:0] completed_tag_i,
    output logic               bin_valid_o,
    input  logic               bin_ready_i,
    output logic [        3:0] bin_o
);

  localparam int unsigned TimeBits = 32;
  localparam int unsigned Lowest = 7;
  localparam int unsigned Bins = 16;

  logic read_q, elapsed_valid_q, bin_valid_q, room;
  logic [TimeBits-1:0] now_q, start, elapsed_q;
  logic [3:0] bin_d, bin_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      now_q <= '0;
      read_q <= 1'b0;
      elapsed_valid_q <= 1'b0;
      bin_valid_q <= 1'b0;
    end else begin
      now_q <= now_q + 1'b1;
      read_q <= completed_valid_i;
      elapsed_valid_q <= read_q;
      bin_valid_q <= elapsed_valid_q;
    end
  end

  fm_ram_block #(
      .Width(TimeBits),
      .Depth(Tags)
  ) u_starts (
      .clk_i,
      .rst_ni,
      .write_i(fetched_valid_i),
      .write_address_i(fetched_tag_i),
      .write_data_i(now_q),
      .read_i(completed_valid_i),
      .read_address_i(completed_tag_i),
      .read_data_o(start)
  );

  always_comb begin
    bin_d = '0;
    for (int unsigned i = 0; i < Bins - 1; i++) begin
      if (elapsed_q[Lowest+i]) bin_d = 4'(i + 1);
    end
    if (elapsed_q[TimeBits-1:Lowest+Bins-1] != '0) bin_d = 4'(Bins - 1);
  end

  // The start comes a cycle after the end, so one is taken off.
  always_ff @(posedge clk_i) begin
    elapsed_q <= now_q + ~start;
    bin_q <= bin_d;
  end

  fm_fifo_block #(
      .Width(4),
      .Depth(Tags)
  ) u_bins (
      .clk_i,
      .rst_ni,
      .in_valid_i(bin_valid_q && room),
      .in_ready_o(room),
      .in_data_i(bin_q),
      .out_valid_o(bin_valid_o),
      .out_ready_i(bin_ready_i),
      .out_data_o(bin_o)
  );

  `FM_ASSERT(BinsHaveRoom, room || !bin_valid_q)

endmodule
