// SPDX-License-Identifier: Apache-2.0

// Test top: the paths of pages with a codec, of 40 bits in 1024 bytes, and without.
module page_paths_t40 #(
    localparam int unsigned Others     = 3,
    localparam int unsigned ChunkBytes = 1024,
    localparam int unsigned T          = 40,
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
