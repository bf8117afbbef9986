// SPDX-License-Identifier: Apache-2.0

`include "ports.svh"

// Test top: the whole host interface with buses of 256 bits, as for eight lanes, and two
// memory channels.
module nvme_host_x8 #(
    localparam int unsigned DataBits = 256,
    localparam int unsigned Memories = 2,
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
      .Lists(1)
  ) u_bench (
      .*
  );

endmodule
