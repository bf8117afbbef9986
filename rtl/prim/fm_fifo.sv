// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Queue of a few beats, in look-up tables.
//
// Contract: beats leave in the order in which they came, none is lost or doubled. Any depth from 1.
// `level_o` counts the beats inside.
// Latency: one cycle. One beat a cycle, if the depth is at least 2.
// Reason: neither `in_ready_o` nor `out_valid_o` depends on an input, so it also cuts long paths.
module fm_fifo #(
    parameter int unsigned Width = 8,
    parameter int unsigned Depth = 4,
    localparam int unsigned LevelBits = $clog2(Depth + 1)
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 in_valid_i,
    output logic                 in_ready_o,
    input  logic [    Width-1:0] in_data_i,
    output logic                 out_valid_o,
    input  logic                 out_ready_i,
    output logic [    Width-1:0] out_data_o,
    output logic [LevelBits-1:0] level_o
);

  `FM_REQUIRE(gen_depth_is_0, Depth >= 1, "fm_fifo: Depth is 0, expected at least 1")

  localparam int unsigned AddressBits = Depth > 1 ? $clog2(Depth) : 1;
  typedef logic [AddressBits-1:0] address_t;

  logic push, pop;
  address_t write_address_q, read_address_q;
  logic [LevelBits-1:0] level_d, level_q;

  assign in_ready_o = level_q != LevelBits'(Depth);
  assign out_valid_o = level_q != '0;
  assign push = in_valid_i && in_ready_o;
  assign pop = out_valid_o && out_ready_i;
  assign level_o = level_q;

  always_comb begin
    level_d = level_q;
    if (push && !pop) level_d = level_q + 1'b1;
    if (pop && !push) level_d = level_q - 1'b1;
  end

  function automatic address_t next_address(address_t address);
    return address == address_t'(Depth - 1) ? '0 : address + 1'b1;
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_address_q <= '0;
      read_address_q <= '0;
      level_q <= '0;
    end else begin
      level_q <= level_d;
      if (push) write_address_q <= next_address(write_address_q);
      if (pop) read_address_q <= next_address(read_address_q);
    end
  end

  fm_ram_lut #(
      .Width(Width),
      .Depth(Depth)
  ) u_ram (
      .clk_i,
      .write_i(push),
      .write_address_i(write_address_q),
      .write_data_i(in_data_i),
      .read_address_i(read_address_q),
      .read_data_o(out_data_o)
  );

  `FM_ASSERT_STREAM(u_assert_in, in_valid_i, in_ready_o, in_data_i)
  `FM_ASSERT_STREAM(u_assert_out, out_valid_o, out_ready_i, out_data_o)

endmodule
