// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// A computer at the other end of a serial line reads and writes words.
//
// Contract: requests and answers are those of docs/spec/uart-host.md. Each request is answered once, and the next one is looked for
// when its answer has gone. `access_o` stays, unchanged, until `done_i` is up for a cycle.
// Latency: that of the line, and of the accesses.
// Reason: a line loses bytes. A write whose answer was lost comes again with the number that it had, and is not done twice, as a
// doorbell must not be.
module uart_host
  import fm_uart_pkg::*;
#(
    parameter int unsigned BitCycles = 25,
    parameter int unsigned SilenceCycles = 1 << 20
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        line_i,
    output logic        line_o,
    output access_t     access_o,
    input  logic        done_i,
    input  logic        failed_i,
    input  logic [31:0] data_i
);

  typedef enum logic [2:0] {
    Listen,
    Begin,
    Fetch,
    Access,
    Answer
  } state_e;

  state_e state_q;
  logic byte_valid, byte_broken, out_valid, out_ready, word_valid, frame_valid, sent, is_last, is_again;
  logic [7:0] in_byte, out_byte;
  logic [WordBits-1:0] word_place, sent_place, at_q, read_place;
  logic [31:0] word, read_word;
  request_t request;
  status_e status, status_q;
  answer_t answer;
  // The last write that was done.
  logic written_q;
  logic [7:0] written_number_q;

  uart_receiver #(
      .BitCycles(BitCycles)
  ) u_receiver (
      .clk_i,
      .rst_ni,
      .line_i,
      .valid_o(byte_valid),
      .broken_o(byte_broken),
      .data_o(in_byte)
  );

  uart_transmitter #(
      .BitCycles(BitCycles)
  ) u_transmitter (
      .clk_i,
      .rst_ni,
      .valid_i(out_valid),
      .ready_o(out_ready),
      .data_i(out_byte),
      .line_o
  );

  frame_receiver #(
      .SilenceCycles(SilenceCycles)
  ) u_requests (
      .clk_i,
      .rst_ni,
      .enable_i(state_q == Listen),
      .byte_valid_i(byte_valid),
      .byte_broken_i(byte_broken),
      .byte_i(in_byte),
      .word_valid_o(word_valid),
      .word_place_o(word_place),
      .word_o(word),
      .valid_o(frame_valid),
      .request_o(request),
      .status_o(status)
  );

  frame_sender u_answers (
      .clk_i,
      .rst_ni,
      .valid_i(state_q == Answer),
      .ready_o(sent),
      .answer_i(answer),
      .word_place_o(sent_place),
      .word_i(read_word),
      .byte_valid_o(out_valid),
      .byte_ready_i(out_ready),
      .byte_o(out_byte)
  );

  // Words of the request, and then of the answer.
  assign read_place = state_q == Answer ? sent_place : at_q;

  fm_ram_block #(
      .Width(32),
      .Depth(Words)
  ) u_words (
      .clk_i,
      .rst_ni,
      .write_i(word_valid || (state_q == Access && done_i && !access_o.write)),
      .write_address_i(state_q == Access ? at_q : word_place),
      .write_data_i(state_q == Access ? data_i : word),
      .read_i(state_q inside {Fetch, Answer}),
      .read_address_i(read_place),
      .read_data_o(read_word)
  );

  assign is_last = 8'(at_q) + 8'd1 == request.count;
  assign is_again = request.operation == Write && written_q && request.sequence_number == written_number_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Listen;
      written_q <= 1'b0;
    end else begin
      unique case (state_q)
        Listen: if (frame_valid) state_q <= status == Done ? Begin : Answer;
        Begin: state_q <= is_again || request.address[1:0] != '0 ? Answer : Fetch;
        Fetch: state_q <= Access;
        Access:
        if (done_i) begin
          state_q <= failed_i || is_last ? Answer : Fetch;
          // Whoever opens the line begins with a read, so that no number of an earlier time counts.
          if (!failed_i && is_last) written_q <= access_o.write;
        end
        Answer: if (sent) state_q <= Listen;
        default: ;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Listen) begin
      at_q <= '0;
      status_q <= status;
    end else if (state_q == Begin) begin
      if (request.address[1:0] != '0) status_q <= Refused;
    end else if (state_q == Access && done_i) begin
      at_q <= at_q + 1'b1;
      if (failed_i) status_q <= Refused;
      if (!failed_i && is_last) written_number_q <= request.sequence_number;
    end
  end

  assign access_o = '{
      valid: state_q == Access,
      write: request.operation == Write,
      address: request.address + 32'({at_q, 2'b00}),
      data: read_word
  };

  assign answer = '{
      operation: request.operation,
      sequence_number: request.sequence_number,
      status: status_q,
      count: status_q == Done && request.operation == Read ? request.count : 8'd0
  };

  `FM_ASSERT_STREAM(u_assert_access, access_o.valid, done_i, access_o)

endmodule
