// SPDX-License-Identifier: Apache-2.0

// Small memory with one write and one read port, in look-up tables.
//
// Contract: what is written at an edge can be read from the next cycle on. Not reset.
// Latency: a read follows its address in the same cycle.
// Reason: queues of a few entries cost a tenth of what registers would.
module fm_ram_lut #(
    parameter int unsigned Width = 8,
    parameter int unsigned Depth = 16,
    localparam int unsigned AddressBits = Depth > 1 ? $clog2(Depth) : 1
) (
    input  logic                   clk_i,
    input  logic                   write_i,
    input  logic [AddressBits-1:0] write_address_i,
    input  logic [      Width-1:0] write_data_i,
    input  logic [AddressBits-1:0] read_address_i,
    output logic [      Width-1:0] read_data_o
);

  (* ram_style = "distributed" *)
  logic [Width-1:0] memory_q[Depth];

  always_ff @(posedge clk_i) begin
    if (write_i) begin
      memory_q[write_address_i] <= write_data_i;
    end
  end

  assign read_data_o = memory_q[read_address_i];

endmodule
