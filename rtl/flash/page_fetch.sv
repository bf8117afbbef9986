// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Has the words of a program fetched from the buffer.
//
// Contract: `start_i`, up only while `start_ready_o` is, begins a program. `fetch` names the buffer
// entry at once, unless there are no words; the buffer answers on `data` with a packet of so many
// bytes. The words leave on `write` as page_framer counts them: `active_i` while there is one. A word
// with `data_error_i` raises `error_o` from the next cycle on, until the next step (`renew_i`).
// Latency: none.
// Reason: the buffer is asked as soon as the step is known, while command and address go out. A packet
// with an error still comes whole, so nobody loses count.
module page_fetch (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    input  logic                       start_i,
    output logic                       start_ready_o,
    input  fm_flash_pkg::packet_t      start_packet_i,
    output logic                       fetch_valid_o,
    input  logic                       fetch_ready_i,
    output fm_flash_pkg::packet_t      fetch_o,
    input  logic                       data_valid_i,
    output logic                       data_ready_o,
    input  logic               [ 15:0] data_i,
    input  logic                       data_last_i,
    input  logic                       data_error_i,
    input  logic                       renew_i,
    output logic                       error_o,
    input  logic                       active_i,
    output logic                       write_valid_o,
    input  logic                       write_ready_i,
    output logic               [ 15:0] write_data_o
);

  logic fetch_valid_q, error_q;
  fm_flash_pkg::packet_t fetch_q;

  assign start_ready_o = !fetch_valid_q;
  assign fetch_valid_o = fetch_valid_q;
  assign fetch_o = fetch_q;

  assign write_valid_o = active_i && data_valid_i;
  assign data_ready_o = active_i && write_ready_i;
  assign write_data_o = data_i;
  assign error_o = error_q;

  always_ff @(posedge clk_i) begin
    if (start_i) fetch_q <= start_packet_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) fetch_valid_q <= 1'b0;
    else if (start_i) fetch_valid_q <= start_packet_i.length != '0;
    else if (fetch_ready_i) fetch_valid_q <= 1'b0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) error_q <= 1'b0;
    else if (renew_i) error_q <= 1'b0;
    else if (data_valid_i && data_ready_o && data_error_i) error_q <= 1'b1;
  end

`ifndef SYNTHESIS
  // Words of the packet that are to come.
  logic [14:0] left_q;
  always_ff @(posedge clk_i) begin
    if (start_i) left_q <= start_packet_i.length[15:1];
    else if (data_valid_i && data_ready_o) left_q <= left_q - 1'b1;
  end
  `FM_ASSERT(LastIsLast, !(data_valid_i && data_ready_o) || data_last_i == (left_q == 15'd1))
`endif

  `FM_ASSERT(StartOnlyWhenReady, !start_i || start_ready_o)
  `FM_ASSERT_STREAM(u_assert_fetch, fetch_valid_o, fetch_ready_i, fetch_o)
  `FM_ASSERT_STREAM(u_assert_data, data_valid_i, data_ready_o, ({data_error_i, data_last_i, data_i}))
  `FM_ASSERT_STREAM(u_assert_write, write_valid_o, write_ready_i, write_data_o)

endmodule
