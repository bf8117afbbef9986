// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Finds out by READ STATUS which ways are ready, on boards whose R/B# pins lead nowhere.
//
// Contract: steps pass from `step` to `bus`, and their ends back. A way that a step made busy (`shown_i` is low until its tWB is over)
// is not in `ready_o` until a status of it has said RDY: 70h or, with Enhanced, 78h with the row of the way's last step. A status is
// asked for PollCycles after tWB or after the last answer, once no step is formed or about to be (`quiet_i`); ways take turns.
// While `hold_o` is up no step may be chosen. In front of a step that begins with data there comes READ MODE (00h),
// if the chip would give status instead. An answer that does not come says busy.
// Latency: none for a step, but two cycles and READ MODE in front of data behind a status. Ready is seen two cycles behind the end of its status.
// Reason: it stands between the scheduler and the bus, so that neither knows of it. A status never delays a step that could
// be chosen when it began, as a ready way is worth more than one that may be.
module status_poller
  import fm_flash_pkg::*;
  import fm_scheduler_pkg::*;
#(
    parameter int unsigned Ways       = 8,
    parameter int unsigned PollCycles = 100,
    parameter bit          Enhanced   = 1'b0
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic [Ways-1:0]   shown_i,
    output logic [Ways-1:0]   ready_o,
    input  logic              quiet_i,
    output logic              hold_o,
    input  logic              step_valid_i,
    output logic              step_ready_o,
    input  step_t             step_i,
    output logic              done_valid_o,
    output logic              bus_valid_o,
    input  logic              bus_ready_i,
    output step_t             bus_o,
    input  logic              bus_done_valid_i,
    input  logic              bus_rdy_i        // what the status says, if it came
);

  localparam int unsigned CountBits = $clog2(PollCycles + 1);

  `FM_REQUIRE(gen_no_cycles, PollCycles >= 1, "status_poller: PollCycles is 0")

  typedef enum logic [2:0] {
    Pass,   // steps go through
    Ask,    // the bus may take a status
    Asked,  // it has it
    Mode,   // the bus may take READ MODE, for the step that waits
    Moded   // it has it
  } state_e;

  typedef logic [Ways-1:0] ways_t;

  state_e state_d, state_q;
  ways_t asleep_d, asleep_q, shown_q, due, pick;
  // Ways whose chip gives status where it is read from.
  ways_t status_q, of_step, of_bus;
  logic begins, needs_mode, step_taken;
  logic [3:0] picked_way, way_q;
  logic [31:0] row;

  assign ready_o = shown_i & ~asleep_q;
  assign hold_o = state_q != Pass;
  assign begins = state_q == Pass && quiet_i && !step_valid_i && due != '0;
  assign step_taken = step_valid_i && step_ready_o;

  always_comb begin
    for (int unsigned way = 0; way < Ways; way++) begin
      of_step[way] = 32'(step_i.way) == way;
      of_bus[way] = 32'(way_q) == way;
    end
  end

  assign needs_mode = (status_q & of_step) != '0 && step_i.operation inside {ReadTransfer, FeaturesTransfer};

  for (genvar way = 0; way < Ways; way++) begin : gen_way
    logic [CountBits-1:0] count_q;

    assign due[way] = asleep_q[way] && shown_i[way] && count_q == '0;

    always_ff @(posedge clk_i) begin
      if (!shown_i[way] || (state_q == Asked && bus_done_valid_i && of_bus[way])) count_q <= CountBits'(PollCycles);
      else if (count_q != '0) count_q <= count_q - 1'b1;
    end
  end

  fm_arbiter_round_robin #(
      .Requests(Ways)
  ) u_turn (
      .clk_i,
      .rst_ni,
      .request_i(begins ? due : '0),
      .accept_i(1'b1),
      .grant_o(pick)
  );

  always_comb begin
    picked_way = '0;
    for (int unsigned way = 0; way < Ways; way++) begin
      if (pick[way]) picked_way |= 4'(way);
    end
  end

  fm_ram_lut #(
      .Width(32),
      .Depth(16)
  ) u_rows (
      .clk_i,
      .write_i(step_taken),
      .write_address_i(step_i.way),
      .write_data_i(step_i.row),
      .read_address_i(way_q),
      .read_data_o(row)
  );

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Pass: begin
        if (step_valid_i && needs_mode) state_d = Mode;
        else if (begins) state_d = Ask;
      end
      Ask: if (bus_ready_i) state_d = Asked;
      Mode: if (bus_ready_i) state_d = Moded;
      default: if (bus_done_valid_i) state_d = Pass;
    endcase
  end

  // A way falls asleep when it begins not to be shown; before the first command none has.
  always_comb begin
    asleep_d = asleep_q;
    if (state_q == Asked && bus_done_valid_i && bus_rdy_i) asleep_d &= ~of_bus;
    asleep_d |= shown_q & ~shown_i;
  end

  always_comb begin
    bus_o = step_i;
    if (state_q != Pass) begin
      bus_o = '0;
      bus_o.operation = state_q == Mode ? ReadMode : Enhanced ? ReadStatusEnhanced : ReadStatus;
      bus_o.way = way_q;
      bus_o.row = row;
    end
  end

  assign bus_valid_o = state_q == Pass ? step_valid_i && !needs_mode : state_q inside {Ask, Mode};
  assign step_ready_o = state_q == Pass && !needs_mode && bus_ready_i;
  assign done_valid_o = bus_done_valid_i && state_q == Pass;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Pass;
      asleep_q <= '0;
      shown_q <= '0;
      status_q <= '0;
    end else begin
      state_q <= state_d;
      shown_q <= shown_i;
      asleep_q <= asleep_d;
      if (step_taken && step_i.operation[6:5] != GroupStatus) status_q <= status_q & ~of_step;
      if (state_q == Moded && bus_done_valid_i) status_q <= status_q & ~of_bus;
      if (state_q == Asked && bus_done_valid_i) status_q <= status_q | of_bus;
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Pass) way_q <= begins ? picked_way : step_i.way;
  end

  `FM_ASSERT_STREAM(u_assert_bus, bus_valid_o, bus_ready_i, bus_o)

endmodule
