// SPDX-License-Identifier: Apache-2.0

// Test top: the same, but R/B# leads nowhere, and ways are asked for their status (70h).
module flash_core_polls
  import fm_flash_pkg::*;
#(
`include "flash_core_ports.svh"

  flash_core_bench #(
      .PollCycles(60)
  ) u_bench (
      .*
  );

endmodule
