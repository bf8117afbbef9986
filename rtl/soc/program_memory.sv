// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// The processor's own memory: program, tables and stack.
//
// Contract: words at byte addresses, of which the bits above the memory's size do not count. A fetch and an access of
// data a cycle; `load_valid_i` writes a word from outside instead of the access of data, while the processor does not
// run. What is fetched and written in one cycle is not told. Not reset; it starts with the words of
// `File`, in hexadecimal from address 0 on ($readmemh), if there is one.
// Latency: one cycle from a read to its word.
// Reason: block RAM with two ports; all memory that the firmware works in answers at once.
module program_memory #(
    parameter int unsigned Bytes = 1 << 22,
    parameter              File  = "",
    localparam int unsigned AddressBits = $clog2(Bytes)
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   fetch_i,
    input  logic [AddressBits-1:2] fetch_address_i,
    output logic [           31:0] fetch_data_o,
    input  logic                   access_i,
    input  logic                   write_i,
    input  logic [            3:0] bytes_i,
    input  logic [AddressBits-1:2] address_i,
    input  logic [           31:0] data_i,
    output logic [           31:0] data_o,
    input  logic                   load_valid_i,
    input  logic [AddressBits-1:2] load_address_i,
    input  logic [           31:0] load_data_i
);

  // No logic is wanted for a word that is fetched and written at once: a program does not change itself.
  (* ram_style = "block", no_rw_check *)
  logic [3:0][7:0] memory_q[Bytes/4];
  if (File != "") begin : gen_file
    initial $readmemh(File, memory_q);
  end

  logic [31:0] fetched_q, read_q;
  logic [AddressBits-1:2] address;
  logic [3:0] writes;
  logic [3:0][7:0] data;

  assign address = load_valid_i ? load_address_i : address_i;
  assign data = load_valid_i ? load_data_i : data_i;
  assign writes = load_valid_i ? '1 : bytes_i & {4{access_i && write_i}};

  always_ff @(posedge clk_i) begin
    if (fetch_i) fetched_q <= memory_q[fetch_address_i];
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < 4; i++) begin
      if (writes[i]) memory_q[address][i] <= data[i];
    end
    if (access_i && !write_i) read_q <= memory_q[address];
  end

  assign fetch_data_o = fetched_q;
  assign data_o = read_q;

  `FM_ASSERT(LoadsAlone, !(load_valid_i && (access_i || fetch_i)))

endmodule
