// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Small memory with one write and one read port whose word comes a cycle later: in look-up tables, or in block RAM.
//
// Contract: as `fm_ram_block`, whichever it is. The read word stays until the next read. Not reset.
// Latency: one cycle from `read_i` to the word.
// Reason: a wide table of few rows costs a look-up table for each bit and a half in the one, and next to nothing of a
// block in the other; which of them is left over, only the whole knows.
module fm_ram_table #(
    parameter int unsigned Width = 16,
    parameter int unsigned Depth = 16,
    parameter bit          Block = 1'b0,
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

  if (Block) begin : gen_block
    fm_ram_block #(
        .Width(Width),
        .Depth(Depth)
    ) u_ram (
        .clk_i,
        .rst_ni,
        .write_i,
        .write_address_i,
        .write_data_i,
        .read_i,
        .read_address_i,
        .read_data_o
    );
  end else begin : gen_lut
    logic [Width-1:0] word, word_q;

    fm_ram_lut #(
        .Width(Width),
        .Depth(Depth)
    ) u_ram (
        .clk_i,
        .write_i,
        .write_address_i,
        .write_data_i,
        .read_address_i,
        .read_data_o(word)
    );

    always_ff @(posedge clk_i) begin
      if (read_i) word_q <= word;
    end

    assign read_data_o = word_q;

    `FM_ASSERT(PortsAreApart, !(write_i && read_i && write_address_i == read_address_i))
  end

endmodule
