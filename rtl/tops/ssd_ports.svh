// SPDX-License-Identifier: Apache-2.0

// What the tops of whole controllers share: sizes and ports. Channels, Ways and DataBits, the width of buses, stand before it. There
// are two memory channels. A top whose host interface and channels have clocks of their own says so in FM_PORTS_CLOCKS, and one whose
// processor is inside has other ports for it, in FM_PORTS_PROCESSOR, and one more manager of the memory, the processor.
`include "ports.svh"
`ifndef FM_PORTS_CLOCKS
`define FM_PORTS_CLOCKS
`endif
`ifndef FM_PORTS_PROCESSOR
`define FM_PORTS_PROCESSOR \
    `FM_PORTS_LITE(processor_, 20), \
    output logic irq_o,
`define FM_PORTS_MANAGERS (Channels + 2)
`endif
    localparam int unsigned Memories = 2,
    localparam int unsigned BarBits  = 14,
    localparam int unsigned IdBits   = 4,
    localparam int unsigned Lanes    = DataBits / 32,
    // Managers are the channels, the memory engine and the host interface.
    localparam int unsigned MemoryIdBits = $clog2(`FM_PORTS_MANAGERS) + fm_axi_pkg::IdBits
) (
    input  logic                              clk_i,
    input  logic                              rst_ni,
    `FM_PORTS_CLOCKS
    input  logic                              host_reset_i,
    input  logic                              function_reset_i,
    input  logic                              msix_enable_i,
    input  logic                              msix_mask_i,
    output logic                              idle_o,
    `FM_PORTS_BAR(bar_, DataBits, BarBits, IdBits),
    `FM_PORTS_MANAGER(host_, , DataBits, 6),
    `FM_PORTS_MANAGER(memory_, [Memories-1:0], DataBits, MemoryIdBits),
    `FM_PORTS_PROCESSOR
    output logic [Channels-1:0][Ways-1:0]      ce_no,
    output logic [Channels-1:0]                cle_o,
    output logic [Channels-1:0]                ale_o,
    output logic [Channels-1:0]                we_no,
    output logic [Channels-1:0]                wp_no,
    output logic [Channels-1:0]                re_no,
    output logic [Channels-1:0][7:0]           dq_o,
    output logic [Channels-1:0]                dq_oe_o,
    output logic [Channels-1:0]                dqs_o,
    output logic [Channels-1:0]                dqs_oe_o,
    input  logic [Channels-1:0][7:0]           dq_i,
    input  logic [Channels-1:0]                dqs_i,
    input  logic [Channels-1:0][Ways-1:0]      rb_ni
);
`undef FM_PORTS_CLOCKS
`undef FM_PORTS_PROCESSOR
`undef FM_PORTS_MANAGERS
