// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Searches dirty chunks for their wrong bits and keeps a list of them for the corrector.
//
// Contract: `start_i`, up only while `free_o` is, reserves the search for a chunk of
// `start_words_i` data words. Its locator then comes on `locator`, as bch_key_solver gives it, and
// is always taken. A beat on `result` follows in the order of the starts: `result_failed_o`, or
// else `result_errors_o` bits are wrong, in `result_entries_o` data words. While it is offered,
// entry number `entry_i` of its list, which has those words in the order of the search, the last
// one first, can be read.
// Latency: words of the code word and four cycles, from the last coefficient to the result. A code
// word each time as many cycles as it has words, if results are taken.
// Reason: the word is failed unless the locator has as many roots in it as its degree. That is
// known only at the end of the search, before which nothing may be changed. So the search goes
// first, the correction after it, and what lies between is short: a list of at most T words. There
// are four lists, since the short chunk at the end of a page would occupy one of two while the
// chunk before it leaves, and the search would stop.
module bch_search #(
    parameter int unsigned M           = 12,
    parameter int unsigned T           = 13,
    parameter int unsigned Width       = 16,
    parameter int unsigned DataWords   = 128,
    parameter int unsigned ParityWords = 10,
    parameter int unsigned PadBits     = 4,
    localparam int unsigned WordBits = $clog2(DataWords + 1),
    localparam int unsigned ErrorBits = $clog2(T + 1)
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 start_i,
    output logic                 free_o,
    input  logic [ WordBits-1:0] start_words_i,
    input  logic                 locator_valid_i,
    input  logic [        M-1:0] locator_i,
    input  logic                 locator_last_i,
    input  logic [ErrorBits-1:0] locator_errors_i,
    input  logic                 locator_failed_i,
    output logic                 result_valid_o,
    input  logic                 result_ready_i,
    output logic                 result_failed_o,
    output logic [ErrorBits-1:0] result_errors_o,
    output logic [ErrorBits-1:0] result_entries_o,
    input  logic [ErrorBits-1:0] entry_i,
    output logic [ WordBits-1:0] entry_word_o,
    output logic [    Width-1:0] entry_wrong_o
);

  localparam int unsigned Lists = 4;
  localparam int unsigned PlaceBits = $clog2(DataWords + ParityWords);
  localparam int unsigned RootBits = $clog2(T + 1 + Width);

  // What goes along with a word through the search.
  typedef struct packed {
    logic                 valid;
    logic                 first;
    logic                 final_word;
    logic                 is_data;
    logic [WordBits-1:0]  word;
    logic                 failed;
    logic [ErrorBits-1:0] errors;
  } token_t;

  // The reserved chunk and its locator.
  logic reserved_q, complete_q, locator_failed_q;
  logic [WordBits-1:0] reserved_words_q;
  logic [T:0][M-1:0] locator_q;
  logic [ErrorBits-1:0] locator_errors_q;

  // The chunk being searched.
  logic searching_q, first_q, search_failed_q, load;
  logic [PlaceBits-1:0] place_q;
  logic [WordBits-1:0] search_words_q;
  logic [ErrorBits-1:0] search_errors_q;
  token_t token, token_1_q, token_2_q;
  logic [Width-1:0] found, wrong;

  // Lists in use: being written, waiting or being read.
  logic [2:0] lists_q;
  logic result_take;

  assign free_o = !reserved_q;
  assign load = complete_q && (!searching_q || place_q == '0) && lists_q != 3'(Lists);
  assign result_take = result_valid_o && result_ready_i;

  always_ff @(posedge clk_i) begin
    if (start_i) reserved_words_q <= start_words_i;
    if (locator_valid_i) begin
      locator_q <= {locator_i, locator_q[T:1]};
      locator_errors_q <= locator_errors_i;
      locator_failed_q <= locator_failed_i;
    end
    if (load) begin
      search_words_q <= reserved_words_q;
      search_errors_q <= locator_errors_q;
      search_failed_q <= locator_failed_q;
      place_q <= PlaceBits'(reserved_words_q) + PlaceBits'(ParityWords - 1);
    end else begin
      place_q <= place_q - 1'b1;
    end
    first_q <= load;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reserved_q  <= 1'b0;
      complete_q  <= 1'b0;
      searching_q <= 1'b0;
      lists_q     <= '0;
    end else begin
      if (start_i) reserved_q <= 1'b1;
      else if (load) reserved_q <= 1'b0;
      if (locator_valid_i && locator_last_i) complete_q <= 1'b1;
      else if (load) complete_q <= 1'b0;
      if (load) searching_q <= 1'b1;
      else if (place_q == '0) searching_q <= 1'b0;
      lists_q <= lists_q + 3'(load) - 3'(result_take);
    end
  end

  bch_chien #(
      .M(M),
      .T(T),
      .Width(Width)
  ) u_chien (
      .clk_i,
      .load_i(load),
      .locator_i(locator_q),
      .wrong_o(found)
  );

  assign token = '{
          valid: searching_q,
          first: first_q,
          final_word: place_q == '0,
          is_data: place_q < PlaceBits'(search_words_q),
          word: WordBits'(place_q),
          failed: search_failed_q,
          errors: search_errors_q
      };

  // The second half of the search: roots are counted, data words with some are listed.
  logic [RootBits-1:0] roots_d, roots_q;
  logic [ErrorBits-1:0] entries_d, entries_q;
  logic [1:0] list_q, read_list_q;
  logic write;

  // The unused bits behind the parity are never wrong.
  assign wrong = found & ~(token_2_q.first ? Width'(2 ** PadBits - 1) : '0);
  assign roots_d = roots_q + RootBits'($countones(wrong));
  assign write = token_2_q.valid && token_2_q.is_data && wrong != '0;
  assign entries_d = entries_q + ErrorBits'(write);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      token_1_q   <= '0;
      token_2_q   <= '0;
      roots_q     <= '0;
      entries_q   <= '0;
      list_q      <= '0;
      read_list_q <= '0;
    end else begin
      token_1_q <= token;
      token_2_q <= token_1_q;
      if (token_2_q.valid) begin
        roots_q   <= token_2_q.final_word ? '0 : roots_d;
        entries_q <= token_2_q.final_word ? '0 : entries_d;
        list_q    <= list_q + 2'(token_2_q.final_word);
      end
      read_list_q <= read_list_q + 2'(result_take);
    end
  end

  fm_ram_lut #(
      .Width(WordBits + Width),
      .Depth(Lists * 2 ** ErrorBits)
  ) u_lists (
      .clk_i,
      .write_i(write),
      .write_address_i({list_q, entries_q}),
      .write_data_i({token_2_q.word, wrong}),
      .read_address_i({read_list_q, entry_i}),
      .read_data_o({entry_word_o, entry_wrong_o})
  );

  logic result_room;
  logic [2:0] unused_level;

  fm_fifo #(
      .Width(1 + 2 * ErrorBits),
      .Depth(Lists)
  ) u_results (
      .clk_i,
      .rst_ni,
      .in_valid_i(token_2_q.valid && token_2_q.final_word),
      .in_ready_o(result_room),
      .in_data_i({token_2_q.failed || roots_d != RootBits'(token_2_q.errors),
                  token_2_q.errors, entries_d}),
      .out_valid_o(result_valid_o),
      .out_ready_i(result_ready_i),
      .out_data_o({result_failed_o, result_errors_o, result_entries_o}),
      .level_o(unused_level)
  );

  `FM_ASSERT(StartOnlyWhenFree, !start_i || free_o)
  `FM_ASSERT(LocatorOfStart, !locator_valid_i || (reserved_q && !complete_q))
  `FM_ASSERT(ListFitsRoots, !write || entries_q < ErrorBits'(T))
  `FM_ASSERT(RoomForResult, !(token_2_q.valid && token_2_q.final_word) || result_room)

endmodule
