// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Proof of `dma_retire`: no transfer ends before all its bursts, and all before them, were answered; so
// no descriptor does. Transfers end in order, and an answer that is an error spoils what it is for.
//
// One transfer, any one, is followed. `pending_q` is how many answers, by channel, are lacking up to
// its last burst, and `ahead_q` how many transfers are before it. Depth 3 makes the queue's
// pointers turn at a number that is no power of two.
module dma_retire_proof #(
    localparam int unsigned Channels  = 2,
    localparam int unsigned Transfers = 3,
    localparam int unsigned CountBits = 3
) (
    input logic                                  clk_i,
    input logic                                  rst_ni,
    input logic                 [Channels-1:0]   sent_i,
    input logic                                  close_i,
    input fm_transfer_pkg::closing_t             closing_i,
    input logic                 [Channels-1:0]   b_valid_i,
    input logic                 [Channels-1:0]   b_error_i,
    input logic                                  done_ready_i,
    input logic                                  follow_i
);

  typedef logic [CountBits-1:0] count_t;
  localparam int unsigned LevelBits = $clog2(Transfers + 1);

  logic close_room, done_valid;
  logic [Channels-1:0] b_ready, answer;
  fm_host_pkg::dma_fault_e [Channels-1:0] b_fault;
  fm_transfer_pkg::outcome_t done;

  for (genvar i = 0; i < Channels; i++) begin : gen_fault
    assign b_fault[i] = b_error_i[i] ? fm_host_pkg::DmaBus : fm_host_pkg::DmaNone;
  end

  dma_retire #(
      .Channels(Channels),
      .Transfers(Transfers),
      .CountBits(CountBits)
  ) u_retire (
      .clk_i,
      .rst_ni,
      .sent_i,
      .close_i,
      .close_room_o(close_room),
      .closing_i,
      .b_valid_i,
      .b_ready_o(b_ready),
      .b_fault_i(b_fault),
      .done_valid_o(done_valid),
      .done_ready_i,
      .done_o(done)
  );

  logic started_q, following_q, spoilt_q, retire, spoils;
  logic [LevelBits-1:0] ahead_q, level;
  count_t [Channels-1:0] pending_q, outstanding;

  assign answer = b_valid_i & b_ready;
  assign retire = u_retire.retire;
  assign level = u_retire.u_transfers.level_q;

  for (genvar i = 0; i < Channels; i++) begin : gen_outstanding
    assign outstanding[i] = u_retire.sent_q[i] - u_retire.answered_q[i];
  end

  // An error among the answers that the followed transfer, being the oldest, waits for.
  assign spoils = following_q && ahead_q == '0 && (answer & b_error_i) != '0;

  initial started_q = 1'b0;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!rst_ni) begin
      following_q <= 1'b0;
      spoilt_q <= 1'b0;
    end else if (!following_q && close_i && follow_i) begin
      following_q <= 1'b1;
      spoilt_q <= 1'b0;
      ahead_q <= level - LevelBits'(retire);
      for (int unsigned i = 0; i < Channels; i++) begin
        pending_q[i] <= outstanding[i] + count_t'(sent_i[i]) - count_t'(answer[i]);
      end
    end else if (following_q) begin
      if (retire) following_q <= ahead_q != '0;
      if (retire) ahead_q <= ahead_q - 1'b1;
      if (spoils) spoilt_q <= 1'b1;
      for (int unsigned i = 0; i < Channels; i++) begin
        pending_q[i] <= pending_q[i] - count_t'(answer[i]);
      end
    end
  end

  // Where a transfer with so many before it is kept.
  function automatic int unsigned place(int unsigned ahead);
    return (32'(u_retire.u_transfers.read_address_q) + ahead) % Transfers;
  endfunction

  // Answers that are lacking up to the end of that transfer.
  function automatic count_t lacking(int unsigned ahead, int unsigned channel);
    logic [$bits(fm_transfer_pkg::closing_t)+Channels*CountBits-1:0] entry;
    entry = u_retire.u_transfers.u_ram.memory_q[place(ahead)];
    return entry[channel*CountBits+:CountBits] - u_retire.answered_q[channel];
  endfunction

  always_comb begin
    Reset : assume (started_q || !rst_ni);
    CloseWithRoom : assume (!close_i || close_room);
    if (started_q && rst_ni) begin
      // What makes the claims inductive: where things are in the queue.
      LevelInRange : assert (32'(level) <= Transfers);
      ReadInRange : assert (32'(u_retire.u_transfers.read_address_q) < Transfers);
      WriteFollows : assert (place(32'(level)) == 32'(u_retire.u_transfers.write_address_q));
      InQueue : assert (!following_q || ahead_q < level);
      SpoiltIsOldest : assert (!(following_q && spoilt_q) || ahead_q == '0);
      // A claim.
      ErrorStays : assert (!(following_q && spoilt_q) || u_retire.fault_q != fm_host_pkg::DmaNone);
    end
    Queued : cover (started_q && following_q && ahead_q == LevelBits'(Transfers - 1));
    Ends : cover (started_q && rst_ni && done_valid && done.fault == fm_host_pkg::DmaBus);
  end

  for (genvar i = 0; i < Channels; i++) begin : gen_channel
    always_comb begin
      // Never as many under way as the counts can tell apart.
      Bounded : assume (!sent_i[i] || outstanding[i] < count_t'(2 ** CountBits - 2));
      AnswerOfBurst : assume (!b_valid_i[i] || outstanding[i] != '0);
      if (started_q && rst_ni) begin
        InRange : assert (outstanding[i] < count_t'(2 ** CountBits - 1));
        Kept : assert (!following_q || lacking(32'(ahead_q), i) == pending_q[i]);
        // The claims.
        NotEarly : assert (!(following_q && ahead_q == '0 && retire) || pending_q[i] == '0);
        OnlyItsOwn : assert (!following_q || !answer[i] || pending_q[i] != '0);
      end
    end

    // What the queue keeps is in order.
    for (genvar n = 0; n < Transfers; n++) begin : gen_place
      always_comb begin
        if (started_q && rst_ni && n < 32'(level)) begin
          Sent : assert (lacking(n, i) <= outstanding[i]);
          Ordered : assert (n == 0 || lacking(n == 0 ? 0 : n - 1, i) <= lacking(n, i));
        end
      end
    end
  end

endmodule
