// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"
`include "fm_axi.svh"

// From the computer's words to BAR 0, host memory and what a PCIe block would have.
//
// Contract: as `uart_host` has it; an access where nothing is fails. `function_reset_o` is up for a cycle with each order.
// Latency: that of what is accessed, and one to two cycles.
// Reason: a word at a time, as the line brings no more.
//
// | From        | What                                                                    |
// |-------------|-------------------------------------------------------------------------|
// | 0x0000_0000 | BAR 0                                                                   |
// | 0x1000_0000 | host memory, which the controller has at 0x1_0000_0000                  |
// | 0x2000_0000 | controls: docs/spec/uart-host.md                                        |
module host_access
  import fm_uart_pkg::*;
#(
    parameter int unsigned DataBits = 256,
    parameter int unsigned BarBits  = 14,
    parameter int unsigned IdBits   = 4,
    parameter int unsigned WindowBytes = 32768,
    localparam int unsigned Lanes = DataBits / 32,
    localparam int unsigned PlaceBits = $clog2(WindowBytes / 4),
    localparam type bar_aw_t = `FM_AXI_BAR_AW(BarBits, IdBits),
    localparam type bar_w_t = `FM_AXI_BAR_W(DataBits),
    localparam type bar_ar_t = `FM_AXI_BAR_AR(BarBits, IdBits),
    localparam type bar_r_t = `FM_AXI_BAR_R(DataBits, IdBits)
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  access_t              access_i,
    output logic                 done_o,
    output logic                 failed_o,
    output logic [31:0]          data_o,
    // BAR 0.
    output logic                 aw_valid_o,
    input  logic                 aw_ready_i,
    output bar_aw_t              aw_o,
    output logic                 w_valid_o,
    input  logic                 w_ready_i,
    output bar_w_t               w_o,
    input  logic                 b_valid_i,
    output logic                 b_ready_o,
    output logic                 ar_valid_o,
    input  logic                 ar_ready_i,
    output bar_ar_t              ar_o,
    input  logic                 r_valid_i,
    output logic                 r_ready_o,
    input  bar_r_t               r_i,
    // Host memory.
    output logic                 window_valid_o,
    output logic [PlaceBits-1:0] window_place_o,
    input  logic                 window_done_i,
    input  logic [31:0]          window_data_i,
    input  logic [63:0]          changed_i,
    output logic [63:0]          clear_o,
    output logic                 zero_o,
    // What else a host sees of a function.
    output logic                 function_reset_o,
    input  logic                 idle_i,
    input  logic                 sleeps_i
);

  localparam int unsigned LaneBits = $clog2(Lanes);
  // "FMU1", the lowest byte first.
  localparam logic [31:0] Identification = 32'h31554D46;

  logic in_bar, in_window, in_controls, aw_done_q, w_done_q, ar_done_q, bar_done;
  logic [LaneBits-1:0] lane;
  // Of the only beat of the only access.
  logic unused;

  assign unused = ^{r_i.id, r_i.last};
  logic [31:0] control;
  logic [2:0] which;

  assign in_bar = access_i.address[31:BarBits] == '0;
  assign in_window = access_i.address[31:PlaceBits+2] == (30 - PlaceBits)'(32'h1000_0000 >> (PlaceBits + 2));
  assign which = access_i.address[4:2];
  assign in_controls = access_i.address[31:5] == 27'(32'h2000_0000 >> 5) && which < 3'd5;
  assign lane = access_i.address[LaneBits+1:2];

  always_comb begin
    unique case (which)
      3'd0: control = Identification;
      3'd1: control = {30'd0, sleeps_i, idle_i};
      3'd2: control = changed_i[31:0];
      3'd3: control = changed_i[63:32];
      default: control = '0;
    endcase
  end

  // Each channel of BAR 0 once an access.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      aw_done_q <= 1'b0;
      w_done_q <= 1'b0;
      ar_done_q <= 1'b0;
    end else if (done_o) begin
      aw_done_q <= 1'b0;
      w_done_q <= 1'b0;
      ar_done_q <= 1'b0;
    end else begin
      if (aw_valid_o && aw_ready_i) aw_done_q <= 1'b1;
      if (w_valid_o && w_ready_i) w_done_q <= 1'b1;
      if (ar_valid_o && ar_ready_i) ar_done_q <= 1'b1;
    end
  end

  assign aw_valid_o = access_i.valid && access_i.write && in_bar && !aw_done_q;
  assign aw_o = '{address: access_i.address[BarBits-1:0], id: '0, size: 3'd2};
  assign w_valid_o = access_i.valid && access_i.write && in_bar && !w_done_q;
  always_comb begin
    w_o = '{data: {Lanes{access_i.data}}, strobe: '0, last: 1'b1};
    w_o.strobe[lane] = '1;
  end
  assign ar_valid_o = access_i.valid && !access_i.write && in_bar && !ar_done_q;
  assign ar_o = '{address: access_i.address[BarBits-1:0], id: '0, length: '0, size: 3'd2};
  assign b_ready_o = 1'b1;
  assign r_ready_o = 1'b1;
  assign bar_done = access_i.write ? b_valid_i : r_valid_i;

  assign window_valid_o = access_i.valid && in_window;
  assign window_place_o = access_i.address[PlaceBits+1:2];

  assign clear_o[31:0] = access_i.valid && access_i.write && in_controls && which == 3'd2 ? access_i.data : '0;
  assign clear_o[63:32] = access_i.valid && access_i.write && in_controls && which == 3'd3 ? access_i.data : '0;
  assign zero_o = access_i.valid && access_i.write && in_controls && which == 3'd4 && access_i.data[1];
  assign function_reset_o = access_i.valid && access_i.write && in_controls && which == 3'd4 && access_i.data[0];

  always_comb begin
    done_o = access_i.valid;
    failed_o = access_i.valid && !(in_bar || in_window || in_controls);
    data_o = control;
    if (in_bar) begin
      done_o = access_i.valid && bar_done;
      data_o = r_i.data[lane];
    end
    if (in_window) begin
      done_o = access_i.valid && window_done_i;
      data_o = window_data_i;
    end
  end

  `FM_ASSERT_STREAM(u_assert_aw, aw_valid_o, aw_ready_i, aw_o)
  `FM_ASSERT_STREAM(u_assert_w, w_valid_o, w_ready_i, w_o)
  `FM_ASSERT_STREAM(u_assert_ar, ar_valid_o, ar_ready_i, ar_o)

endmodule
