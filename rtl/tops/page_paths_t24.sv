// SPDX-License-Identifier: Apache-2.0

// Test top: the paths of pages with a codec, of 24 bits in 512 bytes, and without.
module page_paths_t24 #(
    localparam int unsigned Others     = 3,
    localparam int unsigned ChunkBytes = 512,
    localparam int unsigned T          = 24,
    localparam int unsigned M          = fm_bch_pkg::field_degree(ChunkBytes, T)
) (
`include "page_path_ports.svh"
);

  page_paths_bench #(
      .Others(Others),
      .ChunkBytes(ChunkBytes),
      .T(T)
  ) u_bench (
      .*
  );

endmodule
