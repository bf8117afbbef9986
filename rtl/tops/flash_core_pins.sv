// SPDX-License-Identifier: Apache-2.0

// Test top: a flash channel of eight ways up to the pins.
module flash_core_pins
  import fm_flash_pkg::*;
#(
`include "flash_core_ports.svh"

  flash_core_bench u_bench (
      .*
  );

endmodule
