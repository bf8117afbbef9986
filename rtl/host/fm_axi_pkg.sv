// SPDX-License-Identifier: Apache-2.0

// What AXI4 channels carry. Every burst is INCR and of the full width of the data, so a border needs
// neither size nor burst type; whoever joins one to a vendor's bridge ties those off.
package fm_axi_pkg;

  localparam int unsigned IdBits = 6;
  typedef logic [IdBits-1:0] id_t;

  // A burst. It does not cross a multiple of 4,096.
  typedef struct packed {
    id_t         id;
    logic [63:0] address;
    logic [7:0]  length;   // beats minus one
  } burst_t;

  // Source: AMBA AXI specification, RRESP and BRESP.
  typedef enum logic [1:0] {
    Okay,
    ExclusiveOkay,
    SubordinateError,
    DecodeError
  } response_e;

endpackage
