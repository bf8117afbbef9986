// SPDX-License-Identifier: Apache-2.0

// Takes requests from the bytes of a serial line.
//
// Contract: with a request, `valid_o` is up for a cycle, and its words have been written. `status_o` is Done if it is whole and may be
// carried out, Garbled or Refused if not: then the line has been silent, and the next byte is that of a new frame. Bytes
// that begin no frame, and all bytes while `enable_i` is down, are passed over.
// Latency: a cycle behind the last byte.
// Reason: who sends nonsense is answered, but not before the line is silent, or its rest would be taken for frames.
module frame_receiver
  import fm_uart_pkg::*;
#(
    // Cycles without a byte after which a frame that has begun is cut off.
    parameter int unsigned SilenceCycles = 1 << 20
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                enable_i,
    // Bytes.
    input  logic                byte_valid_i,
    input  logic                byte_broken_i,
    input  logic [7:0]          byte_i,
    // Words of a write.
    output logic                word_valid_o,
    output logic [WordBits-1:0] word_place_o,
    output logic [31:0]         word_o,
    output logic                valid_o,
    output request_t            request_o,
    output status_e             status_o
);

  localparam int unsigned SilenceBits = $clog2(SilenceCycles + 1);

  typedef enum logic [2:0] {
    Mark,
    Header,
    Data,
    CheckSum,
    // What is left of a bad frame goes by.
    Drain
  } state_e;

  localparam int unsigned HeaderBytes = $bits(request_t) / 8;

  state_e state_q;
  status_e fault_q;
  logic [SilenceBits-1:0] silence_q;
  logic is_silent, takes;
  // Bytes of this part of the frame so far.
  logic [WordBits+1:0] count_q;
  logic [15:0] crc_q, crc_next;
  request_t request_q, request_next;
  // The bytes of a word before its last.
  logic [23:0] word_q;
  logic [7:0] least;
  logic is_legal;

  assign takes = byte_valid_i && enable_i;
  assign is_silent = silence_q == SilenceBits'(SilenceCycles);
  assign crc_next = crc(crc_q, byte_i);
  // Bytes come from the operation on, and those of an address from the lowest.
  assign request_next = count_q < 3 ?
      request_t'({request_q[47:32], byte_i, request_q[31:0]}) :
      '{
          operation: request_q.operation,
          sequence_number: request_q.sequence_number,
          count: request_q.count,
          address: {byte_i, request_q.address[31:8]}
      };
  assign least = request_next.count;
  assign is_legal = request_next.operation inside {Read, Write} && least != '0 && least <= 8'(Words);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Mark;
    end else if (state_q != Mark && is_silent) begin
      state_q <= Mark;
    end else if (takes) begin
      unique case (state_q)
        Mark: if (byte_i == RequestMark && !byte_broken_i) state_q <= Header;
        Header: begin
          if (byte_broken_i) state_q <= Drain;
          else if (count_q == (WordBits + 2)'(HeaderBytes - 1)) begin
            if (!is_legal) state_q <= Drain;
            else state_q <= request_next.operation == Write ? Data : CheckSum;
          end
        end
        Data: begin
          if (byte_broken_i) state_q <= Drain;
          else if (9'(count_q) + 9'd1 == {request_q.count[6:0], 2'b00}) state_q <= CheckSum;
        end
        CheckSum: begin
          if (byte_broken_i) state_q <= Drain;
          else if (count_q[0]) state_q <= Mark;
        end
        default: ;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (byte_valid_i || state_q == Mark) silence_q <= '0;
    else if (!is_silent) silence_q <= silence_q + 1'b1;
    if (state_q == Mark) begin
      count_q <= '0;
      crc_q <= CrcStart;
      fault_q <= Garbled;
    end else if (takes) begin
      count_q <= count_q + 1'b1;
      crc_q <= crc_next;
      word_q <= {byte_i, word_q[23:8]};
      if (state_q == Header) begin
        request_q <= request_next;
        if (count_q == (WordBits + 2)'(HeaderBytes - 1)) begin
          count_q <= '0;
          if (!is_legal && !byte_broken_i) fault_q <= Refused;
        end
      end
      if (state_q == Data && 9'(count_q) + 9'd1 == {request_q.count[6:0], 2'b00}) count_q <= '0;
    end
  end

  assign word_valid_o = takes && state_q == Data && count_q[1:0] == '1;
  assign word_place_o = count_q[WordBits+1:2];
  assign word_o = {byte_i, word_q};

  // A check sum over a frame and its check sum is zero.
  always_comb begin
    valid_o = takes && state_q == CheckSum && count_q[0] && !byte_broken_i;
    status_o = crc_next == '0 ? Done : Garbled;
    if (state_q != Mark && is_silent) begin
      valid_o = 1'b1;
      status_o = fault_q;
    end
  end

  assign request_o = request_q;

endmodule
