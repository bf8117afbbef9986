// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// The way of pages between buffer and bus: error correction, scrambler, metadata, completion.
//
// Contract: the bus announces a step that moves words on `open`; `open_words_o` is then how many.
// - A program: `fetch` asks the buffer for `length` bytes, which come on `data_in` as a packet and
//   leave on `write`, as code words unless `bypass`. If a word came with an error, `write_error_o` is up
//   before that word leaves, and until the next step.
// - A read: words on `read` are decoded; `store` names the buffer entry and `length` bytes follow
//   on `data_out` as a packet. If `respond`, a completion comes when the page was judged. If the last word is taken with
//   `data_out_error_i`, the buffer has not got all of it, and the page is completed as Uncorrectable.
// With `metadata` each packet has MetadataBytes more behind the data, and on the bus they are a code
// word of their own.
// A step begins and ends on a border of code words; `column` tells the scrambler where. Bypassed
// words are neither coded nor corrected, those of `plain` steps not scrambled. Without words nothing
// is fetched or stored. Data and metadata together are less than 64 KiB.
// With `abort_i` the bus ends a step whose words are not through; it then takes and gives none.
// What was fetched for it is dropped, what is to be stored gets its length. A read is completed as
// TimedOut. So is a read whose data the buffer does not take for `timeout_i` times 16 cycles. A
// step that waits for a buffer that long is taken, but moves no words: the bus has to abort it. The
// bus must not abort a step that was not taken. The limit is well above the time in which the
// buffer takes a chunk, and in which one is corrected.
// Latency: 17 cycles for the scrambler from `open` to the first word, while the bus sends command
// and address; then two cycles for a word to be written. For reads see bch_decoder.
// Throughput: a word a cycle. Up to `Pages` reads are in the codec at a time.
// Reason: words of only one step are in front of the codec, so code words cannot mix; behind it
// pages of reads follow each other in queues, so that the bus need not wait for the decoder.
module page_path #(
    parameter bit          Ecc           = 1'b1,
    parameter int unsigned ChunkBytes    = 256,
    parameter int unsigned T             = 13,
    parameter int unsigned MetadataBytes = 24,
    parameter int unsigned Pages         = 4,
    localparam int unsigned M = fm_bch_pkg::field_degree(ChunkBytes, T),
    localparam int unsigned ErrorBits = $clog2(T + 1)
) (
    input  logic                                  clk_i,
    input  logic                                  rst_ni,
    input  logic                  [         15:0] timeout_i,
    input  logic                                  open_valid_i,
    output logic                                  open_ready_o,
    input  fm_flash_pkg::step_t                   open_i,
    output logic                  [         15:0] open_words_o,
    output logic                                  write_valid_o,
    input  logic                                  write_ready_i,
    output logic                  [         15:0] write_data_o,
    output logic                                  write_error_o,
    input  logic                                  read_valid_i,
    output logic                                  read_ready_o,
    input  logic                  [         15:0] read_data_i,
    input  logic                                  read_last_i,
    input  logic                                  abort_i,
    output logic                                  fetch_valid_o,
    input  logic                                  fetch_ready_i,
    output fm_flash_pkg::packet_t                 fetch_o,
    input  logic                                  data_in_valid_i,
    output logic                                  data_in_ready_o,
    input  logic                  [         15:0] data_in_data_i,
    input  logic                                  data_in_last_i,
    input  logic                                  data_in_error_i,
    output logic                                  store_valid_o,
    input  logic                                  store_ready_i,
    output fm_flash_pkg::packet_t                 store_o,
    output logic                                  data_out_valid_o,
    input  logic                                  data_out_ready_i,
    output logic                  [         15:0] data_out_data_o,
    output logic                                  data_out_last_o,
    input  logic                                  data_out_error_i,
    output logic                                  completion_valid_o,
    input  logic                                  completion_ready_i,
    output fm_flash_pkg::completion_t             completion_o,
    output logic                                  syndrome_valid_o,
    input  logic                                  syndrome_ready_i,
    output logic                  [        M-1:0] syndrome_o,
    output logic                                  syndrome_last_o,
    input  logic                                  locator_valid_i,
    input  logic                  [        M-1:0] locator_i,
    input  logic                                  locator_last_i,
    input  logic                  [ErrorBits-1:0] locator_errors_i,
    input  logic                                  locator_failed_i
);

  localparam int unsigned ChunkWords = ChunkBytes / 2;
  localparam int unsigned ParityWords = (fm_bch_pkg::parity_bits(M, T) + 15) / 16;

  localparam int unsigned MetadataWords = MetadataBytes / 2;

  `FM_REQUIRE(gen_many_errors, ErrorBits <= 8, "page_path: T is above 255")
  `FM_REQUIRE(gen_odd_metadata, MetadataBytes % 2 == 0, "page_path: MetadataBytes is odd")

  // The step that is announced.
  logic coded;
  fm_flash_pkg::packet_t packet;

  assign coded = Ecc && !open_i.bypass;
  assign packet = '{
      buffer: open_i.buffer,
      length: open_i.length + (open_i.metadata ? 16'(MetadataBytes) : '0),
      way: open_i.way
  };

  page_words #(
      .ChunkWords(ChunkWords),
      .ParityWords(ParityWords),
      .MetadataWords(MetadataWords)
  ) u_words (
      .data_words_i(open_i.length[15:1]),
      .metadata_i(open_i.metadata),
      .coded_i(coded),
      .words_o(open_words_o)
  );

  logic start, start_read, start_program, yields, reading, writing, aborted;
  logic expect_ready, fetch_ready, framer_idle, written, impatient;
  logic ended, end_ready, end_verdict, end_timed_out, moves;
  fm_page_pkg::owner_t end_owner;

  page_control u_control (
      .clk_i,
      .rst_ni,
      .open_valid_i, .open_ready_o, .open_i,
      .abort_i,
      .expect_ready_i(expect_ready),
      .fetch_ready_i(fetch_ready),
      .framer_idle_i(framer_idle),
      .written_i(written),
      .impatient_i(impatient),
      .start_o(start),
      .start_read_o(start_read),
      .start_program_o(start_program),
      .yield_o(yields),
      .reading_o(reading),
      .writing_o(writing),
      .aborted_o(aborted),
      .end_o(ended),
      .end_ready_i(end_ready),
      .end_owner_o(end_owner),
      .end_verdict_o(end_verdict),
      .end_timed_out_o(end_timed_out)
  );

  logic active, word_last, page_last, packet_last, frame_take, bypass_q;

  // The encoder adds the parity, the decoder has to be told where it ends.
  page_framer #(
      .ChunkWords(ChunkWords),
      .ParityWords(ParityWords),
      .MetadataWords(MetadataWords)
  ) u_framer (
      .clk_i,
      .rst_ni,
      .start_i(start),
      .data_words_i(open_i.length[15:1]),
      .metadata_i(open_i.metadata),
      .parity_i(coded && open_i.operation[6:5] == fm_flash_pkg::GroupRead),
      .take_i(frame_take),
      .active_o(active),
      .word_last_o(word_last),
      .page_last_o(page_last),
      .idle_o(framer_idle)
  );

  always_ff @(posedge clk_i) begin
    if (start) bypass_q <= !coded;
  end

  assign packet_last = bypass_q ? page_last : word_last;

  logic data_valid, data_ready, coded_valid, coded_ready, coded_last, coded_page_last;
  logic sense_valid, sense_ready;
  logic [15:0] data, coded_data, sense_data;

  page_fetch u_fetch (
      .clk_i,
      .rst_ni,
      .start_i(start_program),
      .start_ready_o(fetch_ready),
      .start_packet_i(packet),
      .fetch_valid_o, .fetch_ready_i, .fetch_o,
      .data_valid_i(data_in_valid_i), .data_ready_o(data_in_ready_o), .data_i(data_in_data_i),
      .data_last_i(data_in_last_i), .data_error_i(data_in_error_i),
      .renew_i(start),
      .error_o(write_error_o),
      .active_i(writing && active),
      .write_valid_o(data_valid), .write_ready_i(data_ready), .write_data_o(data)
  );

  // Parity comes out when the framer has no words left.
  assign coded_page_last = coded_last && (bypass_q || !active);

  page_bus u_bus (
      .clk_i,
      .rst_ni,
      .reading_i(reading),
      .active_i(active),
      .aborted_i(aborted),
      .program_valid_i(coded_valid), .program_ready_o(coded_ready), .program_data_i(coded_data),
      .program_page_last_i(coded_page_last),
      .write_valid_o, .write_ready_i, .write_data_o,
      .written_o(written),
      .read_valid_i, .read_ready_o, .read_data_i,
      .sense_valid_o(sense_valid), .sense_ready_i(sense_ready), .sense_data_o(sense_data)
  );

  assign frame_take = (data_valid && data_ready) || (sense_valid && sense_ready);

  logic decoded_valid, decoded_ready, decoded_erased;
  logic [15:0] decoded_data;
  logic verdict_valid, judged, refused;
  logic [ErrorBits-1:0] verdict_most;
  fm_page_pkg::verdict_t verdict;

  page_coder #(
      .Ecc(Ecc),
      .ChunkBytes(ChunkBytes),
      .T(T)
  ) u_coder (
      .clk_i,
      .rst_ni,
      .start_i(start),
      .start_row_i(open_i.row),
      .start_column_i(open_i.column),
      .start_scramble_i(!open_i.plain),
      .start_bypass_i(open_i.bypass),
      .write_valid_i(data_valid), .write_ready_o(data_ready), .write_data_i(data), .write_last_i(packet_last),
      .program_valid_o(coded_valid), .program_ready_i(coded_ready), .program_data_o(coded_data),
      .program_last_o(coded_last),
      .sense_valid_i(sense_valid), .sense_ready_o(sense_ready), .sense_data_i(sense_data), .sense_last_i(packet_last),
      .sense_page_last_i(page_last),
      .read_valid_o(decoded_valid), .read_ready_i(decoded_ready), .read_data_o(decoded_data),
      .read_erased_o(decoded_erased),
      .verdict_erased_o(verdict.erased),
      .verdict_bits_o(verdict.corrected),
      .verdict_most_bits_o(verdict_most),
      .verdict_lost_chunks_o(verdict.lost),
      .syndrome_valid_o, .syndrome_ready_i, .syndrome_o, .syndrome_last_o,
      .locator_valid_i, .locator_i, .locator_last_i, .locator_errors_i, .locator_failed_i
  );

  assign verdict.most = 8'(verdict_most);

  page_store #(
      .Pages(Pages)
  ) u_store (
      .clk_i,
      .rst_ni,
      .expect_i(start_read),
      .expect_ready_o(expect_ready),
      .expect_packet_i(packet),
      .read_valid_i(decoded_valid), .read_ready_o(decoded_ready), .read_data_i(decoded_data),
      .read_erased_i(decoded_erased),
      .store_valid_o, .store_ready_i, .store_o,
      .data_valid_o(data_out_valid_o), .data_ready_i(data_out_ready_i), .data_o(data_out_data_o),
      .data_last_o(data_out_last_o),
      .data_error_i(data_out_error_i),
      .over_o(verdict_valid),
      .refused_o(refused),
      .judged_i(judged)
  );

  // Shows that the buffer moves, or that a step on `open` need wait no longer.
  assign moves = yields || (open_valid_i && open_ready_o) ||
                 (data_in_valid_i && data_in_ready_o) || (data_out_valid_o && data_out_ready_i);

  page_completion #(
      .Pages(Pages)
  ) u_completion (
      .clk_i,
      .rst_ni,
      .end_i(ended),
      .end_ready_o(end_ready),
      .end_owner_i(end_owner),
      .end_verdict_i(end_verdict),
      .end_timed_out_i(end_timed_out),
      .timeout_i,
      .moves_i(moves),
      .others_wait_i(open_valid_i),
      .impatient_o(impatient),
      .verdict_valid_i(verdict_valid), .verdict_i(verdict),
      .refused_i(refused),
      .judged_o(judged),
      .completion_valid_o, .completion_ready_i, .completion_o
  );

`ifndef SYNTHESIS
  // Words of a read that are to come from the bus.
  logic [15:0] left_q;
  always_ff @(posedge clk_i) begin
    if (start) left_q <= open_words_o;
    else if (read_valid_i && read_ready_o) left_q <= left_q - 1'b1;
  end
  `FM_ASSERT(ReadLastIsLast, !(read_valid_i && read_ready_o) || read_last_i == (left_q == 16'd1))
`endif

endmodule
