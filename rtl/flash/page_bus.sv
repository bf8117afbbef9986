// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// The words between codec and bus, and what becomes of them when the bus gives a step up.
//
// Contract: words of a page to be written go from `program` to `write`; `written_o` is up when the
// one with `program_page_last_i` leaves. Words go from `read` to `sense` while a page is being read
// (`reading_i`) and a word of it is to come (`active_i`). From `aborted_i` on, words to be written
// are dropped, and zeros come where words read are missing.
// Latency: one cycle.
// Reason: codec and framer stay in step if a page goes through to its end, whatever it is made of.
module page_bus (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        reading_i,
    input  logic        active_i,
    input  logic        aborted_i,
    input  logic        program_valid_i,
    output logic        program_ready_o,
    input  logic [15:0] program_data_i,
    input  logic        program_page_last_i,
    output logic        write_valid_o,
    input  logic        write_ready_i,
    output logic [15:0] write_data_o,
    output logic        written_o,
    input  logic        read_valid_i,
    output logic        read_ready_o,
    input  logic [15:0] read_data_i,
    output logic        sense_valid_o,
    input  logic        sense_ready_i,
    output logic [15:0] sense_data_o
);

  logic out_valid, out_last, out_take;
  logic in_ready, in_valid;
  logic [15:0] in_data;

  fm_skid_buffer #(
      .Width(17)
  ) u_write (
      .clk_i,
      .rst_ni,
      .in_valid_i(program_valid_i),
      .in_ready_o(program_ready_o),
      .in_data_i({program_page_last_i, program_data_i}),
      .out_valid_o(out_valid),
      .out_ready_i(out_take),
      .out_data_o({out_last, write_data_o})
  );

  assign out_take = write_ready_i || aborted_i;
  assign write_valid_o = out_valid && !aborted_i;
  assign written_o = out_valid && out_take && out_last;

  // Only what is taken is shown to the buffer, since the bus may take an offer back.
  assign read_ready_o = in_ready && reading_i && !aborted_i;

  fm_skid_buffer #(
      .Width(16)
  ) u_read (
      .clk_i,
      .rst_ni,
      .in_valid_i(read_valid_i && read_ready_o),
      .in_ready_o(in_ready),
      .in_data_i(read_data_i),
      .out_valid_o(in_valid),
      .out_ready_i(sense_ready_i && reading_i && active_i),
      .out_data_o(in_data)
  );

  assign sense_valid_o = reading_i && active_i && (in_valid || aborted_i);
  assign sense_data_o = in_valid ? in_data : '0;

  `FM_ASSERT_STREAM(u_assert_sense, sense_valid_o, sense_ready_i, sense_data_o)

endmodule
