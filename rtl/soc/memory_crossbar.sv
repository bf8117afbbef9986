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
    localparam type r_beat_t = `FM_AXI_R(DataBits),
    localparam type w_beat_t = `FM_AXI_W(DataBits),
    localparam type memory_burst_t = `FM_AXI_BURST(IdBits)
) (
    input  logic                                 clk_i,
    input  logic                                 rst_ni,
    // The host's DMA.
    input  logic [Memories-1:0]                  host_ar_valid_i,
    output logic [Memories-1:0]                  host_ar_ready_o,
    input  fm_axi_pkg::burst_t [Memories-1:0]    host_ar_i,
    output logic [Memories-1:0]                  host_r_valid_o,
    input  logic [Memories-1:0]                  host_r_ready_i,
    input  logic [Memories-1:0]                  host_aw_valid_i,
    output logic [Memories-1:0]                  host_aw_ready_o,
    input  fm_axi_pkg::burst_t [Memories-1:0]    host_aw_i,
    input  logic [Memories-1:0]                  host_w_valid_i,
    output logic [Memories-1:0]                  host_w_ready_o,
    input  w_beat_t [Memories-1:0]               host_w_i,
    output logic [Memories-1:0]                  host_b_valid_o,
    input  logic [Memories-1:0]                  host_b_ready_i,
    // Managers of units.
    input  logic [Managers-1:0]                  ar_valid_i,
    output logic [Managers-1:0]                  ar_ready_o,
    input  fm_axi_pkg::burst_t [Managers-1:0]    ar_i,
    output logic [Managers-1:0]                  r_valid_o,
    input  logic [Managers-1:0]                  r_ready_i,
    output r_beat_t [Managers-1:0]               r_o,
    input  logic [Managers-1:0]                  aw_valid_i,
    output logic [Managers-1:0]                  aw_ready_o,
    input  fm_axi_pkg::burst_t [Managers-1:0]    aw_i,
    input  logic [Managers-1:0]                  w_valid_i,
    output logic [Managers-1:0]                  w_ready_o,
    input  w_beat_t [Managers-1:0]               w_i,
    output logic [Managers-1:0]                  b_valid_o,
    input  logic [Managers-1:0]                  b_ready_i,
    output fm_axi_pkg::response_e [Managers-1:0] b_response_o,
    // The memory's channels.
    output logic [Memories-1:0]                  memory_ar_valid_o,
    input  logic [Memories-1:0]                  memory_ar_ready_i,
    output memory_burst_t [Memories-1:0]         memory_ar_o,
    input  logic [Memories-1:0]                  memory_r_valid_i,
    output logic [Memories-1:0]                  memory_r_ready_o,
    input  logic [Memories-1:0][IdBits-1:0]      memory_r_id_i,
    input  r_beat_t [Memories-1:0]               memory_r_i,
    output logic [Memories-1:0]                  memory_aw_valid_o,
    input  logic [Memories-1:0]                  memory_aw_ready_i,
    output memory_burst_t [Memories-1:0]         memory_aw_o,
    output logic [Memories-1:0]                  memory_w_valid_o,
    input  logic [Memories-1:0]                  memory_w_ready_i,
    output w_beat_t [Memories-1:0]               memory_w_o,
    input  logic [Memories-1:0]                  memory_b_valid_i,
    output logic [Memories-1:0]                  memory_b_ready_o,
    input  logic [Memories-1:0][IdBits-1:0]      memory_b_id_i,
    input  fm_axi_pkg::response_e [Memories-1:0] memory_b_response_i
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

  for (genvar k = 0; k < Managers; k++) begin : gen_manager
    assign ar_home[k] = home(ar_i[k].address[AddressBits-1:UnitBits]);
    assign aw_home[k] = home(aw_i[k].address[AddressBits-1:UnitBits]);
    assign ar[k] = inside_channel(ar_i[k]);
    assign aw[k] = inside_channel(aw_i[k]);

    always_ff @(posedge clk_i) begin
      if (aw_valid_i[k] && aw_ready_o[k]) w_home_q[k] <= aw_home[k];
    end

    always_comb begin
      r_o[k] = '0;
      b_response_o[k] = fm_axi_pkg::Okay;
      {ar_ready_o[k], aw_ready_o[k], w_ready_o[k], r_valid_o[k], b_valid_o[k]} = '0;
      for (int unsigned m = 0; m < Memories; m++) begin
        ar_ready_o[k] |= ar_ready[m][k];
        aw_ready_o[k] |= aw_ready[m][k];
        w_ready_o[k] |= w_ready[m][k];
        if (r_valid[m][k]) begin
          r_valid_o[k] = 1'b1;
          r_o[k] |= memory_r_i[m];
        end
        if (b_valid[m][k]) begin
          b_valid_o[k] = 1'b1;
          b_response_o[k] = memory_b_response_i[m];
        end
      end
    end
  end

  for (genvar m = 0; m < Memories; m++) begin : gen_memory
    for (genvar k = 0; k < Managers; k++) begin : gen_manager
      assign ar_valid[m][k] = ar_valid_i[k] && ar_home[k][m];
      assign aw_valid[m][k] = aw_valid_i[k] && aw_home[k][m];
      assign w_valid[m][k] = w_valid_i[k] && w_home_q[k][m];
    end

    // The host comes last.
    memory_join #(
        .Managers(Managers + 1),
        .DataBits(DataBits)
    ) u_join (
        .clk_i,
        .rst_ni,
        .ar_valid_i({host_ar_valid_i[m], ar_valid[m]}),
        .ar_ready_o({host_ar_ready_o[m], ar_ready[m]}),
        .ar_i({host_ar_i[m], ar}),
        .r_valid_o({host_r_valid_o[m], r_valid[m]}),
        .r_ready_i({host_r_ready_i[m], r_ready_i}),
        .aw_valid_i({host_aw_valid_i[m], aw_valid[m]}),
        .aw_ready_o({host_aw_ready_o[m], aw_ready[m]}),
        .aw_i({host_aw_i[m], aw}),
        .w_valid_i({host_w_valid_i[m], w_valid[m]}),
        .w_ready_o({host_w_ready_o[m], w_ready[m]}),
        .w_i({host_w_i[m], w_i}),
        .b_valid_o({host_b_valid_o[m], b_valid[m]}),
        .b_ready_i({host_b_ready_i[m], b_ready_i}),
        .ar_valid_o(memory_ar_valid_o[m]),
        .ar_ready_i(memory_ar_ready_i[m]),
        .ar_o(memory_ar_o[m]),
        .r_valid_i(memory_r_valid_i[m]),
        .r_ready_o(memory_r_ready_o[m]),
        .r_source_i(memory_r_id_i[m][IdBits-1:fm_axi_pkg::IdBits]),
        .aw_valid_o(memory_aw_valid_o[m]),
        .aw_ready_i(memory_aw_ready_i[m]),
        .aw_o(memory_aw_o[m]),
        .w_valid_o(memory_w_valid_o[m]),
        .w_ready_i(memory_w_ready_i[m]),
        .w_o(memory_w_o[m]),
        .b_valid_i(memory_b_valid_i[m]),
        .b_ready_o(memory_b_ready_o[m]),
        .b_source_i(memory_b_id_i[m][IdBits-1:fm_axi_pkg::IdBits])
    );
  end

endmodule
