// SPDX-License-Identifier: Apache-2.0

// Payloads of AXI4 channels whose width is a parameter of the module that has them. A module names them among its
// parameters, so that its ports can be of them:
//
//     localparam type w_beat_t = `FM_AXI_W(DataBits)
//
// Types of the same widths are assigned to each other as they are, being packed.

`ifndef FM_AXI_SVH
`define FM_AXI_SVH

// As burst_t of fm_axi_pkg, with an id of so many bits.
`define FM_AXI_BURST(IdBits) \
  struct packed { \
    logic [(IdBits)-1:0] id; \
    logic [63:0] address; \
    logic [7:0] length; \
  }

// A beat that was read. Its id is a port beside it, as some borders have none.
`define FM_AXI_R(DataBits) \
  struct packed { \
    logic [(DataBits)-1:0] data; \
    fm_axi_pkg::response_e response; \
    logic last; \
  }

// A beat to be written; its strobes have a bit a 32-bit lane.
`define FM_AXI_W(DataBits) \
  struct packed { \
    logic [(DataBits)-1:0] data; \
    logic [(DataBits)/32-1:0] strobe; \
    logic last; \
  }

// A whole bus: what its manager drives, and what its subordinate does. A border is two ports of these.
`define FM_AXI_REQUEST(DataBits, IdBits) \
  struct packed { \
    logic aw_valid; \
    `FM_AXI_BURST(IdBits) aw; \
    logic w_valid; \
    `FM_AXI_W(DataBits) w; \
    logic b_ready; \
    logic ar_valid; \
    `FM_AXI_BURST(IdBits) ar; \
    logic r_ready; \
  }

`define FM_AXI_RESPONSE(DataBits, IdBits) \
  struct packed { \
    logic aw_ready; \
    logic w_ready; \
    logic b_valid; \
    logic [(IdBits)-1:0] b_id; \
    fm_axi_pkg::response_e b_response; \
    logic ar_ready; \
    logic r_valid; \
    logic [(IdBits)-1:0] r_id; \
    `FM_AXI_R(DataBits) r; \
  }

// The channels of a subordinate at a PCIe bridge, whose beats have any size.
`define FM_AXI_BAR_AW(AddressBits, IdBits) \
  struct packed { \
    logic [(AddressBits)-1:0] address; \
    logic [(IdBits)-1:0] id; \
    logic [2:0] size; \
  }

`define FM_AXI_BAR_W(DataBits) \
  struct packed { \
    logic [(DataBits)/32-1:0][31:0] data; \
    logic [(DataBits)/32-1:0][3:0] strobe; \
    logic last; \
  }

`define FM_AXI_BAR_AR(AddressBits, IdBits) \
  struct packed { \
    logic [(AddressBits)-1:0] address; \
    logic [(IdBits)-1:0] id; \
    logic [7:0] length; \
    logic [2:0] size; \
  }

`define FM_AXI_BAR_R(DataBits, IdBits) \
  struct packed { \
    logic [(DataBits)/32-1:0][31:0] data; \
    logic [(IdBits)-1:0] id; \
    logic last; \
  }

// The same as a whole bus.
`define FM_AXI_BAR_REQUEST(DataBits, AddressBits, IdBits) \
  struct packed { \
    logic aw_valid; \
    `FM_AXI_BAR_AW(AddressBits, IdBits) aw; \
    logic w_valid; \
    `FM_AXI_BAR_W(DataBits) w; \
    logic b_ready; \
    logic ar_valid; \
    `FM_AXI_BAR_AR(AddressBits, IdBits) ar; \
    logic r_ready; \
  }

`define FM_AXI_BAR_RESPONSE(DataBits, IdBits) \
  struct packed { \
    logic aw_ready; \
    logic w_ready; \
    logic b_valid; \
    logic [(IdBits)-1:0] b_id; \
    logic ar_ready; \
    logic r_valid; \
    `FM_AXI_BAR_R(DataBits, IdBits) r; \
  }

// A whole bus of AXI4-Lite; what its subordinate drives is lite_response_t of fm_axi_pkg.
`define FM_LITE_REQUEST(AddressBits) \
  struct packed { \
    logic aw_valid; \
    logic [(AddressBits)-1:0] aw_addr; \
    logic w_valid; \
    fm_axi_pkg::lite_write_t w; \
    logic b_ready; \
    logic ar_valid; \
    logic [(AddressBits)-1:0] ar_addr; \
    logic r_ready; \
  }

`endif
