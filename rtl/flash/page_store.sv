// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Lets the pages that were read out to the buffer, in order, their metadata behind their data.
//
// Contract: `expect_i` announces a page that comes on `read`, up only while `expect_ready_o` is.
// For each, `store` names the buffer entry, then its words go out as a packet of so many bytes.
// Words of erased chunks go out as zeros. Once the buffer has the last word of a page, `over_o` rises:
// what the codec says of the page stands until `judged_i`, and so does `refused_o`, which is what `data_error_i` was when the
// buffer took that word: some of the page is not there.
// Latency: one cycle for a word. A page begins two cycles after the judgement on the one before.
// Reason: several pages may be in the codec, so what is to become of them waits in a queue. The
// codec has room for what comes meanwhile. Zeros for erased pages are what the simulator's chips give
// (docs/spec/contract.md). Metadata have a check sum of their own, so lost ones are known as such.
module page_store #(
    parameter int unsigned Pages = 4
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    input  logic                       expect_i,
    output logic                       expect_ready_o,
    input  fm_flash_pkg::packet_t      expect_packet_i,
    input  logic                       read_valid_i,
    output logic                       read_ready_o,
    input  logic               [ 15:0] read_data_i,
    input  logic                       read_erased_i,
    output logic                       store_valid_o,
    input  logic                       store_ready_i,
    output fm_flash_pkg::packet_t      store_o,
    output logic                       data_valid_o,
    input  logic                       data_ready_i,
    output logic               [ 15:0] data_o,
    output logic                       data_last_o,
    input  logic                       data_error_i,
    output logic                       over_o,
    output logic                       refused_o,
    input  logic                       judged_i
);

  localparam int unsigned LevelBits = $clog2(Pages + 1);

  fm_flash_pkg::packet_t page;
  logic page_valid;
  logic [LevelBits-1:0] unused_level;

  // The page that leaves: announced, and what of it is to come.
  logic begin_page, open_q, over_q, refused_q;
  logic [14:0] left_q;
  logic last, page_end, skid_ready;

  fm_fifo #(
      .Width($bits(fm_flash_pkg::packet_t)),
      .Depth(Pages)
  ) u_pages (
      .clk_i,
      .rst_ni,
      .in_valid_i(expect_i),
      .in_ready_o(expect_ready_o),
      .in_data_i(expect_packet_i),
      .out_valid_o(page_valid),
      .out_ready_i(page_end),
      .out_data_o(page),
      .level_o(unused_level)
  );

  assign store_o = page;
  assign store_valid_o = page_valid && !open_q && !over_q;
  assign begin_page = store_valid_o && store_ready_i;

  assign last = left_q == 15'd1;
  assign page_end = read_valid_i && read_ready_o && last;

  fm_skid_buffer #(
      .Width(17)
  ) u_data (
      .clk_i,
      .rst_ni,
      .in_valid_i(read_valid_i && open_q),
      .in_ready_o(skid_ready),
      .in_data_i({last, read_erased_i ? 16'd0 : read_data_i}),
      .out_valid_o(data_valid_o),
      .out_ready_i(data_ready_i),
      .out_data_o({data_last_o, data_o})
  );

  assign read_ready_o = open_q && skid_ready;
  // The last word may still stand in front of the buffer.
  assign over_o = over_q && !data_valid_o;
  assign refused_o = refused_q;

  always_ff @(posedge clk_i) begin
    if (begin_page) left_q <= page.length[15:1];
    else if (read_valid_i && read_ready_o) left_q <= left_q - 1'b1;
    if (data_valid_o && data_ready_i && data_last_o) refused_q <= data_error_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q <= 1'b0;
      over_q <= 1'b0;
    end else begin
      open_q <= begin_page || (open_q && !page_end);
      over_q <= page_end || (over_q && !judged_i);
    end
  end

  `FM_ASSERT(ExpectOnlyWhenReady, !expect_i || expect_ready_o)
  `FM_ASSERT(NoEmptyPage, !expect_i || expect_packet_i.length[15:1] != '0)
  `FM_ASSERT_STREAM(u_assert_store, store_valid_o, store_ready_i, store_o)

endmodule
