// SPDX-License-Identifier: Apache-2.0

// What AXI4 and AXI4-Lite channels carry. Every burst of AXI4 is INCR and of the full width of the data, so a border
// needs neither size nor burst type; whoever joins one to a vendor's bridge ties those off, as `nvme_host_axi4` does. Payloads whose width is a
// parameter are in fm_axi.svh.
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

  // Of AXI4-Lite, whose addresses and answers to writes are ports of their own.
  typedef struct packed {
    logic [31:0] data;
    logic [3:0]  strobe;  // a bit a byte
  } lite_write_t;

  typedef struct packed {
    logic [31:0] data;
    response_e   response;
  } lite_read_t;

  // What a subordinate of AXI4-Lite drives.
  typedef struct packed {
    logic       aw_ready;
    logic       w_ready;
    logic       b_valid;
    response_e  b_resp;
    logic       ar_ready;
    logic       r_valid;
    lite_read_t r;
  } lite_response_t;

endpackage
