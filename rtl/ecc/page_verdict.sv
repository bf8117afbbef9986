// SPDX-License-Identifier: Apache-2.0

// What decoding a page gave, from what it gave for the chunks.
//
// Contract: a chunk is counted at each edge with `chunk_i`, with the verdict of the decoder;
// `page_last_i` marks the last of a page. The verdict then stands from `valid_o`, up for one cycle,
// to the next one. The page counts as erased if every chunk does; chunks that look erased in any
// other page are uncorrectable. Of an erased page, `bits_o` are its zeros. Sums stay at their
// highest value.
// Latency: one cycle.
// Reason: a page is erased or programmed as a whole, and only its end tells, so both are counted.
// Equal to PageCodec of drive/ecc.
module page_verdict #(
    parameter int unsigned T       = 13,
    parameter int unsigned SumBits = 12,
    localparam int unsigned ErrorBits = $clog2(T + 1)
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 chunk_i,
    input  logic                 page_last_i,
    input  logic [ErrorBits-1:0] errors_i,
    input  logic                 failed_i,
    input  logic                 erased_i,
    output logic                 valid_o,
    output logic                 erased_o,
    output logic [  SumBits-1:0] bits_o,
    output logic [ErrorBits-1:0] most_bits_o,
    output logic [          7:0] lost_chunks_o
);

  // Of chunks that were programmed: bits corrected, the most in one, chunks lost.
  // Of chunks that look erased: the same of zeros, and how many such chunks there are.
  typedef struct packed {
    logic [SumBits-1:0]   bits;
    logic [ErrorBits-1:0] most;
    logic [7:0]           chunks;
  } tally_t;

  function automatic tally_t counted(tally_t tally, logic [ErrorBits-1:0] bits, logic chunk);
    logic [SumBits:0] sum = (SumBits + 1)'(tally.bits) + (SumBits + 1)'(bits);
    logic [8:0] chunks = 9'(tally.chunks) + 9'(chunk);
    tally.bits   = sum[SumBits] ? '1 : sum[SumBits-1:0];
    tally.most   = bits > tally.most ? bits : tally.most;
    tally.chunks = chunks[8] ? '1 : chunks[7:0];
    return tally;
  endfunction

  tally_t programmed_d, programmed_q, erased_d, erased_q;
  logic any_programmed_d, any_programmed_q;
  logic [8:0] lost;

  always_comb begin
    programmed_d = programmed_q;
    erased_d = erased_q;
    any_programmed_d = any_programmed_q || !erased_i;
    if (erased_i) erased_d = counted(erased_q, errors_i, 1'b1);
    else programmed_d = counted(programmed_q, errors_i, failed_i);
  end

  assign lost = 9'(programmed_d.chunks) + 9'(erased_d.chunks);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || (chunk_i && page_last_i)) begin
      programmed_q     <= '0;
      erased_q         <= '0;
      any_programmed_q <= 1'b0;
    end else if (chunk_i) begin
      programmed_q     <= programmed_d;
      erased_q         <= erased_d;
      any_programmed_q <= any_programmed_d;
    end
    if (chunk_i && page_last_i) begin
      erased_o <= !any_programmed_d;
      if (any_programmed_d) begin
        bits_o        <= programmed_d.bits;
        most_bits_o   <= programmed_d.most;
        lost_chunks_o <= lost[8] ? '1 : lost[7:0];
      end else begin
        bits_o        <= erased_d.bits;
        most_bits_o   <= erased_d.most;
        lost_chunks_o <= '0;
      end
    end
    valid_o <= rst_ni && chunk_i && page_last_i;
  end

endmodule
