// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// The controller registers (NVMe 1.4 section 3.1) and what follows from writing them.
//
// Contract: `access` is a dword of BAR 0; the answer of a read comes as a pulse. Registers that are
// unknown or read-only ignore writes, unknown ones read as zero. From 1000h on are doorbells, which leave
// as a stream, submission tails and completion heads apart. Accesses come every second cycle at most.
// - CC.EN from 0 to 1: `start_o` pulses if CC, AQA, ASQ and ACQ are such as CAP allows, else CSTS.CFS is
//   set and nothing starts. From 1 to 0, or with `function_reset_i`: `stop_o` pulses, CFS is cleared.
//   A function reset also clears the other registers.
// - CC.SHN to normal or abrupt: `shutdown_o` pulses, CSTS.SHST is 1 until `shutdown_done_i`.
// - `ready_valid_i` asks for CSTS.RDY. It falls only when `quiet_i` is up, since a host may take its
//   memory away then.
// - `fault_i` sets CFS while the controller is enabled.
// `run_o`: commands may be fetched.
// Latency: a read is answered in the next cycle; a pulse comes in the cycle after its write.
// Reason: one dword at a time; writes wait only where a doorbell has to be taken first.
module host_registers
  import fm_host_pkg::*;
#(
    parameter int unsigned AddressBits = 13,
    // CAP.MQES: entries of a queue, minus one.
    parameter logic [15:0] LargestSize = 16'd1023,
    // CAP.AMS: weighted round robin with urgent class.
    parameter bit          Weighted    = 1'b1,
    // CAP.TO: longest wait for CSTS.RDY in 500 ms.
    parameter logic [ 7:0] Timeout     = 8'd60
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    input  logic                        function_reset_i,
    input  logic                        access_valid_i,
    output logic                        access_ready_o,
    input  logic                        access_write_i,
    input  logic      [AddressBits-1:2] access_dword_i,
    input  logic      [           31:0] access_data_i,
    output logic                        answer_valid_o,
    output logic      [           31:0] answer_o,
    output logic                        tail_valid_o,
    input  logic                        tail_ready_i,
    output doorbell_t                   tail_o,
    output logic                        head_valid_o,
    input  logic                        head_ready_i,
    output doorbell_t                   head_o,
    output logic                        start_o,
    output logic                        stop_o,
    output logic                        shutdown_o,
    output logic                        enabled_o,
    output logic                        run_o,
    output logic                        weighted_o,
    output logic      [           11:0] admin_submission_size_o,
    output logic      [           11:0] admin_completion_size_o,
    output logic      [           51:0] admin_submission_page_o,
    output logic      [           51:0] admin_completion_page_o,
    input  logic                        ready_valid_i,
    input  logic                        ready_i,
    input  logic                        shutdown_done_i,
    input  logic                        fault_i,
    input  logic                        quiet_i
);

  // Dwords by their number (NVMe 1.4 section 3.1).
  typedef enum logic [3:0] {
    CapLow  = 4'h0,
    CapHigh = 4'h1,
    Vs      = 4'h2,
    Intms   = 4'h3,
    Intmc   = 4'h4,
    Cc      = 4'h5,
    Csts    = 4'h7,
    Aqa     = 4'h9,
    AsqLow  = 4'ha,
    AsqHigh = 4'hb,
    AcqLow  = 4'hc,
    AcqHigh = 4'hd
  } register_e;

  // CC as it is kept; reserved bits read as zero.
  typedef struct packed {
    logic [3:0] completion_entry;
    logic [3:0] submission_entry;
    logic [1:0] shutdown;
    logic [2:0] arbitration;
    logic [3:0] page;
    logic [2:0] command_set;
    logic [2:0] reserved;
    logic       enable;
  } configuration_t;

  localparam logic [63:0] Capabilities = {
    26'd0, 1'b1, 5'd0, Timeout, 6'd0, Weighted, 1'b1, LargestSize
  };
  localparam logic [31:0] Version = 32'h0001_0400;

  configuration_t cc_d, cc_q;
  logic [31:0] mask_q;
  logic [63:0] submission_q, completion_q;
  logic [11:0] submission_size_q, completion_size_q;
  logic ready_q, falling_q, fatal_q;
  logic [1:0] shutdown_q;
  // Whether the admin queues can be what they were set to, a cycle late.
  logic admin_fits_q;
  logic in_registers, writes, configures, startable, starts, stops, asks_shutdown;
  logic start_q, refused_q, stop_q, asked_q;
  register_e register;

  assign in_registers = access_dword_i[AddressBits-1:6] == '0;
  assign register = register_e'(access_dword_i[5:2]);

  // Doorbells: pairs of tail and head, from 1000h on.
  logic is_doorbell, rings;
  doorbell_t doorbell;
  logic [AddressBits-4:0] pair;

  assign pair = access_dword_i[AddressBits-1:3] - (AddressBits - 3)'(512);
  assign is_doorbell = access_dword_i[AddressBits-1:12] != '0;
  assign rings = access_valid_i && access_write_i && is_doorbell;
  assign doorbell = '{
          known: 1'b1,
          id: queue_t'(pair),
          value: access_data_i
      };
  assign tail_valid_o = rings && !access_dword_i[2];
  assign head_valid_o = rings && access_dword_i[2];
  assign tail_o = doorbell;
  assign head_o = doorbell;

  always_comb begin
    access_ready_o = 1'b1;
    if (tail_valid_o) access_ready_o = tail_ready_i;
    if (head_valid_o) access_ready_o = head_ready_i;
  end
  assign writes = access_valid_i && access_write_i && in_registers;

  // What a write of CC does.
  assign configures = writes && register == Cc;
  always_comb begin
    cc_d = configuration_t'(access_data_i[23:0]);
    cc_d.reserved = '0;
  end
  assign startable = cc_d.command_set == '0 && cc_d.page == '0 &&
      (cc_d.arbitration == 3'd0 || Weighted && cc_d.arbitration == 3'd1) && admin_fits_q;
  assign starts = configures && !cc_q.enable && cc_d.enable;
  assign stops = configures && cc_q.enable && !cc_d.enable || function_reset_i && cc_q.enable;
  assign asks_shutdown = configures && (cc_d.shutdown == 2'd1 || cc_d.shutdown == 2'd2) &&
      !(cc_q.shutdown == 2'd1 || cc_q.shutdown == 2'd2);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) cc_q <= '0;
    else if (function_reset_i) cc_q <= '0;
    else if (configures) cc_q <= cc_d;
  end

  // What takes effect with CC alone is cleared by the clock: a register has one reset of either kind, and the other one
  // would take a look-up table a bit.
  always_ff @(posedge clk_i) begin
    if (!rst_ni || function_reset_i) begin
      mask_q <= '0;
      submission_size_q <= '0;
      completion_size_q <= '0;
      submission_q <= '0;
      completion_q <= '0;
    end else if (writes) begin
      unique case (register)
        Intms: mask_q <= mask_q | access_data_i;
        Intmc: mask_q <= mask_q & ~access_data_i;
        Aqa: begin
          submission_size_q <= access_data_i[11:0];
          completion_size_q <= access_data_i[27:16];
        end
        AsqLow: submission_q[31:0] <= access_data_i;
        AsqHigh: submission_q[63:32] <= access_data_i;
        AcqLow: completion_q[31:0] <= access_data_i;
        AcqHigh: completion_q[63:32] <= access_data_i;
        default: ;
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ready_q <= 1'b0;
      falling_q <= 1'b0;
      fatal_q <= 1'b0;
      shutdown_q <= 2'd0;
      start_q <= 1'b0;
      refused_q <= 1'b0;
      stop_q <= 1'b0;
      asked_q <= 1'b0;
    end else begin
      start_q <= starts && startable && !function_reset_i;
      refused_q <= starts && !startable && !function_reset_i;
      stop_q  <= stops;
      asked_q <= asks_shutdown && !function_reset_i;
      if (falling_q && quiet_i) {ready_q, falling_q} <= 2'b00;
      if (ready_valid_i) {ready_q, falling_q} <= ready_i ? 2'b10 : {ready_q, ready_q};
      if (fault_i && cc_q.enable) fatal_q <= 1'b1;
      if (refused_q) fatal_q <= 1'b1;
      if (stop_q || function_reset_i) fatal_q <= 1'b0;
      if (shutdown_done_i && shutdown_q == 2'd1) shutdown_q <= 2'd2;
      if (start_q) shutdown_q <= 2'd0;
      if (asked_q) shutdown_q <= 2'd1;
      if (function_reset_i) shutdown_q <= 2'd0;
    end
  end

  always_ff @(posedge clk_i) begin
    admin_fits_q <= submission_size_q != '0 && completion_size_q != '0 &&
        submission_q[11:0] == '0 && completion_q[11:0] == '0;
  end

  assign start_o = start_q;
  assign stop_o = stop_q;
  assign shutdown_o = asked_q;
  assign enabled_o = cc_q.enable;
  assign run_o = cc_q.enable && ready_q && !falling_q && !fatal_q;
  assign weighted_o = Weighted && cc_q.arbitration == 3'd1;
  assign admin_submission_size_o = submission_size_q;
  assign admin_completion_size_o = completion_size_q;
  assign admin_submission_page_o = submission_q[63:12];
  assign admin_completion_page_o = completion_q[63:12];

  logic [31:0] answer_d;
  always_comb begin
    answer_d = '0;
    if (in_registers) begin
      unique case (register)
        CapLow: answer_d = Capabilities[31:0];
        CapHigh: answer_d = Capabilities[63:32];
        Vs: answer_d = Version;
        Intms, Intmc: answer_d = mask_q;
        Cc: answer_d = 32'(cc_q);
        Csts: answer_d = {28'd0, shutdown_q, fatal_q, ready_q};
        Aqa: answer_d = {4'd0, completion_size_q, 4'd0, submission_size_q};
        AsqLow: answer_d = submission_q[31:0];
        AsqHigh: answer_d = submission_q[63:32];
        AcqLow: answer_d = completion_q[31:0];
        AcqHigh: answer_d = completion_q[63:32];
        default: answer_d = '0;
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) answer_valid_o <= 1'b0;
    else answer_valid_o <= access_valid_i && !access_write_i;
  end

  always_ff @(posedge clk_i) begin
    if (access_valid_i) answer_o <= answer_d;
  end

  `FM_ASSERT_STREAM(u_assert_access, access_valid_i, access_ready_o, {
                 access_write_i, access_dword_i, access_data_i})

endmodule
