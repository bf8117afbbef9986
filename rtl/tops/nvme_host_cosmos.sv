// SPDX-License-Identifier: Apache-2.0

`include "ports.svh"

// Test top: the host interface as Cosmos+ has it, and as `make synth` measures it: buses of 128 bits, a memory
// channel, nine queue pairs that are served in turn, firmware alone, and nothing that counts.
module nvme_host_cosmos #(
    localparam int unsigned DataBits = 128,
    localparam int unsigned Memories = 1,
    localparam int unsigned BarBits  = 14,
    localparam int unsigned IdBits   = 4
) (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic host_reset_i,
    input  logic function_reset_i,
    input  logic msix_enable_i,
    input  logic msix_mask_i,
    output logic idle_o,
    `FM_PORTS_BAR(bar_, DataBits, BarBits, IdBits),
    `FM_PORTS_MANAGER(host_, , DataBits, 6),
    `FM_PORTS_MANAGER(memory_, [Memories-1:0], DataBits, 6),
    `FM_PORTS_LITE(processor_, 15),
    output logic irq_o
);

  nvme_host_bench #(
      .DataBits(DataBits),
      .Memories(Memories),
      .Automated(1'b0),
      .Queues(9),
      .Weighted(1'b0),
      .Monitored(1'b0),
      .RingBytes(8192),
      .BlockTables(1'b1)
  ) u_bench (
      .*
  );

endmodule
