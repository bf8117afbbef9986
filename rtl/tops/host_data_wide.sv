// SPDX-License-Identifier: Apache-2.0

`include "ports.svh"

// Test top: the host's DMA with buses of 512 bits, one memory channel, and two lists at
// a time.
module host_data_wide #(
    localparam int unsigned DataBits = 512,
    localparam int unsigned Memories = 1
) (
    input  logic clk_i,
    input  logic rst_ni,
    `FM_PORTS_HOST_DMA(DataBits),
    `FM_PORTS_MANAGER(host_, , DataBits, 6),
    `FM_PORTS_MANAGER(memory_, [Memories-1:0], DataBits, 6)
);

  host_data_bench #(
      .DataBits(DataBits),
      .Memories(Memories),
      .Lists(2)
  ) u_bench (
      .*
  );

endmodule
