// SPDX-License-Identifier: Apache-2.0

`include "fm_axi.svh"

// All flash channels of the controller, with what joins them to the data buffer memory and what they share.
//
// Contract: registers of each channel as in `flash_channel`, accesses of memory as in `entry_fetch` and
// `entry_store`, pins as in `flash_pins`.
// Latency: that of its parts.
// Reason: composition alone. A key equation solver serves four channels (Cosmos+ section 5, figure 19).
module flash_side
  import fm_ssd_pkg::*;
#(
    parameter int unsigned DataBits      = 256,
    parameter int unsigned Channels      = 2,
    parameter int unsigned Ways          = 2,
    parameter bit          Ecc           = 1'b1,
    parameter int unsigned ChunkBytes    = 256,
    parameter int unsigned T             = 13,
    parameter int unsigned MetadataBytes = 24,
    // As in flash_core.
    parameter int unsigned PollCycles    = 0,
    parameter bit          PollEnhanced  = 1'b0,
    localparam type r_beat_t = `FM_AXI_R(DataBits),
    localparam type w_beat_t = `FM_AXI_W(DataBits)
) (
    input  logic                                  clk_i,
    input  logic                                  rst_ni,
    // AXI4-Lite, a lane a channel.
    input  logic [Channels-1:0]                   aw_valid_i,
    output logic [Channels-1:0]                   aw_ready_o,
    input  logic [Channels-1:0][8:0]              aw_addr_i,
    input  logic [Channels-1:0]                   w_valid_i,
    input  fm_axi_pkg::lite_write_t [Channels-1:0] w_i,
    output logic [Channels-1:0]                   b_valid_o,
    input  logic [Channels-1:0]                   b_ready_i,
    output fm_axi_pkg::response_e [Channels-1:0]  b_resp_o,
    input  logic [Channels-1:0]                   ar_valid_i,
    output logic [Channels-1:0]                   ar_ready_o,
    input  logic [Channels-1:0][8:0]              ar_addr_i,
    output logic [Channels-1:0]                   r_valid_o,
    input  logic [Channels-1:0]                   r_ready_i,
    output fm_axi_pkg::lite_read_t [Channels-1:0] r_o,
    output logic [Channels-1:0]                   irq_o,
    // The memory, a lane a channel.
    input  entries_t                              entries_i,
    output logic [Channels-1:0]                   fetch_failed_o,
    output logic [Channels-1:0]                   store_failed_o,
    output logic [Channels-1:0]                   ar_memory_valid_o,
    input  logic [Channels-1:0]                   ar_memory_ready_i,
    output fm_axi_pkg::burst_t [Channels-1:0]     ar_memory_o,
    input  logic [Channels-1:0]                   r_memory_valid_i,
    output logic [Channels-1:0]                   r_memory_ready_o,
    input  r_beat_t [Channels-1:0]                r_memory_i,
    output logic [Channels-1:0]                   aw_memory_valid_o,
    input  logic [Channels-1:0]                   aw_memory_ready_i,
    output fm_axi_pkg::burst_t [Channels-1:0]     aw_memory_o,
    output logic [Channels-1:0]                   w_memory_valid_o,
    input  logic [Channels-1:0]                   w_memory_ready_i,
    output w_beat_t [Channels-1:0]                w_memory_o,
    input  logic [Channels-1:0]                   b_memory_valid_i,
    output logic [Channels-1:0]                   b_memory_ready_o,
    input  fm_axi_pkg::response_e [Channels-1:0]  b_memory_response_i,
    // The pins of the chips, a lane a channel.
    output logic [Channels-1:0][Ways-1:0]         ce_no,
    output logic [Channels-1:0]                   cle_o,
    output logic [Channels-1:0]                   ale_o,
    output logic [Channels-1:0]                   we_no,
    output logic [Channels-1:0]                   wp_no,
    output logic [Channels-1:0]                   re_no,
    output logic [Channels-1:0][7:0]              dq_o,
    output logic [Channels-1:0]                   dq_oe_o,
    output logic [Channels-1:0]                   dqs_o,
    output logic [Channels-1:0]                   dqs_oe_o,
    input  logic [Channels-1:0][7:0]              dq_i,
    input  logic [Channels-1:0]                   dqs_i,
    input  logic [Channels-1:0][Ways-1:0]         rb_ni
);

  localparam int unsigned M = fm_bch_pkg::field_degree(ChunkBytes, T);
  localparam int unsigned ErrorBits = $clog2(T + 1);
  localparam int unsigned SharedBy = 4;
  localparam int unsigned Solvers = (Channels + SharedBy - 1) / SharedBy;

  logic [Channels-1:0] syndrome_valid, syndrome_ready, syndrome_last;
  logic [Channels-1:0][M-1:0] syndrome;
  logic [Channels-1:0] locator_valid;
  logic [Solvers-1:0][M-1:0] locator;
  logic [Solvers-1:0] locator_last, locator_failed;
  logic [Solvers-1:0][ErrorBits-1:0] locator_errors;

  for (genvar s = 0; s < Solvers; s++) begin : gen_solver
    localparam int unsigned First = s * SharedBy;
    localparam int unsigned Count = Channels - First < SharedBy ? Channels - First : SharedBy;

    bch_shared_solver #(
        .Channels(Count),
        .ChunkBytes(ChunkBytes),
        .T(T)
    ) u_solver (
        .clk_i,
        .rst_ni,
        .syndrome_valid_i(syndrome_valid[First+:Count]), .syndrome_ready_o(syndrome_ready[First+:Count]),
        .syndrome_i(syndrome[First+:Count]), .syndrome_last_i(syndrome_last[First+:Count]),
        .locator_valid_o(locator_valid[First+:Count]), .locator_o(locator[s]), .locator_last_o(locator_last[s]),
        .locator_errors_o(locator_errors[s]), .locator_failed_o(locator_failed[s])
    );
  end

  for (genvar c = 0; c < Channels; c++) begin : gen_channel
    logic fetch_valid, fetch_ready, data_in_valid, data_in_ready, data_in_last, data_in_error;
    logic store_valid, store_ready, data_out_valid, data_out_ready, data_out_last, data_out_error;
    logic [15:0] data_in, data_out;
    fm_flash_pkg::packet_t fetch, store;
    logic [Ways-1:0] bus_ce_n, bus_rb_n;
    logic bus_cle, bus_ale, bus_we_n, bus_wp_n, bus_dq_oe, bus_dqs_oe, bus_strobe;
    logic [1:0] bus_re_n, bus_dqs;
    logic [1:0][7:0] bus_dq_out;
    logic [7:0] bus_dq_in;
    logic [15:0] bus_capture;
    // Address and data are taken together.
    logic unused_w_ready;

    flash_channel #(
        .Ways(Ways),
        .Ecc(Ecc),
        .ChunkBytes(ChunkBytes),
        .T(T),
        .MetadataBytes(MetadataBytes),
        .PollCycles(PollCycles),
        .PollEnhanced(PollEnhanced)
    ) u_channel (
        .clk_i,
        .rst_ni,
        .aw_valid_i(aw_valid_i[c]), .aw_ready_o(aw_ready_o[c]), .aw_addr_i(aw_addr_i[c]),
        .w_valid_i(w_valid_i[c]), .w_ready_o(unused_w_ready), .w_i(w_i[c]),
        .b_valid_o(b_valid_o[c]), .b_ready_i(b_ready_i[c]), .b_resp_o(b_resp_o[c]),
        .ar_valid_i(ar_valid_i[c]), .ar_ready_o(ar_ready_o[c]), .ar_addr_i(ar_addr_i[c]),
        .r_valid_o(r_valid_o[c]), .r_ready_i(r_ready_i[c]), .r_o(r_o[c]),
        .irq_o(irq_o[c]),
        .fetch_valid_o(fetch_valid), .fetch_ready_i(fetch_ready), .fetch_o(fetch),
        .data_in_valid_i(data_in_valid), .data_in_ready_o(data_in_ready), .data_in_data_i(data_in),
        .data_in_last_i(data_in_last), .data_in_error_i(data_in_error),
        .store_valid_o(store_valid), .store_ready_i(store_ready), .store_o(store),
        .data_out_valid_o(data_out_valid), .data_out_ready_i(data_out_ready), .data_out_data_o(data_out),
        .data_out_last_o(data_out_last), .data_out_error_i(data_out_error),
        .syndrome_valid_o(syndrome_valid[c]), .syndrome_ready_i(syndrome_ready[c]), .syndrome_o(syndrome[c]),
        .syndrome_last_o(syndrome_last[c]),
        .locator_valid_i(locator_valid[c]), .locator_i(locator[c/SharedBy]), .locator_last_i(locator_last[c/SharedBy]),
        .locator_errors_i(locator_errors[c/SharedBy]), .locator_failed_i(locator_failed[c/SharedBy]),
        .ce_no(bus_ce_n),
        .cle_o(bus_cle),
        .ale_o(bus_ale),
        .we_no(bus_we_n),
        .wp_no(bus_wp_n),
        .re_no(bus_re_n),
        .dq_o(bus_dq_out),
        .dq_oe_o(bus_dq_oe),
        .dqs_o(bus_dqs),
        .dqs_oe_o(bus_dqs_oe),
        .strobe_i(bus_strobe),
        .capture_i(bus_capture),
        .dq_i(bus_dq_in),
        .rb_ni(bus_rb_n)
    );

    entry_fetch #(
        .DataBits(DataBits)
    ) u_fetch (
        .clk_i,
        .rst_ni,
        .entries_i,
        .fetch_valid_i(fetch_valid), .fetch_ready_o(fetch_ready), .fetch_i(fetch),
        .data_valid_o(data_in_valid), .data_ready_i(data_in_ready), .data_o(data_in), .data_last_o(data_in_last),
        .data_error_o(data_in_error),
        .failed_o(fetch_failed_o[c]),
        .ar_valid_o(ar_memory_valid_o[c]), .ar_ready_i(ar_memory_ready_i[c]), .ar_o(ar_memory_o[c]),
        .r_valid_i(r_memory_valid_i[c]), .r_ready_o(r_memory_ready_o[c]), .r_i(r_memory_i[c])
    );

    entry_store #(
        .DataBits(DataBits)
    ) u_store (
        .clk_i,
        .rst_ni,
        .entries_i,
        .store_valid_i(store_valid), .store_ready_o(store_ready), .store_i(store),
        .data_valid_i(data_out_valid), .data_ready_o(data_out_ready), .data_i(data_out), .data_last_i(data_out_last),
        .data_error_o(data_out_error),
        .failed_o(store_failed_o[c]),
        .aw_valid_o(aw_memory_valid_o[c]), .aw_ready_i(aw_memory_ready_i[c]), .aw_o(aw_memory_o[c]),
        .w_valid_o(w_memory_valid_o[c]), .w_ready_i(w_memory_ready_i[c]), .w_o(w_memory_o[c]),
        .b_valid_i(b_memory_valid_i[c]), .b_ready_o(b_memory_ready_o[c]), .b_response_i(b_memory_response_i[c])
    );

    flash_pins #(
        .Ways(Ways)
    ) u_pins (
        .clk_i,
        .rst_ni,
        .bus_ce_ni(bus_ce_n),
        .bus_cle_i(bus_cle),
        .bus_ale_i(bus_ale),
        .bus_we_ni(bus_we_n),
        .bus_wp_ni(bus_wp_n),
        .bus_re_ni(bus_re_n),
        .bus_dq_i(bus_dq_out),
        .bus_dq_oe_i(bus_dq_oe),
        .bus_dqs_i(bus_dqs),
        .bus_dqs_oe_i(bus_dqs_oe),
        .bus_strobe_o(bus_strobe),
        .bus_capture_o(bus_capture),
        .bus_dq_o(bus_dq_in),
        .bus_rb_no(bus_rb_n),
        .pin_ce_no(ce_no[c]),
        .pin_cle_o(cle_o[c]),
        .pin_ale_o(ale_o[c]),
        .pin_we_no(we_no[c]),
        .pin_wp_no(wp_no[c]),
        .pin_re_no(re_no[c]),
        .pin_dq_o(dq_o[c]),
        .pin_dq_oe_o(dq_oe_o[c]),
        .pin_dqs_o(dqs_o[c]),
        .pin_dqs_oe_o(dqs_oe_o[c]),
        .pin_dq_i(dq_i[c]),
        .pin_dqs_i(dqs_i[c]),
        .pin_rb_ni(rb_ni[c])
    );
  end

endmodule
