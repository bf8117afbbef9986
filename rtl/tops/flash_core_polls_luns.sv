// SPDX-License-Identifier: Apache-2.0

// Test top: the same with chips of two LUNs, asked by 78h.
module flash_core_polls_luns
  import fm_flash_pkg::*;
#(
`include "flash_core_ports.svh"

  flash_core_bench #(
      .PollCycles(60),
      .PollEnhanced(1'b1)
  ) u_bench (
      .*
  );

endmodule
