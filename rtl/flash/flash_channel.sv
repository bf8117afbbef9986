// SPDX-License-Identifier: Apache-2.0

// A flash channel as software sees it: registers in front of the core.
//
// Contract: AXI4-Lite as in flash_registers, which also raises `irq_o`; everything else as in
// flash_core.
// Latency: that of both.
// Reason: who has requests in hardware, an automated translation layer say, joins to flash_core
// instead.
module flash_channel
  import fm_flash_pkg::*;
#(
    parameter int unsigned Ways          = 8,
    parameter bit          Ecc           = 1'b1,
    parameter int unsigned ChunkBytes    = 256,
    parameter int unsigned T             = 13,
    parameter int unsigned MetadataBytes = 24,
    // As in flash_core.
    parameter int unsigned PollCycles    = 0,
    parameter bit          PollEnhanced  = 1'b0,
    localparam int unsigned M = fm_bch_pkg::field_degree(ChunkBytes, T),
    localparam int unsigned ErrorBits = $clog2(T + 1)
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    // AXI4-Lite.
    input  logic                    aw_valid_i,
    output logic                    aw_ready_o,
    input  logic [8:0]              aw_addr_i,
    input  logic                    w_valid_i,
    output logic                    w_ready_o,
    input  fm_axi_pkg::lite_write_t w_i,
    output logic                    b_valid_o,
    input  logic                    b_ready_i,
    output fm_axi_pkg::response_e   b_resp_o,
    input  logic                    ar_valid_i,
    output logic                    ar_ready_o,
    input  logic [8:0]              ar_addr_i,
    output logic                    r_valid_o,
    input  logic                    r_ready_i,
    output fm_axi_pkg::lite_read_t  r_o,
    output logic                    irq_o,
    // The data buffer.
    output logic                    fetch_valid_o,
    input  logic                    fetch_ready_i,
    output packet_t                 fetch_o,
    input  logic                    data_in_valid_i,
    output logic                    data_in_ready_o,
    input  logic [15:0]             data_in_data_i,
    input  logic                    data_in_last_i,
    input  logic                    data_in_error_i,
    output logic                    store_valid_o,
    input  logic                    store_ready_i,
    output packet_t                 store_o,
    output logic                    data_out_valid_o,
    input  logic                    data_out_ready_i,
    output logic [15:0]             data_out_data_o,
    output logic                    data_out_last_o,
    input  logic                    data_out_error_i,
    // The key equation solver.
    output logic                    syndrome_valid_o,
    input  logic                    syndrome_ready_i,
    output logic [M-1:0]            syndrome_o,
    output logic                    syndrome_last_o,
    input  logic                    locator_valid_i,
    input  logic [M-1:0]            locator_i,
    input  logic                    locator_last_i,
    input  logic [ErrorBits-1:0]    locator_errors_i,
    input  logic                    locator_failed_i,
    // Towards the pins.
    output logic [Ways-1:0]         ce_no,
    output logic                    cle_o,
    output logic                    ale_o,
    output logic                    we_no,
    output logic                    wp_no,
    output logic [1:0]              re_no,
    output logic [1:0][7:0]         dq_o,
    output logic                    dq_oe_o,
    output logic [1:0]              dqs_o,
    output logic                    dqs_oe_o,
    input  logic                    strobe_i,
    input  logic [15:0]             capture_i,
    input  logic [7:0]              dq_i,
    input  logic [Ways-1:0]         rb_ni
);

  scheduler_config_t scheduler_config;
  way_orders_t orders;
  bus_config_t bus_config;
  logic request_valid, request_ready, response_valid, response_ready, irq;
  request_t request;
  response_t response;
  logic [2*Ways-1:0] room;
  logic [Ways-1:0] ready, occupied, pending, halted, giving;
  watch_t watch;

  flash_registers #(
      .Ways(Ways),
      .MetadataBytes(MetadataBytes)
  ) u_registers (
      .clk_i,
      .rst_ni,
      .aw_valid_i, .aw_ready_o, .aw_addr_i,
      .w_valid_i, .w_ready_o, .w_i,
      .b_valid_o, .b_ready_i, .b_resp_o,
      .ar_valid_i, .ar_ready_o, .ar_addr_i,
      .r_valid_o, .r_ready_i, .r_o,
      .irq_o,
      .scheduler_config_o(scheduler_config),
      .orders_o(orders),
      .halted_i(halted),
      .giving_i(giving),
      .bus_config_o(bus_config),
      .request_valid_o(request_valid), .request_ready_i(request_ready), .request_o(request),
      .response_valid_i(response_valid), .response_ready_o(response_ready), .response_i(response),
      .irq_i(irq),
      .room_i(room),
      .ready_i(ready),
      .occupied_i(occupied),
      .pending_i(pending),
      .watch_i(watch)
  );

  flash_core #(
      .Ways(Ways),
      .Ecc(Ecc),
      .ChunkBytes(ChunkBytes),
      .T(T),
      .MetadataBytes(MetadataBytes),
      .PollCycles(PollCycles),
      .PollEnhanced(PollEnhanced)
  ) u_core (
      .clk_i,
      .rst_ni,
      .scheduler_config_i(scheduler_config),
      .orders_i(orders),
      .halted_o(halted),
      .giving_o(giving),
      .bus_config_i(bus_config),
      .request_valid_i(request_valid), .request_ready_o(request_ready), .request_i(request),
      .room_o(room),
      .response_valid_o(response_valid), .response_ready_i(response_ready), .response_o(response),
      .irq_o(irq),
      .ready_o(ready),
      .occupied_o(occupied),
      .pending_o(pending),
      .watch_o(watch),
      .fetch_valid_o, .fetch_ready_i, .fetch_o,
      .data_in_valid_i, .data_in_ready_o, .data_in_data_i, .data_in_last_i, .data_in_error_i,
      .store_valid_o, .store_ready_i, .store_o,
      .data_out_valid_o, .data_out_ready_i, .data_out_data_o, .data_out_last_o, .data_out_error_i,
      .syndrome_valid_o, .syndrome_ready_i, .syndrome_o, .syndrome_last_o,
      .locator_valid_i, .locator_i, .locator_last_i, .locator_errors_i, .locator_failed_i,
      .ce_no,
      .cle_o,
      .ale_o,
      .we_no,
      .wp_no,
      .re_no,
      .dq_o,
      .dq_oe_o,
      .dqs_o,
      .dqs_oe_o,
      .strobe_i,
      .capture_i,
      .dq_i,
      .rb_ni
  );

endmodule
