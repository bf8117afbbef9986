// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"
`include "fm_axi.svh"

// The data buffer memory in a 16-bit SDR SDRAM.
//
// Contract: an AXI4 subordinate, a burst at a time; addresses beyond the chip come back to its start. Times are cycles, at least those
// of the chip; the chip's clock is the other way round, so that its inputs change half a cycle before its edge. After a reset
// the chip gets PowerUpCycles, and is set up.
// Latency: a beat takes a cycle for each of its words of 16 bits, and RowCycles, PrechargeCycles and one to three on top; CAS latency 2.
// Reason: bursts of one word, with a command in each cycle: what a strobe leaves out is not written, and no write has to be masked. A row
// is open for a beat, longer than tRAS; so a refresh can come whenever a beat waits for its taker or its maker.
module sdram #(
    parameter int unsigned DataBits = 256,
    parameter int unsigned IdBits   = 9,
    parameter int unsigned RowBits  = 13,
    parameter int unsigned ColumnBits = 9,
    // tRCD, tRP, tRFC, tWR, tMRD; tREFI, from which a beat may be taken off; the pause at power-up.
    parameter int unsigned RowCycles       = 2,
    parameter int unsigned PrechargeCycles = 2,
    parameter int unsigned RefreshCycles   = 4,
    parameter int unsigned WriteCycles     = 2,
    parameter int unsigned ModeCycles      = 2,
    parameter int unsigned RefreshInterval = 190,
    parameter int unsigned PowerUpCycles   = 5000,
    localparam int unsigned Lanes = DataBits / 32,
    localparam type r_beat_t = `FM_AXI_R(DataBits),
    localparam type w_beat_t = `FM_AXI_W(DataBits),
    localparam type burst_t = `FM_AXI_BURST(IdBits)
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  logic                  ar_valid_i,
    output logic                  ar_ready_o,
    input  burst_t                ar_i,
    output logic                  r_valid_o,
    input  logic                  r_ready_i,
    output logic [IdBits-1:0]     r_id_o,
    output r_beat_t               r_o,
    input  logic                  aw_valid_i,
    output logic                  aw_ready_o,
    input  burst_t                aw_i,
    input  logic                  w_valid_i,
    output logic                  w_ready_o,
    input  w_beat_t               w_i,
    output logic                  b_valid_o,
    input  logic                  b_ready_i,
    output logic [IdBits-1:0]     b_id_o,
    output fm_axi_pkg::response_e b_response_o,
    // The chip, whose clock is `clk_i` the other way round.
    output logic                  pin_cke_o,
    output logic                  pin_cs_no,
    output logic                  pin_ras_no,
    output logic                  pin_cas_no,
    output logic                  pin_we_no,
    output logic [1:0]            pin_ba_o,
    output logic [RowBits-1:0]    pin_a_o,
    output logic [1:0]            pin_dqm_o,
    output logic [15:0]           pin_dq_o,
    output logic                  pin_dq_oe_o,
    input  logic [15:0]           pin_dq_i
);

  localparam int unsigned Words = DataBits / 16;
  localparam int unsigned WordBits = $clog2(Words);
  localparam int unsigned BeatBits = $clog2(DataBits / 8);
  // Of the address of a beat in the chip.
  localparam int unsigned PlaceBits = RowBits + 2 + ColumnBits - WordBits;
  localparam int unsigned TimerBits = $clog2(PowerUpCycles + 1);
  localparam int unsigned IntervalBits = $clog2(RefreshInterval + 1);
  // From a read command to its word in `word_q`: the pins' register, CAS latency 2, and the input's register.
  localparam int unsigned ReadCycles = 3;
  // Burst length 1, sequential, CAS latency 2.
  localparam logic [RowBits-1:0] Mode = RowBits'('h020);
  localparam logic [RowBits-1:0] AllBanks = RowBits'('h400);

  typedef enum logic [2:0] {
    Nothing        = 3'b111,
    ActivateRow    = 3'b011,
    ReadWord       = 3'b101,
    WriteWord      = 3'b100,
    PrechargeBanks = 3'b010,
    RefreshRows    = 3'b001,
    SetMode        = 3'b000
  } command_e;

  typedef enum logic [3:0] {
    PowerUp,
    SetUpPrecharge,
    SetUpRefresh,
    SetUpMode,
    Idle,
    WaitBeat,
    Activate,
    Read,
    Write,
    Close,
    Drain,
    Offer,
    Answer
  } state_e;

  state_e state_q, state_d;
  command_e command;
  // Cycles until the next command may come.
  logic [TimerBits-1:0] timer_q, timer;
  logic [IntervalBits-1:0] interval_q;
  logic refresh_due_q, refreshes, is_write_q, reads_turn_q;
  logic [WordBits-1:0] word_q;
  // Refreshes after the power came up.
  logic [2:0] set_up_q;
  logic [PlaceBits-1:0] place_q;
  logic [7:0] left_q;
  logic [IdBits-1:0] id_q;
  logic [Words-1:0][15:0] beat_q;
  logic [Lanes-1:0] strobe_q;
  logic [ReadCycles-1:0] coming_q;
  logic [WordBits-1:0] came_q;
  logic [15:0] captured_q;
  // Beats are counted.
  logic unused_last;

  assign unused_last = w_i.last;
  logic [1:0] bank;
  logic [RowBits-1:0] row, address;
  logic [ColumnBits-1:0] column;
  logic is_ready, takes_read, takes_write, is_last_word, is_last_beat, beat_ends;

  assign is_ready = timer_q == '0;
  assign is_last_word = word_q == '1;
  assign is_last_beat = left_q == '0;
  assign {row, bank, column[ColumnBits-1:WordBits]} = place_q;
  assign column[WordBits-1:0] = word_q;
  assign takes_read = state_q == Idle && ar_valid_i && (reads_turn_q || !aw_valid_i);
  assign takes_write = state_q == Idle && aw_valid_i && !takes_read;
  assign ar_ready_o = takes_read;
  assign aw_ready_o = takes_write;
  assign beat_ends = is_write_q ? state_q == Close && is_ready : state_q == Offer && r_ready_i;
  // All banks are closed in these.
  assign refreshes = refresh_due_q && is_ready && state_q inside {Idle, WaitBeat, Activate, Offer, Answer};

  always_comb begin
    state_d = state_q;
    command = refreshes ? RefreshRows : Nothing;
    address = row;
    timer = refreshes ? TimerBits'(RefreshCycles - 1) : '0;
    unique case (state_q)
      PowerUp: if (is_ready) state_d = SetUpPrecharge;
      SetUpPrecharge: begin
        command = PrechargeBanks;
        address = AllBanks;
        timer = TimerBits'(PrechargeCycles - 1);
        state_d = SetUpRefresh;
      end
      // Eight of them.
      SetUpRefresh:
      if (is_ready) begin
        command = RefreshRows;
        timer = TimerBits'(RefreshCycles - 1);
        if (set_up_q == '1) state_d = SetUpMode;
      end
      SetUpMode:
      if (is_ready) begin
        command = SetMode;
        address = Mode;
        timer = TimerBits'(ModeCycles - 1);
        state_d = Idle;
      end
      Idle: begin
        if (takes_read) state_d = Activate;
        else if (takes_write) state_d = WaitBeat;
      end
      WaitBeat: if (w_valid_i) state_d = Activate;
      Activate:
      if (is_ready && !refresh_due_q) begin
        command = ActivateRow;
        timer = TimerBits'(RowCycles - 1);
        state_d = is_write_q ? Write : Read;
      end
      Read:
      if (is_ready) begin
        command = ReadWord;
        address = RowBits'(column);
        if (is_last_word) state_d = Close;
      end
      Write:
      if (is_ready) begin
        if (strobe_q[word_q[WordBits-1:1]]) command = WriteWord;
        address = RowBits'(column);
        if (is_last_word) begin
          timer = TimerBits'(WriteCycles - 1);
          state_d = Close;
        end
      end
      Close:
      if (is_ready) begin
        command = PrechargeBanks;
        address = AllBanks;
        timer = TimerBits'(PrechargeCycles - 1);
        if (!is_write_q) state_d = Drain;
        else state_d = is_last_beat ? Answer : WaitBeat;
      end
      Drain: if (coming_q == '0) state_d = Offer;
      Offer: if (r_ready_i) state_d = is_last_beat ? Idle : Activate;
      Answer: if (b_ready_i) state_d = Idle;
      default: ;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= PowerUp;
      timer_q <= TimerBits'(PowerUpCycles);
      interval_q <= '0;
      refresh_due_q <= 1'b0;
      coming_q <= '0;
      reads_turn_q <= 1'b0;
      word_q <= '0;
      set_up_q <= '0;
    end else begin
      state_q <= state_d;
      if (timer != '0) timer_q <= timer;
      else if (!is_ready) timer_q <= timer_q - 1'b1;
      coming_q <= {coming_q[ReadCycles-2:0], command == ReadWord};
      interval_q <= interval_q + 1'b1;
      if (refreshes) refresh_due_q <= 1'b0;
      if (interval_q == IntervalBits'(RefreshInterval - 1)) begin
        interval_q <= '0;
        refresh_due_q <= 1'b1;
      end
      if (takes_read) reads_turn_q <= 1'b0;
      if (takes_write) reads_turn_q <= 1'b1;
      if (state_q == SetUpRefresh && is_ready) set_up_q <= set_up_q + 1'b1;
      if (state_q inside {Read, Write} && is_ready) word_q <= word_q + 1'b1;
      if (state_q == Activate) word_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (takes_read || takes_write) begin
      is_write_q <= takes_write;
      place_q <= takes_write ? aw_i.address[BeatBits+:PlaceBits] : ar_i.address[BeatBits+:PlaceBits];
      left_q <= takes_write ? aw_i.length : ar_i.length;
      id_q <= takes_write ? aw_i.id : ar_i.id;
    end else if (beat_ends) begin
      place_q <= place_q + 1'b1;
      left_q <= left_q - 1'b1;
    end
    if (w_valid_i && w_ready_o) begin
      beat_q <= w_i.data;
      strobe_q <= w_i.strobe;
    end
    captured_q <= pin_dq_i;
    if (coming_q[ReadCycles-1]) begin
      beat_q[came_q] <= captured_q;
      came_q <= came_q + 1'b1;
    end
    if (state_q == Activate) came_q <= '0;
  end

  assign w_ready_o = state_q == WaitBeat;
  assign r_valid_o = state_q == Offer;
  assign r_id_o = id_q;
  assign r_o = '{data: beat_q, response: fm_axi_pkg::Okay, last: is_last_beat};
  assign b_valid_o = state_q == Answer;
  assign b_id_o = id_q;
  assign b_response_o = fm_axi_pkg::Okay;

  // The pins.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {pin_ras_no, pin_cas_no, pin_we_no} <= Nothing;
      pin_cs_no <= 1'b1;
      pin_dq_oe_o <= 1'b0;
      pin_cke_o <= 1'b0;
    end else begin
      {pin_ras_no, pin_cas_no, pin_we_no} <= command;
      pin_cs_no <= command == Nothing;
      pin_dq_oe_o <= command == WriteWord;
      pin_cke_o <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    pin_ba_o <= bank;
    pin_a_o <= address;
    pin_dq_o <= beat_q[word_q];
  end

  assign pin_dqm_o = '0;

  `FM_ASSERT_STREAM(u_assert_r, r_valid_o, r_ready_i, {r_id_o, r_o})

endmodule
