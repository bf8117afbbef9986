// SPDX-License-Identifier: Apache-2.0

`include "fm_axi.svh"

// What the host writes and the processor sets: BAR 0, the controller registers, queues to create, weights
// and coalescing.
//
// Contract: the lower half of BAR 0 has the controller registers and doorbells, its third quarter the MSI-X
// table and its last one the pending bits, which leave as accesses (`msix`). Settings that come while
// there is no session are dropped, and a stop undoes them.
// Latency: that of its parts; settings take a cycle.
// Reason: composition, beside the registers for what ends with an enabling.
module host_front
  import fm_host_pkg::*;
#(
    parameter int unsigned DataBits    = 256,
    parameter int unsigned BarBits     = 14,
    parameter int unsigned IdBits      = 4,
    parameter logic [15:0] LargestSize = 16'd1023,
    parameter bit          Weighted    = 1'b1,
    localparam int unsigned DwordBits = BarBits - 4,
    localparam type bar_aw_t = `FM_AXI_BAR_AW(BarBits, IdBits),
    localparam type bar_w_t = `FM_AXI_BAR_W(DataBits),
    localparam type bar_ar_t = `FM_AXI_BAR_AR(BarBits, IdBits),
    localparam type bar_r_t = `FM_AXI_BAR_R(DataBits, IdBits)
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    // The bridge is not there; no access of it is under way.
    input  logic                 gone_i,
    output logic                 bar_idle_o,
    input  logic                 function_reset_i,
    input  logic                 aw_valid_i,
    output logic                 aw_ready_o,
    input  bar_aw_t              aw_i,
    input  logic                 w_valid_i,
    output logic                 w_ready_o,
    input  bar_w_t               w_i,
    output logic                 b_valid_o,
    input  logic                 b_ready_i,
    output logic [IdBits-1:0]    b_id_o,
    input  logic                 ar_valid_i,
    output logic                 ar_ready_o,
    input  bar_ar_t              ar_i,
    output logic                 r_valid_o,
    input  logic                 r_ready_i,
    output bar_r_t               r_o,
    output logic                 msix_valid_o,
    input  logic                 msix_ready_i,
    output logic                 msix_write_o,
    output logic                 msix_pending_o,
    output logic [DwordBits-1:0] msix_dword_o,
    output logic [31:0]          msix_data_o,
    input  logic                 msix_answer_valid_i,
    input  logic [31:0]          msix_answer_i,
    output logic                 tail_valid_o,
    input  logic                 tail_ready_i,
    output doorbell_t            tail_o,
    output logic                 head_valid_o,
    input  logic                 head_ready_i,
    output doorbell_t            head_o,
    output enabling_t            enabling_o,
    input  standing_t            standing_i,
    input  settings_t            settings_i,
    input  logic                 submission_queue_valid_i,
    output logic                 submission_queue_ready_o,
    input  submission_queue_t    submission_queue_i,
    input  logic                 completion_queue_valid_i,
    output logic                 completion_queue_ready_o,
    input  completion_queue_t    completion_queue_i,
    output logic                 submission_configure_valid_o,
    input  logic                 submission_configure_ready_i,
    output submission_queue_t    submission_configure_o,
    output logic                 completion_configure_valid_o,
    input  logic                 completion_configure_ready_i,
    output completion_queue_t    completion_configure_o,
    output logic                 forget_valid_o,
    input  logic                 forget_ready_i,
    output forget_t              forget_o
);

  logic access_valid, access_ready, access_write, answer_valid;
  logic [BarBits-1:2] access_dword;
  logic [31:0] access_data, answer;
  logic to_msix, register_ready, register_answer_valid;
  logic [31:0] register_answer;

  bar_access #(
      .DataBits(DataBits),
      .AddressBits(BarBits),
      .IdBits(IdBits)
  ) u_bar (
      .clk_i,
      .rst_ni,
      .gone_i,
      .idle_o(bar_idle_o),
      .aw_valid_i, .aw_ready_o, .aw_i,
      .w_valid_i, .w_ready_o, .w_i,
      .b_valid_o, .b_ready_i, .b_id_o,
      .ar_valid_i, .ar_ready_o, .ar_i,
      .r_valid_o, .r_ready_i, .r_o,
      .access_valid_o(access_valid), .access_ready_i(access_ready), .access_write_o(access_write),
      .access_dword_o(access_dword), .access_data_o(access_data),
      .answer_valid_i(answer_valid), .answer_i(answer)
  );

  assign to_msix = access_dword[BarBits-1];
  assign access_ready = to_msix ? msix_ready_i : register_ready;
  assign answer_valid = register_answer_valid || msix_answer_valid_i;
  assign answer = msix_answer_valid_i ? msix_answer_i : register_answer;
  assign msix_valid_o = access_valid && to_msix;
  assign msix_write_o = access_write;
  assign msix_pending_o = access_dword[BarBits-2];
  assign msix_dword_o = access_dword[BarBits-3:2];
  assign msix_data_o = access_data;

  logic [11:0] admin_submission_size, admin_completion_size;
  logic [51:0] admin_submission_page, admin_completion_page;

  host_registers #(
      .AddressBits(BarBits - 1),
      .LargestSize(LargestSize),
      .Weighted(Weighted)
  ) u_registers (
      .clk_i,
      .rst_ni,
      .function_reset_i,
      .access_valid_i(access_valid && !to_msix), .access_ready_o(register_ready), .access_write_i(access_write),
      .access_dword_i(access_dword[BarBits-2:2]), .access_data_i(access_data),
      .answer_valid_o(register_answer_valid), .answer_o(register_answer),
      .tail_valid_o, .tail_ready_i, .tail_o,
      .head_valid_o, .head_ready_i, .head_o,
      .start_o(enabling_o.start),
      .stop_o(enabling_o.stop),
      .shutdown_o(enabling_o.shutdown),
      .enabled_o(enabling_o.enabled),
      .run_o(enabling_o.run),
      .weighted_o(enabling_o.weighted),
      .admin_submission_size_o(admin_submission_size),
      .admin_completion_size_o(admin_completion_size),
      .admin_submission_page_o(admin_submission_page),
      .admin_completion_page_o(admin_completion_page),
      .ready_valid_i(settings_i.ready_valid && (standing_i.session || !settings_i.ready)), .ready_i(settings_i.ready),
      .shutdown_done_i(settings_i.shutdown_done),
      .fault_i(standing_i.fault),
      .quiet_i(standing_i.quiet)
  );

  // What the processor set, for this enabling. It is cleared by the clock, as what the host set.
  weights_t weights_q;
  coalescing_t coalescing_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || enabling_o.stop) begin
      weights_q <= '0;
      coalescing_q <= '0;
    end else if (standing_i.session) begin
      if (settings_i.weights_valid) weights_q <= settings_i.weights;
      if (settings_i.coalescing_valid) coalescing_q <= settings_i.coalescing;
    end
  end

  assign enabling_o.weights_changed = settings_i.weights_valid && standing_i.session;
  assign enabling_o.weights = weights_q;
  assign enabling_o.coalescing = coalescing_q;

  queue_setup u_setup (
      .clk_i,
      .rst_ni,
      .start_i(enabling_o.start),
      .stop_i(enabling_o.stop),
      .session_i(standing_i.session),
      .admin_submission_size_i(admin_submission_size),
      .admin_submission_page_i(admin_submission_page),
      .admin_completion_size_i(admin_completion_size),
      .admin_completion_page_i(admin_completion_page),
      .submission_valid_i(submission_queue_valid_i), .submission_ready_o(submission_queue_ready_o),
      .submission_i(submission_queue_i),
      .completion_valid_i(completion_queue_valid_i), .completion_ready_o(completion_queue_ready_o),
      .completion_i(completion_queue_i),
      .forget_valid_o, .forget_ready_i, .forget_o,
      .submission_valid_o(submission_configure_valid_o), .submission_ready_i(submission_configure_ready_i),
      .submission_o(submission_configure_o),
      .completion_valid_o(completion_configure_valid_o), .completion_ready_i(completion_configure_ready_i),
      .completion_o(completion_configure_o)
  );

endmodule
