// SPDX-License-Identifier: Apache-2.0

`include "ports.svh"

// Test top: the host's DMA with buses of 64 bits, in which completions have two beats and a page two bursts, and two memory
// channels.
module host_data_narrow #(
    localparam int unsigned DataBits = 64,
    localparam int unsigned Memories = 2
) (
    input  logic clk_i,
    input  logic rst_ni,
    `FM_PORTS_HOST_DMA(DataBits),
    `FM_PORTS_MANAGER(host_, , DataBits, 6),
    `FM_PORTS_MANAGER(memory_, [Memories-1:0], DataBits, 6)
);

  host_data_bench #(
      .DataBits(DataBits),
      .Memories(Memories)
  ) u_bench (
      .*
  );

endmodule
