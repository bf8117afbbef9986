// SPDX-License-Identifier: Apache-2.0

// The host interface with complete AXI4 and AXI4-Lite ports by their usual names, as bridges and models of others have them.
//
// Contract: as `nvme_host` with buses of 256 bits and two memory channels. The managers' bursts are INCR, of the
// full width, normal, bufferable and not secure; each strobe of a lane becomes four. Of BAR 0, burst type, lock, cache and protection are
// ignored, and every answer is OKAY.
// Latency: none, it is wires.
// Reason: whoever joins the host interface to a vendor's bridge has nothing to tie off. tests/cocotb know AXI by it alone.
module nvme_host_axi4 #(
    // As in nvme_host.
    parameter int unsigned TickBits   = 23,
    parameter int unsigned TickCycles = 1562
) (
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic         function_reset_i,
    input  logic         msix_enable_i,
    input  logic         msix_mask_i,
    output logic         idle_o,
    output logic         irq_o,
    // BAR 0.
    input  logic         bar_arvalid,
    output logic         bar_arready,
    input  logic [3:0]   bar_arid,
    input  logic [13:0]  bar_araddr,
    input  logic [7:0]   bar_arlen,
    input  logic [2:0]   bar_arsize,
    input  logic [1:0]   bar_arburst,
    input  logic         bar_arlock,
    input  logic [3:0]   bar_arcache,
    input  logic [2:0]   bar_arprot,
    input  logic         bar_awvalid,
    output logic         bar_awready,
    input  logic [3:0]   bar_awid,
    input  logic [13:0]  bar_awaddr,
    input  logic [7:0]   bar_awlen,
    input  logic [2:0]   bar_awsize,
    input  logic [1:0]   bar_awburst,
    input  logic         bar_awlock,
    input  logic [3:0]   bar_awcache,
    input  logic [2:0]   bar_awprot,
    output logic         bar_rvalid,
    input  logic         bar_rready,
    output logic [3:0]   bar_rid,
    output logic [255:0] bar_rdata,
    output logic [1:0]   bar_rresp,
    output logic         bar_rlast,
    input  logic         bar_wvalid,
    output logic         bar_wready,
    input  logic [255:0] bar_wdata,
    input  logic [31:0]  bar_wstrb,
    input  logic         bar_wlast,
    output logic         bar_bvalid,
    input  logic         bar_bready,
    output logic [3:0]   bar_bid,
    output logic [1:0]   bar_bresp,
    // Host memory.
    output logic         host_arvalid,
    input  logic         host_arready,
    output logic [5:0]   host_arid,
    output logic [63:0]  host_araddr,
    output logic [7:0]   host_arlen,
    output logic [2:0]   host_arsize,
    output logic [1:0]   host_arburst,
    output logic         host_arlock,
    output logic [3:0]   host_arcache,
    output logic [2:0]   host_arprot,
    output logic         host_awvalid,
    input  logic         host_awready,
    output logic [5:0]   host_awid,
    output logic [63:0]  host_awaddr,
    output logic [7:0]   host_awlen,
    output logic [2:0]   host_awsize,
    output logic [1:0]   host_awburst,
    output logic         host_awlock,
    output logic [3:0]   host_awcache,
    output logic [2:0]   host_awprot,
    input  logic         host_rvalid,
    output logic         host_rready,
    input  logic [5:0]   host_rid,
    input  logic [255:0] host_rdata,
    input  logic [1:0]   host_rresp,
    input  logic         host_rlast,
    output logic         host_wvalid,
    input  logic         host_wready,
    output logic [255:0] host_wdata,
    output logic [31:0]  host_wstrb,
    output logic         host_wlast,
    input  logic         host_bvalid,
    output logic         host_bready,
    input  logic [5:0]   host_bid,
    input  logic [1:0]   host_bresp,
    // The memory channels.
    output logic         memory0_arvalid,
    input  logic         memory0_arready,
    output logic [5:0]   memory0_arid,
    output logic [63:0]  memory0_araddr,
    output logic [7:0]   memory0_arlen,
    output logic [2:0]   memory0_arsize,
    output logic [1:0]   memory0_arburst,
    output logic         memory0_arlock,
    output logic [3:0]   memory0_arcache,
    output logic [2:0]   memory0_arprot,
    output logic         memory0_awvalid,
    input  logic         memory0_awready,
    output logic [5:0]   memory0_awid,
    output logic [63:0]  memory0_awaddr,
    output logic [7:0]   memory0_awlen,
    output logic [2:0]   memory0_awsize,
    output logic [1:0]   memory0_awburst,
    output logic         memory0_awlock,
    output logic [3:0]   memory0_awcache,
    output logic [2:0]   memory0_awprot,
    input  logic         memory0_rvalid,
    output logic         memory0_rready,
    input  logic [5:0]   memory0_rid,
    input  logic [255:0] memory0_rdata,
    input  logic [1:0]   memory0_rresp,
    input  logic         memory0_rlast,
    output logic         memory0_wvalid,
    input  logic         memory0_wready,
    output logic [255:0] memory0_wdata,
    output logic [31:0]  memory0_wstrb,
    output logic         memory0_wlast,
    input  logic         memory0_bvalid,
    output logic         memory0_bready,
    input  logic [5:0]   memory0_bid,
    input  logic [1:0]   memory0_bresp,
    output logic         memory1_arvalid,
    input  logic         memory1_arready,
    output logic [5:0]   memory1_arid,
    output logic [63:0]  memory1_araddr,
    output logic [7:0]   memory1_arlen,
    output logic [2:0]   memory1_arsize,
    output logic [1:0]   memory1_arburst,
    output logic         memory1_arlock,
    output logic [3:0]   memory1_arcache,
    output logic [2:0]   memory1_arprot,
    output logic         memory1_awvalid,
    input  logic         memory1_awready,
    output logic [5:0]   memory1_awid,
    output logic [63:0]  memory1_awaddr,
    output logic [7:0]   memory1_awlen,
    output logic [2:0]   memory1_awsize,
    output logic [1:0]   memory1_awburst,
    output logic         memory1_awlock,
    output logic [3:0]   memory1_awcache,
    output logic [2:0]   memory1_awprot,
    input  logic         memory1_rvalid,
    output logic         memory1_rready,
    input  logic [5:0]   memory1_rid,
    input  logic [255:0] memory1_rdata,
    input  logic [1:0]   memory1_rresp,
    input  logic         memory1_rlast,
    output logic         memory1_wvalid,
    input  logic         memory1_wready,
    output logic [255:0] memory1_wdata,
    output logic [31:0]  memory1_wstrb,
    output logic         memory1_wlast,
    input  logic         memory1_bvalid,
    output logic         memory1_bready,
    input  logic [5:0]   memory1_bid,
    input  logic [1:0]   memory1_bresp,
    // The processor.
    input  logic         processor_arvalid,
    output logic         processor_arready,
    input  logic [14:0]  processor_araddr,
    input  logic [2:0]   processor_arprot,
    input  logic         processor_awvalid,
    output logic         processor_awready,
    input  logic [14:0]  processor_awaddr,
    input  logic [2:0]   processor_awprot,
    output logic         processor_rvalid,
    input  logic         processor_rready,
    output logic [31:0]  processor_rdata,
    output logic [1:0]   processor_rresp,
    input  logic         processor_wvalid,
    output logic         processor_wready,
    input  logic [31:0]  processor_wdata,
    input  logic [3:0]   processor_wstrb,
    output logic         processor_bvalid,
    input  logic         processor_bready,
    output logic [1:0]   processor_bresp
);

  // Source: AMBA AXI specification, AxBURST, AxCACHE and AxPROT.
  localparam logic [2:0] WholeBeat = 3'd5;
  localparam logic [1:0] Incrementing = 2'b01;
  localparam logic [3:0] NormalBufferable = 4'b0011;
  localparam logic [2:0] NotSecure = 3'b010;

  function automatic logic [31:0] bytes_of(logic [7:0] lanes);
    for (int unsigned lane = 0; lane < 8; lane++) bytes_of[4*lane+:4] = {4{lanes[lane]}};
  endfunction

  fm_axi_pkg::burst_t host_ar, host_aw, memory_ar, memory_aw;
  logic [7:0] host_strobe, memory_strobe;
  logic [255:0] memory_data;
  logic memory_last;

  assign {host_arid, host_araddr, host_arlen} = host_ar;
  assign {host_arsize, host_arburst, host_arlock} = {WholeBeat, Incrementing, 1'b0};
  assign {host_arcache, host_arprot} = {NormalBufferable, NotSecure};
  assign {host_awid, host_awaddr, host_awlen} = host_aw;
  assign {host_awsize, host_awburst, host_awlock} = {WholeBeat, Incrementing, 1'b0};
  assign {host_awcache, host_awprot} = {NormalBufferable, NotSecure};
  assign host_wstrb = bytes_of(host_strobe);

  assign {memory0_arid, memory0_araddr, memory0_arlen} = memory_ar;
  assign {memory0_arsize, memory0_arburst, memory0_arlock} = {WholeBeat, Incrementing, 1'b0};
  assign {memory0_arcache, memory0_arprot} = {NormalBufferable, NotSecure};
  assign {memory0_awid, memory0_awaddr, memory0_awlen} = memory_aw;
  assign {memory0_awsize, memory0_awburst, memory0_awlock} = {WholeBeat, Incrementing, 1'b0};
  assign {memory0_awcache, memory0_awprot} = {NormalBufferable, NotSecure};
  assign memory0_wstrb = bytes_of(memory_strobe);
  assign {memory0_wdata, memory0_wlast} = {memory_data, memory_last};

  assign {memory1_arid, memory1_araddr, memory1_arlen} = memory_ar;
  assign {memory1_arsize, memory1_arburst, memory1_arlock} = {WholeBeat, Incrementing, 1'b0};
  assign {memory1_arcache, memory1_arprot} = {NormalBufferable, NotSecure};
  assign {memory1_awid, memory1_awaddr, memory1_awlen} = memory_aw;
  assign {memory1_awsize, memory1_awburst, memory1_awlock} = {WholeBeat, Incrementing, 1'b0};
  assign {memory1_awcache, memory1_awprot} = {NormalBufferable, NotSecure};
  assign memory1_wstrb = bytes_of(memory_strobe);
  assign {memory1_wdata, memory1_wlast} = {memory_data, memory_last};

  assign bar_rresp = fm_axi_pkg::Okay;
  assign bar_bresp = fm_axi_pkg::Okay;

  // All writes of a manager have one id.
  logic unused;
  assign unused = ^{bar_awlen, bar_awburst, bar_awlock, bar_awcache, bar_awprot, bar_arburst, bar_arlock, bar_arcache,
                    bar_arprot, host_bid, memory0_bid, memory1_bid, processor_awprot, processor_arprot};

  nvme_host #(
      .DataBits(256),
      .Memories(2),
      .TickBits(TickBits),
      .TickCycles(TickCycles)
  ) u_host (
      .clk_i,
      .rst_ni,
      .host_reset_i(1'b0),
      .function_reset_i,
      .msix_enable_i,
      .msix_mask_i,
      .idle_o,
      .bar_aw_valid_i(bar_awvalid), .bar_aw_ready_o(bar_awready), .bar_aw_i({bar_awaddr, bar_awid, bar_awsize}),
      .bar_w_valid_i(bar_wvalid), .bar_w_ready_o(bar_wready), .bar_w_i({bar_wdata, bar_wstrb, bar_wlast}),
      .bar_b_valid_o(bar_bvalid), .bar_b_ready_i(bar_bready), .bar_b_id_o(bar_bid),
      .bar_ar_valid_i(bar_arvalid), .bar_ar_ready_o(bar_arready), .bar_ar_i({bar_araddr, bar_arid, bar_arlen, bar_arsize}),
      .bar_r_valid_o(bar_rvalid), .bar_r_ready_i(bar_rready), .bar_r_o({bar_rdata, bar_rid, bar_rlast}),
      .host_ar_valid_o(host_arvalid), .host_ar_ready_i(host_arready), .host_ar_o(host_ar),
      .host_r_valid_i(host_rvalid), .host_r_ready_o(host_rready), .host_r_id_i(host_rid),
      .host_r_i({host_rdata, fm_axi_pkg::response_e'(host_rresp), host_rlast}),
      .host_aw_valid_o(host_awvalid), .host_aw_ready_i(host_awready), .host_aw_o(host_aw),
      .host_w_valid_o(host_wvalid), .host_w_ready_i(host_wready), .host_w_o({host_wdata, host_strobe, host_wlast}),
      .host_b_valid_i(host_bvalid), .host_b_ready_o(host_bready), .host_b_response_i(fm_axi_pkg::response_e'(host_bresp)),
      .memory_ar_valid_o({memory1_arvalid, memory0_arvalid}), .memory_ar_ready_i({memory1_arready, memory0_arready}),
      .memory_ar_o(memory_ar),
      .memory_r_valid_i({memory1_rvalid, memory0_rvalid}), .memory_r_ready_o({memory1_rready, memory0_rready}),
      .memory_r_id_i({memory1_rid, memory0_rid}),
      .memory_r_i({memory1_rdata, memory1_rresp, memory1_rlast, memory0_rdata, memory0_rresp, memory0_rlast}),
      .memory_aw_valid_o({memory1_awvalid, memory0_awvalid}), .memory_aw_ready_i({memory1_awready, memory0_awready}),
      .memory_aw_o(memory_aw),
      .memory_w_valid_o({memory1_wvalid, memory0_wvalid}), .memory_w_ready_i({memory1_wready, memory0_wready}),
      .memory_w_o({memory_data, memory_strobe, memory_last}),
      .memory_b_valid_i({memory1_bvalid, memory0_bvalid}), .memory_b_ready_o({memory1_bready, memory0_bready}),
      .memory_b_response_i({fm_axi_pkg::response_e'(memory1_bresp), fm_axi_pkg::response_e'(memory0_bresp)}),
      .processor_aw_valid_i(processor_awvalid), .processor_aw_ready_o(processor_awready),
      .processor_aw_addr_i(processor_awaddr),
      .processor_w_valid_i(processor_wvalid), .processor_w_ready_o(processor_wready),
      .processor_w_i({processor_wdata, processor_wstrb}),
      .processor_b_valid_o(processor_bvalid), .processor_b_ready_i(processor_bready), .processor_b_resp_o(processor_bresp),
      .processor_ar_valid_i(processor_arvalid), .processor_ar_ready_o(processor_arready),
      .processor_ar_addr_i(processor_araddr),
      .processor_r_valid_o(processor_rvalid), .processor_r_ready_i(processor_rready),
      .processor_r_o({processor_rdata, processor_rresp}),
      .irq_o
  );

endmodule
