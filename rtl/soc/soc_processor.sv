// SPDX-License-Identifier: Apache-2.0

`include "fm_axi.svh"

// The processor of the controller: core, program memory and the ways out of it.
//
// Contract: as in `ssd_soc`; registers, words and trace window are those of `data_bridge`.
// Latency: that of its parts.
// Reason: composition alone.
module soc_processor
  import fm_ssd_pkg::*;
#(
    parameter int unsigned ProgramBytes = 1 << 21,
    parameter              ProgramFile  = "",
    localparam type lite_request_t = `FM_LITE_REQUEST(fm_map_pkg::RegistersBits)
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    input  logic                       load_valid_i,
    input  logic [31:0]                load_address_i,
    input  logic [31:0]                load_data_i,
    input  logic                       run_i,
    input  logic                       irq_i,
    output logic                       sleeps_o,
    output logic                       waits_o,
    // Registers, on AXI4-Lite.
    output lite_request_t              registers_o,
    input  fm_axi_pkg::lite_response_t registers_i,
    // The data buffer memory.
    output word_order_t                word_order_o,
    input  word_answer_t               word_answer_i,
    // The trace window.
    output logic                       trace_valid_o,
    output logic [3:0]                 trace_place_o,
    output logic [31:0]                trace_data_o
);

  localparam int unsigned ProgramBits = $clog2(ProgramBytes);

  logic fetch, fetched_q, access, grant, write, in_program, answer, failed;
  logic [3:0] bytes;
  logic [31:0] fetch_address, fetch_data, address, store_data, load_data, program_data;
  logic unused;

  assign unused = ^{fetch_address[31:ProgramBits], fetch_address[1:0], load_address_i[31:ProgramBits], load_address_i[1:0]};

  core_ibex u_core (
      .clk_i,
      .rst_ni,
      .run_i,
      .irq_i,
      .sleeps_o,
      .fetch_valid_o(fetch),
      .fetch_address_o(fetch_address),
      .fetch_answer_i(fetched_q),
      .fetch_data_i(fetch_data),
      .data_valid_o(access),
      .data_grant_i(grant),
      .data_write_o(write),
      .data_bytes_o(bytes),
      .data_address_o(address),
      .data_o(store_data),
      .data_answer_i(answer),
      .data_failed_i(failed),
      .data_i(load_data)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) fetched_q <= 1'b0;
    else fetched_q <= fetch;
  end

  program_memory #(
      .Bytes(ProgramBytes),
      .File (ProgramFile)
  ) u_memory (
      .clk_i,
      .rst_ni,
      .fetch_i(fetch),
      .fetch_address_i(fetch_address[ProgramBits-1:2]),
      .fetch_data_o(fetch_data),
      .access_i(in_program),
      .write_i(write),
      .bytes_i(bytes),
      .address_i(address[ProgramBits-1:2]),
      .data_i(store_data),
      .data_o(program_data),
      .load_valid_i,
      .load_address_i(load_address_i[ProgramBits-1:2]),
      .load_data_i
  );

  data_bridge u_bridge (
      .*,
      .valid_i(access),
      .grant_o(grant),
      .write_i(write),
      .bytes_i(bytes),
      .address_i(address),
      .data_i(store_data),
      .answer_o(answer),
      .failed_o(failed),
      .data_o(load_data),
      .program_o(in_program),
      .program_data_i(program_data)
  );

endmodule
