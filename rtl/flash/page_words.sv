// SPDX-License-Identifier: Apache-2.0

// How many words of the bus a step moves.
//
// Contract: `words_o` counts the data and the MetadataWords, if `metadata_i`; if the page
// is coded, also ParityWords for each chunk that the data begin, and for the metadata.
// Latency: none.
// Reason: the bus has to know its burst before the first word is there. What is small is told by a table, so two sums
// stand behind one another and no more.
module page_words #(
    parameter int unsigned ChunkWords    = 128,
    parameter int unsigned ParityWords   = 10,
    parameter int unsigned MetadataWords = 12
) (
    input  logic [14:0] data_words_i,
    input  logic        metadata_i,
    input  logic        coded_i,
    output logic [15:0] words_o
);

  localparam int unsigned RestBits = $clog2(ChunkWords);

  logic [15:0] chunks, parity, few;

  assign chunks = coded_i ? 16'(data_words_i[14:RestBits]) : '0;

  // The parity of whole chunks: written as a sum, since it would not be worth a multiplier.
  always_comb begin
    parity = '0;
    for (int unsigned b = 0; b < $bits(ParityWords); b++) begin
      if (ParityWords[b]) parity += chunks << b;
    end
  end

  // The metadata, and the parity of these and of a chunk that is not whole.
  always_comb begin
    unique case ({data_words_i[RestBits-1:0] != '0 && coded_i, metadata_i})
      2'b00: few = '0;
      2'b01: few = 16'(MetadataWords) + (coded_i ? 16'(ParityWords) : '0);
      2'b10: few = 16'(ParityWords);
      default: few = 16'(MetadataWords + 2 * ParityWords);
    endcase
  end

  assign words_o = (16'(data_words_i) + few) + parity;

endmodule
