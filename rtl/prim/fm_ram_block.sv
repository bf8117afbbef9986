// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Memory with one write and one read port, in block RAM.
//
// Contract: what is written at an edge can be read from the next cycle on. An address that is read and written
// at the same edge is an error, or, where `MayCollide` says that nobody then uses the word, gives an undefined
// one. The read word stays until the next read. Not reset: `rst_ni` is for the assertion alone.
// Latency: one cycle from `read_i` to the word.
// Reason: this form is recognised by Yosys and by the vendors' tools, and by nothing is it taken
// for registers.
module fm_ram_block #(
    parameter int unsigned Width      = 16,
    parameter int unsigned Depth      = 1024,
    parameter bit          MayCollide = 1'b0,
    localparam int unsigned AddressBits = Depth > 1 ? $clog2(Depth) : 1
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   write_i,
    input  logic [AddressBits-1:0] write_address_i,
    input  logic [      Width-1:0] write_data_i,
    input  logic                   read_i,
    input  logic [AddressBits-1:0] read_address_i,
    output logic [      Width-1:0] read_data_o
);

  // No logic is wanted around the block for what an address that is read and written gives.
  (* ram_style = "block", no_rw_check *)
  logic [Width-1:0] memory_q[Depth];
  logic [Width-1:0] read_data_q;

  always_ff @(posedge clk_i) begin
    if (write_i) begin
      memory_q[write_address_i] <= write_data_i;
    end
    if (read_i) begin
      read_data_q <= memory_q[read_address_i];
`ifndef SYNTHESIS
      // The undefined word: whoever uses it is found out.
      if (write_i && write_address_i == read_address_i) begin
        read_data_q <= ~(memory_q[read_address_i] ^ write_data_i);
      end
`endif
    end
  end

  assign read_data_o = read_data_q;

  if (!MayCollide) begin : gen_apart
    `FM_ASSERT(PortsAreApart, !(write_i && read_i && write_address_i == read_address_i))
  end else begin : gen_may_collide
    logic unused_reset;
    assign unused_reset = rst_ni;
  end

endmodule
