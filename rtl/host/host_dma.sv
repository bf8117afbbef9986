// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"
`include "fm_axi.svh"

// Moves data between host memory and the drive's memory, and reads and writes host memory for the
// queues.
//
// Contract: descriptors of each direction end in the order in which they came, those of different
// directions independently. A descriptor ends without a fault after all its bytes are where they
// belong. Lengths, offsets and addresses of memory are multiples of 4; a descriptor lies within its
// command's data, which has less than 16 MiB. Memory is striped over the channels. Descriptors of zeros
// are for builds with Zeros. An access of host or memory that gets no answer ends with a time-out. `idle_o` is up when every descriptor that was taken has ended, and its end
// was taken; `host_idle_o` when host memory owes no answer. `gone_i` is that of the ports to the host. The rest is that of the ports.
// Latency: about 15 cycles of its own from a descriptor to its last write, and as many from there to its
// end.
// Reason: a mover for each direction, since the link is full duplex. One walker does for both: it takes
// a few cycles where a unit takes a hundred. While it waits for room in one direction, the other
// works off what it has.
module host_dma #(
    parameter int unsigned DataBits    = 256,
    parameter int unsigned Memories    = 1,
    parameter int unsigned RingBytes   = fm_transfer_pkg::ring_bytes(DataBits),
    // PRP lists that are read at the same time, 1 or 2.
    parameter int unsigned Lists       = 1,
    parameter bit          Zeros       = 1'b1,
    // Units that wait, in block RAM; each comes a cycle later.
    parameter bit          BlockTables = 1'b0,
    // An access of host or memory may pause for 2 to 3 times 2^TickBits cycles.
    parameter int unsigned TickBits    = 23,
    localparam type r_beat_t = `FM_AXI_R(DataBits),
    localparam type w_beat_t = `FM_AXI_W(DataBits)
) (
    input  logic                                 clk_i,
    input  logic                                 rst_ni,
    input  logic                                 gone_i,
    input  logic                                 descriptor_valid_i,
    output logic                                 descriptor_ready_o,
    input  fm_host_pkg::dma_descriptor_t         descriptor_i,
    output logic                                 done_valid_o,
    input  logic                                 done_ready_i,
    output fm_host_pkg::dma_done_t               done_o,
    output logic                                 idle_o,
    output logic                                 host_idle_o,
    // The queues.
    input  logic                                 entries_valid_i,
    output logic                                 entries_ready_o,
    input  fm_host_pkg::host_read_t              entries_i,
    output logic                                 entries_beat_valid_o,
    input  logic                                 entries_beat_ready_i,
    output fm_host_pkg::host_read_beat_t         entries_beat_o,
    output logic [DataBits-1:0]                  entries_beat_data_o,
    input  logic                                 completion_valid_i,
    output logic                                 completion_ready_o,
    input  fm_host_pkg::host_write_t             completion_i,
    input  logic [127:0]                         completion_data_i,
    input  logic                                 message_valid_i,
    output logic                                 message_ready_o,
    input  fm_host_pkg::host_write_t             message_i,
    input  logic [31:0]                          message_data_i,
    output logic                                 written_valid_o,
    input  logic                                 written_ready_i,
    output fm_host_pkg::host_written_t           written_o,
    // The host.
    output logic                                 host_ar_valid_o,
    input  logic                                 host_ar_ready_i,
    output fm_axi_pkg::burst_t                   host_ar_o,
    input  logic                                 host_r_valid_i,
    output logic                                 host_r_ready_o,
    input  fm_axi_pkg::id_t                      host_r_id_i,
    input  r_beat_t                              host_r_i,
    output logic                                 host_aw_valid_o,
    input  logic                                 host_aw_ready_i,
    output fm_axi_pkg::burst_t                   host_aw_o,
    output logic                                 host_w_valid_o,
    input  logic                                 host_w_ready_i,
    output w_beat_t                              host_w_o,
    input  logic                                 host_b_valid_i,
    output logic                                 host_b_ready_o,
    input  fm_axi_pkg::response_e                host_b_response_i,
    // The memory channels. Of reads and writes, address and data are the same for all channels.
    output logic [Memories-1:0]                  memory_ar_valid_o,
    input  logic [Memories-1:0]                  memory_ar_ready_i,
    output fm_axi_pkg::burst_t                   memory_ar_o,
    input  logic [Memories-1:0]                  memory_r_valid_i,
    output logic [Memories-1:0]                  memory_r_ready_o,
    input  fm_axi_pkg::id_t [Memories-1:0]       memory_r_id_i,
    input  r_beat_t [Memories-1:0]               memory_r_i,
    output logic [Memories-1:0]                  memory_aw_valid_o,
    input  logic [Memories-1:0]                  memory_aw_ready_i,
    output fm_axi_pkg::burst_t                   memory_aw_o,
    output logic [Memories-1:0]                  memory_w_valid_o,
    input  logic [Memories-1:0]                  memory_w_ready_i,
    output w_beat_t                              memory_w_o,
    input  logic [Memories-1:0]                  memory_b_valid_i,
    output logic [Memories-1:0]                  memory_b_ready_o,
    input  fm_axi_pkg::response_e [Memories-1:0] memory_b_response_i
);

  localparam int unsigned Rows = RingBytes / (DataBits / 8);

  // -- the walker, for both directions --

  logic [1:0] unit_ready;
  logic list_valid, list_ready, list_entry_valid, list_entry_id, list_entry_last;
  logic unit_valid, list_waits, data_idle, lost;
  fm_host_pkg::host_read_t list;
  fm_host_pkg::direction_e unit_direction;
  fm_transfer_pkg::unit_t unit;
  logic [63:0] list_entry;
  fm_host_pkg::dma_fault_e list_entry_fault;

  prp_walker #(
      .DataBits(DataBits),
      .Lists(Lists)
  ) u_walker (
      .clk_i,
      .rst_ni,
      .descriptor_valid_i, .descriptor_ready_o, .descriptor_i,
      .read_valid_o(list_valid), .read_ready_i(list_ready), .read_o(list),
      .entry_valid_i(list_entry_valid), .entry_id_i(list_entry_id), .entry_i(list_entry),
      .entry_last_i(list_entry_last), .entry_fault_i(list_entry_fault),
      .lost_i(lost),
      .waits_o(list_waits),
      .unit_valid_o(unit_valid), .unit_ready_i(unit_ready[unit_direction]), .unit_direction_o(unit_direction),
      .unit_o(unit)
  );

  // -- from the host --

  logic from_ar_valid, from_ar_ready, from_r_valid, unused_from_r_ready;
  fm_axi_pkg::burst_t from_ar;
  fm_axi_pkg::id_t from_r_id;
  logic [DataBits-1:0] beat_data;
  logic [Memories-1:0] from_aw_valid, from_aw_ready, from_w_valid, from_w_ready;
  logic [Memories-1:0] from_b_valid, from_b_ready;
  logic from_w_keep;
  fm_axi_pkg::burst_t from_aw;
  r_beat_t from_r;
  w_beat_t from_w;
  fm_host_pkg::dma_fault_e [Memories-1:0] from_b_fault;
  logic [1:0] outcome_valid, outcome_ready;
  fm_transfer_pkg::outcome_t [1:0] outcome;

  // A list comes behind all the data that was asked for before, so the walker has to be ahead.
  logic from_valid, from_ready;
  fm_transfer_pkg::unit_t from_unit;

  if (BlockTables) begin : gen_block_units
    fm_fifo_block #(
        .Width($bits(fm_transfer_pkg::unit_t)),
        .Depth(16)
    ) u_from_units (
        .clk_i,
        .rst_ni,
        .in_valid_i(unit_valid && unit_direction == fm_host_pkg::FromHost), .in_ready_o(unit_ready[0]),
        .in_data_i(unit),
        .out_valid_o(from_valid), .out_ready_i(from_ready), .out_data_o(from_unit)
    );
  end else begin : gen_units
    logic [4:0] unused_level;

    fm_fifo #(
        .Width($bits(fm_transfer_pkg::unit_t)),
        .Depth(16)
    ) u_from_units (
        .clk_i,
        .rst_ni,
        .in_valid_i(unit_valid && unit_direction == fm_host_pkg::FromHost), .in_ready_o(unit_ready[0]),
        .in_data_i(unit),
        .out_valid_o(from_valid), .out_ready_i(from_ready), .out_data_o(from_unit),
        .level_o(unused_level)
    );
  end

  dma_mover #(
      .DataBits(DataBits),
      .Rows(Rows),
      .Slots(16),
      .Memories(Memories),
      .Direction(fm_host_pkg::FromHost),
      .Zeros(Zeros)
  ) u_from_host (
      .clk_i,
      .rst_ni,
      .unit_valid_i(from_valid), .unit_ready_o(from_ready), .unit_i(from_unit),
      .lost_i(lost),
      .idle_o(data_idle),
      .ar_valid_o(from_ar_valid), .ar_ready_i(from_ar_ready), .ar_o(from_ar),
      .r_valid_i(from_r_valid), .r_ready_o(unused_from_r_ready), .r_id_i(from_r_id), .r_i(from_r),
      .aw_valid_o(from_aw_valid), .aw_ready_i(from_aw_ready), .aw_o(from_aw),
      .w_valid_o(from_w_valid), .w_ready_i(from_w_ready), .w_o(from_w), .keep_i(from_w_keep),
      .b_valid_i(from_b_valid), .b_ready_o(from_b_ready), .b_fault_i(from_b_fault),
      .done_valid_o(outcome_valid[0]), .done_ready_i(outcome_ready[0]), .done_o(outcome[0])
  );

  // -- to the host --

  logic to_aw_valid, to_aw_ready, to_w_valid, to_w_ready, to_b_valid, to_b_ready;
  logic [Memories-1:0] to_ar_valid, to_ar_ready, to_r_valid, to_r_ready;
  logic to_host_idle, memory_lost;
  logic [Memories-1:0] memory_r_last;
  fm_axi_pkg::burst_t to_ar;
  fm_axi_pkg::burst_t to_aw;
  w_beat_t to_w;
  fm_host_pkg::dma_fault_e to_b_fault;

  dma_mover #(
      .DataBits(DataBits),
      .Rows(Rows),
      .Slots(16),
      .Memories(Memories),
      .Direction(fm_host_pkg::ToHost)
  ) u_to_host (
      .clk_i,
      .rst_ni,
      .unit_valid_i(unit_valid && unit_direction == fm_host_pkg::ToHost), .unit_ready_o(unit_ready[1]), .unit_i(unit),
      .lost_i(memory_lost),
      .idle_o(to_host_idle),
      .ar_valid_o(to_ar_valid), .ar_ready_i(to_ar_ready), .ar_o(to_ar),
      .r_valid_i(to_r_valid), .r_ready_o(to_r_ready), .r_id_i(memory_r_id_i), .r_i(memory_r_i),
      .aw_valid_o(to_aw_valid), .aw_ready_i(to_aw_ready), .aw_o(to_aw),
      .w_valid_o(to_w_valid), .w_ready_i(to_w_ready), .w_o(to_w), .keep_i(1'b0),
      .b_valid_i(to_b_valid), .b_ready_o(to_b_ready), .b_fault_i(to_b_fault),
      .done_valid_o(outcome_valid[1]), .done_ready_i(outcome_ready[1]), .done_o(outcome[1])
  );

  // -- the ports of host and memory --

  logic [TickBits-1:0] tick_q;
  logic tick;

  logic [1:0] host_idle;

  assign tick = tick_q == '1;
  assign host_idle_o = host_idle == '1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tick_q <= '0;
    end else begin
      tick_q <= tick_q + 1'b1;
    end
  end

  memory_write_port #(
      .DataBits(DataBits),
      .Channels(Memories)
  ) u_memory_write_port (
      .clk_i,
      .rst_ni,
      .tick_i(tick),
      .aw_valid_i(from_aw_valid), .aw_ready_o(from_aw_ready), .aw_i(from_aw),
      .w_valid_i(from_w_valid), .w_ready_o(from_w_ready), .w_i(from_w), .keep_o(from_w_keep),
      .b_valid_o(from_b_valid), .b_ready_i(from_b_ready), .b_fault_o(from_b_fault),
      .aw_valid_o(memory_aw_valid_o), .aw_ready_i(memory_aw_ready_i), .aw_o(memory_aw_o),
      .w_valid_o(memory_w_valid_o), .w_ready_i(memory_w_ready_i), .w_o(memory_w_o),
      .b_valid_i(memory_b_valid_i), .b_ready_o(memory_b_ready_o), .b_response_i(memory_b_response_i)
  );

  always_comb begin
    for (int unsigned i = 0; i < Memories; i++) memory_r_last[i] = memory_r_i[i].last;
  end

  memory_read_port #(
      .Channels(Memories),
      .Slots(16)
  ) u_memory_read_port (
      .clk_i,
      .rst_ni,
      .tick_i(tick),
      .busy_i(!to_host_idle),
      .lost_o(memory_lost),
      .ar_valid_i(to_ar_valid), .ar_ready_o(to_ar_ready), .ar_i(to_ar),
      .r_valid_o(to_r_valid), .r_ready_i(to_r_ready),
      .ar_valid_o(memory_ar_valid_o), .ar_ready_i(memory_ar_ready_i), .ar_o(memory_ar_o),
      .r_valid_i(memory_r_valid_i), .r_ready_o(memory_r_ready_o), .r_id_i(memory_r_id_i), .r_last_i(memory_r_last)
  );

  host_read_port #(
      .DataBits(DataBits)
  ) u_read_port (
      .clk_i,
      .rst_ni,
      .tick_i(tick),
      .gone_i,
      .entries_valid_i, .entries_ready_o, .entries_i,
      .entries_beat_valid_o, .entries_beat_ready_i, .entries_beat_o,
      .list_valid_i(list_valid), .list_ready_o(list_ready), .list_i(list),
      .list_entry_valid_o(list_entry_valid), .list_entry_id_o(list_entry_id), .list_entry_o(list_entry),
      .list_entry_last_o(list_entry_last), .list_entry_fault_o(list_entry_fault),
      .data_valid_i(from_ar_valid), .data_ready_o(from_ar_ready), .data_i(from_ar),
      .data_beat_valid_o(from_r_valid), .data_beat_id_o(from_r_id), .data_beat_o(from_r),
      .waiting_i(list_waits || !data_idle),
      .lost_o(lost),
      .idle_o(host_idle[0]),
      .beat_data_o(beat_data),
      .ar_valid_o(host_ar_valid_o), .ar_ready_i(host_ar_ready_i), .ar_o(host_ar_o),
      .r_valid_i(host_r_valid_i), .r_ready_o(host_r_ready_o), .r_id_i(host_r_id_i), .r_i(host_r_i)
  );

  assign entries_beat_data_o = beat_data;

  host_write_port #(
      .DataBits(DataBits)
  ) u_write_port (
      .clk_i,
      .rst_ni,
      .tick_i(tick),
      .gone_i,
      .completion_valid_i, .completion_ready_o, .completion_i, .completion_data_i,
      .message_valid_i, .message_ready_o, .message_i, .message_data_i,
      .written_valid_o, .written_ready_i, .written_o,
      .data_aw_valid_i(to_aw_valid), .data_aw_ready_o(to_aw_ready), .data_aw_i(to_aw),
      .data_w_valid_i(to_w_valid), .data_w_ready_o(to_w_ready), .data_w_i(to_w),
      .data_b_valid_o(to_b_valid), .data_b_ready_i(to_b_ready), .data_b_fault_o(to_b_fault),
      .idle_o(host_idle[1]),
      .aw_valid_o(host_aw_valid_o), .aw_ready_i(host_aw_ready_i), .aw_o(host_aw_o),
      .w_valid_o(host_w_valid_o), .w_ready_i(host_w_ready_i), .w_o(host_w_o),
      .b_valid_i(host_b_valid_i), .b_ready_o(host_b_ready_o), .b_response_i(host_b_response_i)
  );

  // -- ends of descriptors, of both directions in turn --

  logic [1:0] ending;

  fm_arbiter_round_robin #(
      .Requests(2)
  ) u_endings (
      .clk_i,
      .rst_ni,
      .request_i(outcome_valid),
      .accept_i(done_ready_i),
      .grant_o(ending)
  );

  assign done_valid_o = outcome_valid != '0;
  assign outcome_ready = done_ready_i ? ending : '0;
  assign done_o = '{
          tag: ending[1] ? outcome[1].tag : outcome[0].tag,
          direction: ending[1] ? fm_host_pkg::ToHost : fm_host_pkg::FromHost,
          fault: ending[1] ? outcome[1].fault : outcome[0].fault
      };

  // More descriptors than the walker, the units' queues and the movers hold together.
  localparam int unsigned InsideBits = 7;
  logic [InsideBits-1:0] inside_q;
  logic begins, finishes;

  assign begins = descriptor_valid_i && descriptor_ready_o;
  assign finishes = done_valid_o && done_ready_i;
  assign idle_o = inside_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q <= '0;
    end else begin
      inside_q <= inside_q + InsideBits'(begins) - InsideBits'(finishes);
    end
  end

  `FM_ASSERT(SomeInside, !finishes || inside_q != '0)
  `FM_ASSERT(AllCounted, !begins || finishes || inside_q != '1)
  `FM_ASSERT(ZerosAreThere, !descriptor_valid_i || Zeros || descriptor_i.source != fm_host_pkg::MoveZeros)

endmodule
