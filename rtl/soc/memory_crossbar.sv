// SPDX-License-Identifier: Apache-2.0

`include "fm_axi.svh"

// All ways to the data buffer memory: the host's DMA and managers of units, to each of its channels.
//
// Contract: the memory's channels hold units of 512 bytes in turn. The host's DMA chooses among them by
// itself, and its addresses are those inside a channel. Managers of units give addresses of the whole memory;
// each has one burst of a direction under way, which lies in a unit. Data that come before their address was taken
// wait for it.
// Latency: none.
// Reason: one burst under way keeps the order of a manager over all channels without a queue.
module memory_crossbar
  import fm_ssd_pkg::*;
#(
    parameter int unsigned Managers = 3,
    parameter int unsigned Memories = 1,
    parameter int unsigned DataBits = 256,
    localparam int unsigned IdBits = $clog2(Managers + 1) + fm_axi_pkg::IdBits,
    localparam type w_beat_t = `FM_AXI_W(DataBits),
    localparam type request_t = `FM_AXI_REQUEST(DataBits, fm_axi_pkg::IdBits),
    localparam type response_t = `FM_AXI_RESPONSE(DataBits, fm_axi_pkg::IdBits),
    localparam type memory_request_t = `FM_AXI_REQUEST(DataBits, IdBits),
    localparam type memory_response_t = `FM_AXI_RESPONSE(DataBits, IdBits)
) (
    input  logic                            clk_i,
    input  logic                            rst_ni,
    // The host's DMA.
    input  request_t [Memories-1:0]         host_i,
    output response_t [Memories-1:0]        host_o,
    // Managers of units, whose answers have no ids.
    input  request_t [Managers-1:0]         units_i,
    output response_t [Managers-1:0]        units_o,
    // The memory's channels.
    output memory_request_t [Memories-1:0]  memory_o,
    input  memory_response_t [Memories-1:0] memory_i
);

  typedef logic [Memories-1:0] memories_t;
  typedef logic [Managers-1:0] managers_t;

  function automatic memories_t home(unit_address_t unit);
    return memories_t'(1) << (unit & unit_address_t'(Memories - 1));
  endfunction

  function automatic fm_axi_pkg::burst_t inside_channel(fm_axi_pkg::burst_t burst);
    return '{
        id: burst.id,
        address: fm_transfer_pkg::stripe_address(burst.address, Memories),
        length: burst.length
    };
  endfunction

  // Of each manager: bursts with addresses inside a channel, and where data and answers of its last one go.
  memories_t [Managers-1:0] ar_home, aw_home, w_home_q;
  fm_axi_pkg::burst_t [Managers-1:0] ar, aw;
  // Of each memory: a bit a manager.
  logic [Memories-1:0][Managers-1:0] ar_valid, ar_ready, r_valid, aw_valid, aw_ready, w_valid, w_ready, b_valid;

  // Of each manager, for all memories.
  managers_t r_ready, b_ready;
  w_beat_t [Managers-1:0] w;

  for (genvar k = 0; k < Managers; k++) begin : gen_manager
    assign ar_home[k] = home(units_i[k].ar.address[AddressBits-1:UnitBits]);
    assign aw_home[k] = home(units_i[k].aw.address[AddressBits-1:UnitBits]);
    assign ar[k] = inside_channel(units_i[k].ar);
    assign aw[k] = inside_channel(units_i[k].aw);
    assign w[k] = units_i[k].w;
    assign r_ready[k] = units_i[k].r_ready;
    assign b_ready[k] = units_i[k].b_ready;

    always_ff @(posedge clk_i) begin
      if (units_i[k].aw_valid && units_o[k].aw_ready) w_home_q[k] <= aw_home[k];
    end

    always_comb begin
      units_o[k] = '0;
      for (int unsigned m = 0; m < Memories; m++) begin
        units_o[k].ar_ready |= ar_ready[m][k];
        units_o[k].aw_ready |= aw_ready[m][k];
        units_o[k].w_ready |= w_ready[m][k];
        if (r_valid[m][k]) begin
          units_o[k].r_valid = 1'b1;
          units_o[k].r |= memory_i[m].r;
        end
        if (b_valid[m][k]) begin
          units_o[k].b_valid = 1'b1;
          units_o[k].b_response = memory_i[m].b_response;
        end
      end
    end
  end

  for (genvar m = 0; m < Memories; m++) begin : gen_memory
    for (genvar k = 0; k < Managers; k++) begin : gen_manager
      assign ar_valid[m][k] = units_i[k].ar_valid && ar_home[k][m];
      assign aw_valid[m][k] = units_i[k].aw_valid && aw_home[k][m];
      assign w_valid[m][k] = units_i[k].w_valid && w_home_q[k][m];
    end

    // The host comes last.
    memory_join #(
        .Managers(Managers + 1),
        .DataBits(DataBits)
    ) u_join (
        .clk_i,
        .rst_ni,
        .ar_valid_i({host_i[m].ar_valid, ar_valid[m]}),
        .ar_ready_o({host_o[m].ar_ready, ar_ready[m]}),
        .ar_i({host_i[m].ar, ar}),
        .r_valid_o({host_o[m].r_valid, r_valid[m]}),
        .r_ready_i({host_i[m].r_ready, r_ready}),
        .aw_valid_i({host_i[m].aw_valid, aw_valid[m]}),
        .aw_ready_o({host_o[m].aw_ready, aw_ready[m]}),
        .aw_i({host_i[m].aw, aw}),
        .w_valid_i({host_i[m].w_valid, w_valid[m]}),
        .w_ready_o({host_o[m].w_ready, w_ready[m]}),
        .w_i({host_i[m].w, w}),
        .b_valid_o({host_o[m].b_valid, b_valid[m]}),
        .b_ready_i({host_i[m].b_ready, b_ready}),
        .ar_valid_o(memory_o[m].ar_valid),
        .ar_ready_i(memory_i[m].ar_ready),
        .ar_o(memory_o[m].ar),
        .r_valid_i(memory_i[m].r_valid),
        .r_ready_o(memory_o[m].r_ready),
        .r_source_i(memory_i[m].r_id[IdBits-1:fm_axi_pkg::IdBits]),
        .aw_valid_o(memory_o[m].aw_valid),
        .aw_ready_i(memory_i[m].aw_ready),
        .aw_o(memory_o[m].aw),
        .w_valid_o(memory_o[m].w_valid),
        .w_ready_i(memory_i[m].w_ready),
        .w_o(memory_o[m].w),
        .b_valid_i(memory_i[m].b_valid),
        .b_ready_o(memory_o[m].b_ready),
        .b_source_i(memory_i[m].b_id[IdBits-1:fm_axi_pkg::IdBits])
    );

    assign host_o[m].r = memory_i[m].r;
    assign host_o[m].r_id = memory_i[m].r_id[fm_axi_pkg::IdBits-1:0];
    assign host_o[m].b_response = memory_i[m].b_response;
    assign host_o[m].b_id = memory_i[m].b_id[fm_axi_pkg::IdBits-1:0];
  end

endmodule
