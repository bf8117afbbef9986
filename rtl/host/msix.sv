// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// MSI-X: the table, the pending bits and the messages (PCI Express, MSI-X capability).
//
// Contract: `access` reads or writes a dword of the table (16 bytes a vector: address, data, mask) or,
// with `access_pending_i`, of the pending bits, which ignore writes; so does what lies behind their
// ends, which reads as zero. The answer of a read is a pulse of `answer_valid_o`. `raise_valid_i` makes
// a vector pending while `enable_i` is up. A pending vector that neither its own mask nor
// `function_mask_i` holds back sends its message, once for any number of times it was raised before.
// Vectors take turns. The two low bits of an address are zero, whatever the host wrote, so that a message
// crosses no page; one that the bus refuses is the host's own loss. `clear_i` forgets what is pending;
// the table stays. `reset_i` masks all vectors, forgets what is pending and wipes addresses and data, as the
// reset of the block does; accesses wait meanwhile. A message that is under way still leaves. `idle_o` is up
// when none is, and the table is wiped. An access waits for the reset, or three cycles for a message that is read from the table,
// but for no message that the host does not take: PCI Express lets no posted request depend on another one in the other direction.
// Latency: a read is answered in the next cycle; a message leaves five cycles after its vector was
// raised, and the next one four cycles behind. A reset takes a cycle a vector.
// Reason: the table is in RAM that has one reader, so accesses and messages go one after the other. A message leaves from
// registers, so that the table is free.
module msix
  import fm_host_pkg::*;
#(
    parameter int unsigned Vectors   = 17,
    parameter int unsigned Writes    = 8,
    // Dwords of the windows of table and pending bits, as a power of two.
    parameter int unsigned DwordBits = 10,
    // The table is in block RAM.
    parameter bit          BlockTables = 1'b0,
    localparam int unsigned VectorBits = $clog2(Vectors)
) (
    input  logic                           clk_i,
    input  logic                           rst_ni,
    input  logic                           clear_i,
    input  logic                           reset_i,
    input  logic                           enable_i,
    input  logic                           function_mask_i,
    input  logic                           access_valid_i,
    output logic                           access_ready_o,
    input  logic                           access_write_i,
    input  logic                           access_pending_i,
    input  logic          [ DwordBits-1:0] access_dword_i,
    input  logic          [          31:0] access_data_i,
    output logic                           answer_valid_o,
    output logic          [          31:0] answer_o,
    input  logic                           raise_valid_i,
    input  logic          [VectorBits-1:0] raise_vector_i,
    output logic                           write_valid_o,
    input  logic                           write_ready_i,
    output host_write_t                    write_o,
    output logic                           data_valid_o,
    input  logic                           data_ready_i,
    output logic [31:0] data_o,
    input  logic                           written_valid_i,
    input  host_written_t                  written_i,
    output logic                           idle_o
);

  `FM_REQUIRE(gen_vectors, Vectors >= 2 && Vectors <= 2048, "msix: Vectors is not from 2 to 2048")
  `FM_REQUIRE(gen_writes, Writes >= 2 && Writes <= 256 && 2 ** $clog2(Writes) == Writes,
           "msix: Writes is not a power of two from 2 to 256")

  `FM_REQUIRE(gen_dwords, 2 ** DwordBits >= 4 * Vectors, "msix: DwordBits leaves no room for the table")

  localparam int unsigned WriteBits = $clog2(Writes);

  typedef logic [VectorBits-1:0] vector_t;
  typedef logic [Vectors-1:0] vectors_t;

  typedef enum logic [2:0] {
    Idle,
    Access,  // answers
    Pick,    // the vector that has the turn
    Load,    // its message is read
    Wipe     // clears the table
  } state_e;

  state_e state_d, state_q;
  vectors_t masked_q, pending_q, sendable_q, grant, grant_q, pending_d;
  vector_t accessed, chosen, read_q;
  logic [1:0] field_q;
  logic starts, picks, masks_q, sends_q, write_sent_q, data_sent_q, all_sent, exists, exists_q, pending_access_q;
  logic [WriteBits-1:0] id_q;
  logic [Writes-1:0] busy_q;
  logic [31:0] low, high, data, pending_word, pending_word_q;
  logic reads;
  logic [61:0] message_address_q;
  logic [31:0] message_data_q;
  logic mask_write, unused;
  // The table has to be wiped, one vector after the other.
  logic wipes_q, wiping, wiped;
  vector_t wipe_q;

  assign unused = written_i.error ^ (^low[1:0]);
  assign accessed = access_dword_i[2+:VectorBits];
  assign exists = !access_pending_i && 32'(access_dword_i[DwordBits-1:2]) < Vectors;
  assign access_ready_o = state_q == Idle && !wipes_q;
  assign wiping = state_q == Wipe;
  assign wiped = wiping && wipe_q == vector_t'(Vectors - 1);
  assign mask_write = access_valid_i && access_ready_o && access_write_i && exists;

  // What may be sent is a cycle old; a mask that changed in that cycle counts.
  assign starts = state_q == Idle && !wipes_q && !access_valid_i && sendable_q != '0 && !masks_q && !sends_q && !busy_q[id_q];
  assign picks = state_q == Pick;
  assign reads = picks || (state_q == Idle && access_valid_i && !access_write_i);

  fm_arbiter_round_robin #(
      .Requests(Vectors)
  ) u_turn (
      .clk_i,
      .rst_ni,
      .request_i(sendable_q),
      .accept_i(starts),
      .grant_o(grant)
  );

  always_comb begin
    chosen = '0;
    for (int unsigned vector = 0; vector < Vectors; vector++) begin
      if (grant_q[vector]) chosen |= vector_t'(vector);
    end
    pending_word = '0;
    for (int unsigned vector = 0; vector < Vectors; vector++) begin
      if (32'(access_dword_i) == vector / 32) pending_word[vector%32] = pending_q[vector];
    end
  end

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle: begin
        if (wipes_q) state_d = Wipe;
        else if (access_valid_i) state_d = access_write_i ? Idle : Access;
        else if (starts) state_d = Pick;
      end
      Access: state_d = Idle;
      Pick: state_d = Load;
      Load: state_d = Idle;
      default: if (wiped) state_d = Idle;
    endcase
  end

  // A vector that is raised as its message starts is pending again.
  always_comb begin
    pending_d = pending_q;
    if (picks) pending_d &= ~grant_q;
    if (raise_valid_i) pending_d[raise_vector_i] = 1'b1;
    if (clear_i || reset_i || !enable_i) pending_d = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      masked_q <= '1;
      pending_q <= '0;
      id_q <= '0;
      busy_q <= '0;
      sends_q <= 1'b0;
      write_sent_q <= 1'b0;
      data_sent_q <= 1'b0;
      sendable_q <= '0;
      masks_q <= 1'b0;
      wipes_q <= 1'b1;
      wipe_q <= '0;
    end else begin
      state_q <= state_d;
      sendable_q <= pending_q & ~masked_q & {Vectors{enable_i && !function_mask_i}};
      masks_q <= mask_write;
      pending_q <= pending_d;
      if (mask_write && access_dword_i[1:0] == 2'd3) masked_q[accessed] <= access_data_i[0];
      if (reset_i) masked_q <= '1;
      wipes_q <= reset_i || (wipes_q && !wiped);
      if (wiping) wipe_q <= wiped ? '0 : wipe_q + 1'b1;
      if (written_valid_i && written_i.client == WriteMessage && 32'(written_i.id) < Writes) begin
        busy_q[WriteBits'(written_i.id)] <= 1'b0;
      end
      if (starts) busy_q[id_q] <= 1'b1;
      sends_q <= state_q == Load || (sends_q && !all_sent);
      if (sends_q) begin
        write_sent_q <= !all_sent && (write_sent_q || write_ready_i);
        data_sent_q <= !all_sent && (data_sent_q || data_ready_i);
        if (all_sent) id_q <= id_q + 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    grant_q <= grant;
    if (state_q == Load) begin
      message_address_q <= {high, low[31:2]};
      message_data_q <= data;
    end
    if (state_q == Idle) begin
      read_q <= accessed;
      field_q <= access_dword_i[1:0];
      exists_q <= exists;
      pending_access_q <= access_pending_i;
      pending_word_q <= pending_word;
    end
  end

  always_comb begin
    answer_o = '0;
    if (pending_access_q) begin
      answer_o = pending_word_q;
    end else if (exists_q) begin
      unique case (field_q)
        2'd0: answer_o = {low[31:2], 2'b00};
        2'd1: answer_o = high;
        2'd2: answer_o = data;
        default: answer_o = 32'(masked_q[read_q]);
      endcase
    end
  end

  assign answer_valid_o = state_q == Access;
  assign write_valid_o = sends_q && !write_sent_q;
  assign data_valid_o = sends_q && !data_sent_q;
  assign all_sent = (write_sent_q || write_ready_i) && (data_sent_q || data_ready_i);
  assign write_o = '{address: {message_address_q, 2'b00}, client: WriteMessage, id: 8'(id_q)};
  assign data_o = message_data_q;
  // One that is picked, read or sent is among those that are busy.
  assign idle_o = !wipes_q && busy_q == '0;

  for (genvar field = 0; field < 3; field++) begin : gen_field
    logic [31:0] word;
    fm_ram_table #(
        .Width(32),
        .Depth(Vectors),
        .Block(BlockTables)
    ) u_table (
        .clk_i,
        .rst_ni,
        .write_i(wiping || (mask_write && access_dword_i[1:0] == 2'(field))),
        .write_address_i(wiping ? wipe_q : accessed),
        .write_data_i(wiping ? '0 : access_data_i),
        .read_i(reads),
        .read_address_i(picks ? chosen : accessed),
        .read_data_o(word)
    );
  end
  assign low  = gen_field[0].word;
  assign high = gen_field[1].word;
  assign data = gen_field[2].word;

  `FM_ASSERT_STREAM(u_assert_access, access_valid_i, access_ready_o, {
                 access_write_i, access_pending_i, access_dword_i, access_data_i})
  `FM_ASSERT_STREAM(u_assert_write, write_valid_o, write_ready_i, write_o)
  `FM_ASSERT_STREAM(u_assert_data, data_valid_o, data_ready_i, data_o)

endmodule
