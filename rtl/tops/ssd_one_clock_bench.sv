// SPDX-License-Identifier: Apache-2.0

// Test top with parameters (models.csv): a whole controller at one clock.
module ssd_one_clock_bench #(
    parameter int unsigned Channels = 2,
    parameter int unsigned Ways     = 2,
    parameter int unsigned DataBits = 256,
    parameter bit          Ecc      = 1'b1,
    // As in ssd_bench.
    parameter int unsigned MetadataBytes = 24,
    parameter bit          Automated = 1'b0,
    parameter bit          Placed    = 1'b0,
    parameter int unsigned PollCycles = 0,
`include "ssd_ports.svh"

  ssd_bench #(
      .Channels(Channels),
      .Ways(Ways),
      .DataBits(DataBits),
      .Ecc(Ecc),
      .MetadataBytes(MetadataBytes),
      .Automated(Automated),
      .Placed(Placed),
      .PollCycles(PollCycles)
  ) u_bench (
      .*,
      .host_clk_i(clk_i),
      .host_rst_ni(rst_ni),
      .flash_clk_i(clk_i),
      .flash_rst_ni(rst_ni)
  );

endmodule
