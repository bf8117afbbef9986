// SPDX-License-Identifier: Apache-2.0

// Makes answers into the bytes of a serial line.
//
// Contract: an answer that is offered is taken when its last byte has gone; meanwhile the words of it are read, a cycle after their
// places.
// Latency: a byte a byte of the line.
// Reason: the words of an answer lie where those of the request lay, so neither is kept twice.
module frame_sender
  import fm_uart_pkg::*;
(
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                valid_i,
    output logic                ready_o,
    input  answer_t             answer_i,
    output logic [WordBits-1:0] word_place_o,
    input  logic [31:0]         word_i,
    output logic                byte_valid_o,
    input  logic                byte_ready_i,
    output logic [7:0]          byte_o
);

  // Mark, operation, number, status, count, words, and a check sum of two.
  localparam int unsigned HeaderBytes = 5;

  logic [9:0] at_q, words_end;
  logic [9:0] in_words;
  logic unused;

  assign unused = ^in_words[9:8];
  logic [15:0] crc_q;
  // A word follows its place by a cycle.
  logic is_settled_q;

  assign words_end = 10'(HeaderBytes) + {answer_i.count, 2'b00};
  assign in_words = at_q - 10'(HeaderBytes);
  assign word_place_o = in_words[WordBits+1:2];
  assign byte_valid_o = valid_i && is_settled_q;
  assign ready_o = byte_valid_o && byte_ready_i && at_q == words_end + 10'd1;

  always_comb begin
    unique case (at_q)
      10'd0: byte_o = AnswerMark;
      10'd1: byte_o = answer_i.operation;
      10'd2: byte_o = answer_i.sequence_number;
      10'd3: byte_o = answer_i.status;
      10'd4: byte_o = answer_i.count;
      default: begin
        byte_o = word_i[8*in_words[1:0]+:8];
        if (at_q == words_end) byte_o = crc_q[15:8];
        if (at_q == words_end + 10'd1) byte_o = crc_q[7:0];
      end
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      at_q <= '0;
      is_settled_q <= 1'b0;
    end else begin
      is_settled_q <= valid_i && !(byte_valid_o && byte_ready_i);
      if (byte_valid_o && byte_ready_i) at_q <= ready_o ? '0 : at_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (at_q == '0) crc_q <= CrcStart;
    else if (byte_valid_o && byte_ready_i && at_q < words_end) crc_q <= crc(crc_q, byte_o);
  end

endmodule
