// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Queue of many beats, in block RAM.
//
// Contract: as `fm_fifo`. It holds one beat more than `Depth`, in the RAM's output register. Depth is
// a power of two.
// Latency: two cycles. One beat a cycle.
// Reason: the RAM answers a cycle late. A word is read as soon as the output is free, so that the
// next beat waits there already. That the RAM is full is a register, since whoever sends waits for it.
module fm_fifo_block #(
    parameter int unsigned Width = 16,
    parameter int unsigned Depth = 1024
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             in_valid_i,
    output logic             in_ready_o,
    input  logic [Width-1:0] in_data_i,
    output logic             out_valid_o,
    input  logic             out_ready_i,
    output logic [Width-1:0] out_data_o
);

  `FM_REQUIRE(gen_depth_is_no_power, Depth >= 2 && 2 ** $clog2(Depth) == Depth,
           "fm_fifo_block: Depth is not a power of two")

  localparam int unsigned AddressBits = $clog2(Depth);

  // One bit more than an address, so that full and empty differ.
  logic [AddressBits:0] written_q, read_q;
  logic push, fetch, full_q, out_valid_q;

  assign in_ready_o = !full_q;
  assign push = in_valid_i && in_ready_o;
  assign fetch = written_q != read_q && (!out_valid_q || out_ready_i);
  assign out_valid_o = out_valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      written_q <= '0;
      read_q <= '0;
      full_q <= 1'b0;
      out_valid_q <= 1'b0;
    end else begin
      if (push) written_q <= written_q + 1'b1;
      if (fetch) read_q <= read_q + 1'b1;
      if (fetch) full_q <= 1'b0;
      else if (push) full_q <= written_q - read_q == (AddressBits + 1)'(Depth - 1);
      if (fetch) out_valid_q <= 1'b1;
      else if (out_ready_i) out_valid_q <= 1'b0;
    end
  end

  fm_ram_block #(
      .Width(Width),
      .Depth(Depth)
  ) u_ram (
      .clk_i,
      .rst_ni,
      .write_i(push),
      .write_address_i(written_q[AddressBits-1:0]),
      .write_data_i(in_data_i),
      .read_i(fetch),
      .read_address_i(read_q[AddressBits-1:0]),
      .read_data_o(out_data_o)
  );

  `FM_ASSERT(FullIsKnown, full_q == (written_q - read_q == (AddressBits + 1)'(Depth)))
  `FM_ASSERT_STREAM(u_assert_in, in_valid_i, in_ready_o, in_data_i)
  `FM_ASSERT_STREAM(u_assert_out, out_valid_o, out_ready_i, out_data_o)

endmodule
