`include "prim_assert.svh"

// Lets the pages that were read out to the buffer, in order, and keeps their metadata back.
//
// Contract: `expect_i` announces a page that comes on `read`, up only while `expect_ready_o` is.
// For each, `store` names the buffer entry, then its data go out as a packet of so many bytes. A
// page without data has none. The two words of metadata stay behind in `value_o`; it is ones if
// they were lost or the page is erased. Data of erased chunks go out as zeros. Once the buffer has
// the last word of a page, `over_o` rises: what the codec says of the page and `value_o` stand until
// `judged_i`.
// Latency: one cycle for a word. A page begins two cycles after the judgement on the one before.
// Reason: several pages may be in the codec, so what is to become of them waits in a queue. The
// codec has room for what comes meanwhile. Zeros for erased pages, and ones for a number that is
// not there, are what the simulator's chips give (docs/spec/contract.md).
module page_store #(
    parameter int unsigned Pages = 4
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    input  logic                       expect_i,
    output logic                       expect_ready_o,
    input  flash_pkg::packet_t         expect_packet_i,
    input  logic                       expect_metadata_i,
    input  logic                       read_valid_i,
    output logic                       read_ready_o,
    input  logic               [ 15:0] read_data_i,
    input  logic                       read_failed_i,
    input  logic                       read_erased_i,
    output logic                       store_valid_o,
    input  logic                       store_ready_i,
    output flash_pkg::packet_t         store_o,
    output logic                       data_valid_o,
    input  logic                       data_ready_i,
    output logic               [ 15:0] data_o,
    output logic                       data_last_o,
    output logic                       over_o,
    output logic               [ 31:0] value_o,
    input  logic                       judged_i
);

  localparam int unsigned LevelBits = $clog2(Pages + 1);

  flash_pkg::packet_t page;
  logic page_valid, page_metadata;
  logic [LevelBits-1:0] unused_level;

  // The page that leaves: announced, and what of it is to come.
  logic may_begin, begin_page, open_q, second_q, over_q;
  logic [14:0] left_q;
  logic in_data, data_end, page_end, take;
  logic skid_valid, skid_ready;
  logic [31:0] value_q;
  logic [15:0] metadata_word;

  fifo #(
      .Width($bits(flash_pkg::packet_t) + 1),
      .Depth(Pages)
  ) u_pages (
      .clk_i,
      .rst_ni,
      .in_valid_i(expect_i),
      .in_ready_o(expect_ready_o),
      .in_data_i({expect_packet_i, expect_metadata_i}),
      .out_valid_o(page_valid),
      .out_ready_i(page_end),
      .out_data_o({page, page_metadata}),
      .level_o(unused_level)
  );

  assign store_o = page;
  assign may_begin = page_valid && !open_q && !over_q;
  assign store_valid_o = may_begin && page.length != '0;
  assign begin_page = may_begin && (page.length == '0 || store_ready_i);

  assign in_data = left_q != '0;
  assign data_end = left_q == 15'd1;
  assign skid_valid = read_valid_i && open_q && in_data;
  assign read_ready_o = open_q && (skid_ready || !in_data);
  assign take = read_valid_i && read_ready_o;
  assign page_end = take && (in_data ? data_end && !page_metadata : second_q);

  skid_buffer #(
      .Width(17)
  ) u_data (
      .clk_i,
      .rst_ni,
      .in_valid_i(skid_valid),
      .in_ready_o(skid_ready),
      .in_data_i({data_end, read_erased_i ? 16'd0 : read_data_i}),
      .out_valid_o(data_valid_o),
      .out_ready_i(data_ready_i),
      .out_data_o({data_last_o, data_o})
  );

  assign metadata_word = read_data_i | {16{read_failed_i}};
  // The last word may still stand in front of the buffer.
  assign over_o = over_q && !data_valid_o;
  assign value_o = value_q;

  always_ff @(posedge clk_i) begin
    if (begin_page) left_q <= page.length[15:1];
    else if (take && in_data) left_q <= left_q - 1'b1;
    if (begin_page) value_q <= '0;
    else if (take && !in_data) value_q <= {metadata_word, value_q[31:16]};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q   <= 1'b0;
      second_q <= 1'b0;
      over_q   <= 1'b0;
    end else begin
      open_q <= begin_page || (open_q && !page_end);
      if (take) second_q <= !in_data && !second_q;
      over_q <= page_end || (over_q && !judged_i);
    end
  end

  `ASSERT(ExpectOnlyWhenReady, !expect_i || expect_ready_o)
  `ASSERT(NoEmptyPage, !(open_q && !in_data) || page_metadata)
  `ASSERT_STREAM(u_assert_store, store_valid_o, store_ready_i, store_o)

endmodule
