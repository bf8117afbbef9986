// SPDX-License-Identifier: Apache-2.0

// How many words of the bus a step moves.
//
// Contract: `words_o` counts the data and the MetadataWords, if `metadata_i`; if the page
// is coded, also ParityWords for each chunk that the data begin, and for the metadata.
// Latency: none.
// Reason: the bus has to know its burst before the first word is there.
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

  logic [15:0] code_words;

  assign code_words = 16'(data_words_i[14:RestBits]) + 16'(data_words_i[RestBits-1:0] != '0) +
                      16'(metadata_i);

  // The product is written as a sum, since it would not be worth a multiplier.
  always_comb begin
    words_o = 16'(data_words_i) + (metadata_i ? 16'(MetadataWords) : '0);
    for (int unsigned b = 0; b < $bits(ParityWords); b++) begin
      if (ParityWords[b] && coded_i) words_o += code_words << b;
    end
  end

endmodule
