// SPDX-License-Identifier: Apache-2.0

`include "fm_axi.svh"

// Proof of `host_absence` with `bar_access`: no access that the host began before its reset comes behind the reset of the function,
// whatever waits for what, and the host is back behind that alone, with nothing under way.
module host_absence_proof #(
    localparam int unsigned DataBits    = 64,
    localparam int unsigned AddressBits = 4,
    localparam int unsigned IdBits      = 1,
    localparam type bar_aw_t = `FM_AXI_BAR_AW(AddressBits, IdBits),
    localparam type bar_w_t = `FM_AXI_BAR_W(DataBits),
    localparam type bar_ar_t = `FM_AXI_BAR_AR(AddressBits, IdBits),
    localparam type bar_r_t = `FM_AXI_BAR_R(DataBits, IdBits)
) (
    input logic        clk_i,
    input logic        rst_ni,
    input logic        host_reset_i,
    input logic        idle_i,
    input logic        aw_valid_i,
    input bar_aw_t     aw_i,
    input logic        w_valid_i,
    input bar_w_t      w_i,
    input logic        b_ready_i,
    input logic        ar_valid_i,
    input bar_ar_t     ar_i,
    input logic        r_ready_i,
    input logic        access_ready_i,
    input logic        answer_valid_i,
    input logic [31:0] answer_i
);

  logic gone, function_reset, bar_idle, aw_ready, w_ready, b_valid, ar_ready, r_valid, access_valid, access_write;
  logic [IdBits-1:0] b_id;
  bar_r_t r;
  logic [AddressBits-1:2] access_dword;
  logic [31:0] access_data;

  host_absence u_absence (
      .clk_i,
      .rst_ni,
      .host_reset_i,
      .bar_idle_i(bar_idle),
      .idle_i,
      .gone_o(gone),
      .function_reset_o(function_reset)
  );

  bar_access #(
      .DataBits(DataBits),
      .AddressBits(AddressBits),
      .IdBits(IdBits)
  ) u_bar (
      .clk_i,
      .rst_ni,
      .gone_i(gone),
      .idle_o(bar_idle),
      .aw_valid_i, .aw_ready_o(aw_ready), .aw_i,
      .w_valid_i, .w_ready_o(w_ready), .w_i,
      .b_valid_o(b_valid), .b_ready_i, .b_id_o(b_id),
      .ar_valid_i, .ar_ready_o(ar_ready), .ar_i,
      .r_valid_o(r_valid), .r_ready_i, .r_o(r),
      .access_valid_o(access_valid), .access_ready_i, .access_write_o(access_write),
      .access_dword_o(access_dword), .access_data_o(access_data),
      .answer_valid_i, .answer_i
  );

  // A bridge keeps what it offers, as long as it is there.
  logic there;
  assign there = rst_ni && !gone;

  fm_stream_assert #(.Width($bits(bar_aw_t)), .Assume(1'b1)) u_aw (
      .clk_i, .rst_ni(there), .valid_i(aw_valid_i), .ready_i(aw_ready), .payload_i(aw_i)
  );
  fm_stream_assert #(.Width($bits(bar_w_t)), .Assume(1'b1)) u_w (
      .clk_i, .rst_ni(there), .valid_i(w_valid_i), .ready_i(w_ready), .payload_i(w_i)
  );
  fm_stream_assert #(.Width($bits(bar_ar_t)), .Assume(1'b1)) u_ar (
      .clk_i, .rst_ni(there), .valid_i(ar_valid_i), .ready_i(ar_ready), .payload_i(ar_i)
  );

  // What was so in the last cycle; and whether the function was reset since the host went.
  logic started_q, gone_q, idle_q, behind_q, waited_q, waits_q;

  initial started_q = 1'b0;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    gone_q <= rst_ni && gone;
    idle_q <= idle_i;
    behind_q <= rst_ni && (function_reset || (behind_q && u_absence.state_q != 2'd0));
    waits_q <= rst_ni && access_valid && !access_ready_i;
    waited_q <= rst_ni && gone && (waited_q || access_valid && !access_ready_i);
  end

  always_comb begin
    Reset : assume (started_q || !rst_ni);
    // Data beside a read mean nothing, and may change.
    ReadsAreTaken : assume (!access_valid || access_write || access_ready_i);
    if (started_q && rst_ni) begin
      GoneAtOnce : assert (!host_reset_i || gone);
      NoAccessBehind : assert (!access_valid || !(function_reset || behind_q));
      BackBehindReset : assert (!gone_q || gone || (behind_q && idle_q && bar_idle));
      OneReset : assert (!function_reset || !behind_q);
      NothingTaken : assert (!gone || !(aw_ready || ar_ready));
      // What is true inside: an access is of whoever waits for it.
      Owned : assert (!access_valid || (access_write ? u_bar.write_q == 3'd3 : u_bar.read_q == 3'd3));
      Stays : assert (!waits_q || access_valid);
      Ended : assert (bar_idle || !(u_absence.state_q inside {2'd2, 2'd3}));
      Behind : assert (behind_q == (u_absence.state_q == 2'd3) || u_absence.state_q == 2'd0);
      Here : assert (!behind_q || bar_idle || !gone_q);
      Was : assert (gone_q || u_absence.state_q == 2'd0);
    end
    Back : cover (started_q && rst_ni && gone_q && !gone && waited_q);
  end

endmodule
