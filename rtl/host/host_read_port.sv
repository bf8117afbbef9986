// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"
`include "fm_axi.svh"

// Reads host memory for everybody.
//
// Contract: the AXI id of a read is its client and the low four bits of its id (three, of entries; one, of lists),
// which a client has under way once at a time. Beats keep the lanes of their addresses, so a read of
// entries starts at a multiple of a beat. Lists get one lane a cycle. Lists and
// data are always taken. Where nothing of some read has come for three ticks of `tick_i`, whatever comes of
// others, answers count as lost until all of them have come after all, and are dropped: reads of entries end
// with a beat that is an error, the others have `lost_o`. Reads that are asked for meanwhile get no
// further. Before it ends, no read is taken until nobody waits for a lost one. While `gone_i` is up there is no host: no
// answer comes, none is owed any more, and all are lost.
// Latency: one cycle from a request to AXI; none back, but for lists, which have one. One beat a cycle.
// Reason: a read that AXI has taken cannot be called back. So the ids of late answers rest, rather
// than meet a new owner.
module host_read_port #(
    parameter int unsigned DataBits = 256,
    localparam type r_beat_t = `FM_AXI_R(DataBits)
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic                         tick_i,
    input  logic                         gone_i,
    // Submission queue entries.
    input  logic                         entries_valid_i,
    output logic                         entries_ready_o,
    input  fm_host_pkg::host_read_t      entries_i,
    output logic                         entries_beat_valid_o,
    input  logic                         entries_beat_ready_i,
    output fm_host_pkg::host_read_beat_t entries_beat_o,
    // Lists.
    input  logic                         list_valid_i,
    output logic                         list_ready_o,
    input  fm_host_pkg::host_read_t      list_i,
    output logic                         list_entry_valid_o,
    output logic                         list_entry_id_o,
    output logic [63:0]                  list_entry_o,
    output logic                         list_entry_last_o,
    output fm_host_pkg::dma_fault_e      list_entry_fault_o,
    // Data.
    input  logic                         data_valid_i,
    output logic                         data_ready_o,
    input  fm_axi_pkg::burst_t           data_i,
    output logic                         data_beat_valid_o,
    output fm_axi_pkg::id_t              data_beat_id_o,
    output r_beat_t                      data_beat_o,
    // Whether anybody waits for lists or data.
    input  logic                         waiting_i,
    output logic                         lost_o,
    // Nothing is under way, late answers included.
    output logic                         idle_o,
    // Of beats of entries.
    output logic [DataBits-1:0]          beat_data_o,
    // AXI.
    output logic                         ar_valid_o,
    input  logic                         ar_ready_i,
    output fm_axi_pkg::burst_t           ar_o,
    input  logic                         r_valid_i,
    output logic                         r_ready_o,
    input  fm_axi_pkg::id_t              r_id_i,
    input  r_beat_t                      r_i
);

  localparam int unsigned BeatBits = $clog2(DataBits / 8);
  localparam int unsigned BeatEntries = DataBits / 64;
  localparam int unsigned LaneBits = BeatEntries > 1 ? $clog2(BeatEntries) : 1;
  localparam int unsigned OwedBits = fm_axi_pkg::IdBits;

  typedef enum logic [1:0] {Entries = 2'd0, List = 2'd1, Data = 2'd2} client_e;

  // -- requests --

  logic [2:0] grant;
  logic ar_valid_q, ar_free, accept, lost_q, recovers_q;
  logic [63:0] address;
  logic [12:0] bytes;
  logic [13:0] ends;
  fm_axi_pkg::burst_t ar_d, ar_q;

  // When answers are lost, what waits for the address channel may stay there.
  assign ar_free = !recovers_q && (!ar_valid_q || ar_ready_i || lost_q);
  assign accept = ar_free && grant != '0;
  assign entries_ready_o = ar_free && grant[0];
  assign list_ready_o = ar_free && grant[1];
  assign data_ready_o = ar_free && grant[2];

  fm_arbiter_round_robin #(
      .Requests(3)
  ) u_requests (
      .clk_i,
      .rst_ni,
      .request_i({data_valid_i, list_valid_i, entries_valid_i}),
      .accept_i(ar_free),
      .grant_o(grant)
  );

  always_comb begin
    address = grant[1] ? list_i.address : entries_i.address;
    bytes = grant[1] ? list_i.bytes : entries_i.bytes;
    ends = 14'(address[BeatBits-1:0]) + 14'(bytes) - 1'b1;
    ar_d = '{
        id: grant[1] ? {List, 3'd0, list_i.id[0]} : {Entries, 1'b0, entries_i.id[2:0]},
        address: grant[2] ? data_i.address : address,
        length: grant[2] ? data_i.length : 8'(ends >> BeatBits)
    };
    if (grant[2]) ar_d.id = {Data, data_i.id[3:0]};
  end

  assign ar_valid_o = ar_valid_q && !gone_i;
  assign ar_o = ar_q;

  // -- the bursts that AXI owes, and reads of entries by id --

  // Counted a cycle late, since the way to both is long.
  logic [OwedBits-1:0] owed_q;
  logic asked_q, paid_q;
  logic [7:0] entries_d, entries_q;
  logic asked, paid, overdue, times_out, nobody_waits, r_valid;

  assign r_valid = r_valid_i && !gone_i;
  assign asked = accept && !lost_q && !gone_i;
  assign paid = r_valid && r_ready_o && r_i.last;
  // A beat of entries that is offered stays as it is.
  assign times_out = overdue && !lost_q && !(entries_beat_valid_o && !entries_beat_ready_i);
  assign nobody_waits = entries_q == '0 && !waiting_i;
  assign lost_o = lost_q;
  assign idle_o = owed_q == '0 && !asked_q;

  // By place: eight of entries, two of lists, sixteen of data.
  localparam int unsigned Places = 26;

  function automatic logic [Places-1:0] place_of(fm_axi_pkg::id_t id);
    unique case (client_e'(id[5:4]))
      Entries: return Places'(1) << id[2:0];
      List: return Places'(1) << (5'd8 + 5'(id[0]));
      default: return Places'(1) << (5'd10 + 5'(id[3:0]));
    endcase
  endfunction

  // A read begins a cycle late, with its address at AXI: the way from whoever asks ends in registers.
  logic [Places-1:0] answered_place;
  assign answered_place = r_valid ? place_of(r_id_i) : '0;

  access_ages #(
      .Accesses(Places)
  ) u_ages (
      .clk_i,
      .rst_ni,
      .tick_i,
      .clear_i(lost_q || gone_i),
      .begins_i(asked_q ? place_of(ar_q.id) : '0),
      .moves_i(answered_place),
      .ends_i(paid ? answered_place : '0),
      .overdue_o(overdue)
  );

  // -- beats: those of AXI, or the ends of entries whose answers are lost --

  logic [2:0] entry_id, scan_q;
  client_e client;
  logic is_last_lane, ready, entries_ends, found_q;
  logic [LaneBits-1:0] lane_q;
  logic [7:0] spoilt_q;
  logic [BeatEntries-1:0][63:0] lanes;
  fm_host_pkg::dma_fault_e beat_fault;

  assign client = client_e'(r_id_i[5:4]);
  assign beat_data_o = r_i.data;
  assign beat_fault = fm_transfer_pkg::fault_of(r_i.response);

  assign entry_id = lost_q ? scan_q : r_id_i[2:0];
  assign entries_beat_valid_o = lost_q ? found_q : r_valid && client == Entries;
  assign entries_beat_o = '{
          id: 8'(entry_id),
          last: lost_q || r_i.last,
          error: lost_q || beat_fault != fm_host_pkg::DmaNone || spoilt_q[r_id_i[2:0]]
      };
  assign entries_ends = entries_beat_valid_o && entries_beat_ready_i && entries_beat_o.last;

  assign lanes = r_i.data;
  assign is_last_lane = lane_q == LaneBits'(BeatEntries - 1);
  // An entry of a list leaves a cycle later: the way through the lanes of a beat is long.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      list_entry_valid_o <= 1'b0;
    end else begin
      list_entry_valid_o <= r_valid && client == List && !lost_q;
    end
  end

  always_ff @(posedge clk_i) begin
    list_entry_id_o <= r_id_i[0];
    list_entry_o <= lanes[lane_q];
    list_entry_last_o <= r_i.last && is_last_lane;
    list_entry_fault_o <= beat_fault;
  end

  // One that comes as the host goes counts as lost in the next cycle, for whoever waits for data: the way from there is long.
  assign data_beat_valid_o = r_valid_i && client == Data && !lost_q;
  assign data_beat_id_o = {2'b00, r_id_i[3:0]};
  assign data_beat_o = r_i;

  always_comb begin
    unique case (client)
      Entries: ready = entries_beat_ready_i;
      List: ready = is_last_lane;
      default: ready = 1'b1;
    endcase
  end

  assign r_ready_o = lost_q || ready;

  always_comb begin
    entries_d = entries_q;
    if (entries_ends) entries_d[entry_id] = 1'b0;
    if (accept && grant[0]) entries_d[entries_i.id[2:0]] = 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ar_valid_q <= 1'b0;
      lost_q <= 1'b0;
      recovers_q <= 1'b0;
      entries_q <= '0;
      owed_q <= '0;
      asked_q <= 1'b0;
      paid_q <= 1'b0;
      lane_q <= '0;
      spoilt_q <= '0;
      found_q <= 1'b0;
    end else begin
      if (asked) ar_valid_q <= 1'b1;
      else if (ar_ready_i || gone_i) ar_valid_q <= 1'b0;
      if (times_out || gone_i) lost_q <= 1'b1;
      else if (recovers_q && nobody_waits) lost_q <= 1'b0;
      recovers_q <= lost_q && idle_o && !gone_i && !(recovers_q && nobody_waits);
      entries_q <= entries_d;
      asked_q <= asked;
      paid_q <= paid;
      owed_q <= gone_i ? '0 : owed_q + OwedBits'(asked_q) - OwedBits'(paid_q);
      if (gone_i) lane_q <= '0;
      else if (r_valid && client == List) lane_q <= is_last_lane || lost_q ? '0 : lane_q + 1'b1;
      // Of answers that are lost, one waiting read after the other is found, then ended.
      found_q <= found_q ? !entries_beat_ready_i : lost_q && entries_q[scan_q];
      if (entries_beat_valid_o && entries_beat_ready_i) begin
        spoilt_q[entry_id] <= !entries_beat_o.last && entries_beat_o.error;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (asked) ar_q <= ar_d;
    if (found_q ? entries_beat_ready_i : !entries_q[scan_q]) scan_q <= scan_q + 1'b1;
  end

  `FM_ASSERT_STREAM(u_assert_entries, entries_valid_i, entries_ready_o, entries_i)
  `FM_ASSERT_STREAM(u_assert_list, list_valid_i, list_ready_o, list_i)
  `FM_ASSERT_STREAM(u_assert_data, data_valid_i, data_ready_o, data_i)
  `FM_ASSERT_STREAM_WHILE(u_assert_beat, !gone_i, entries_beat_valid_o, entries_beat_ready_i,
                 ({entries_beat_o, entries_beat_o.error ? '0 : beat_data_o}))
  `FM_ASSERT(IdOnce, !(accept && grant[0]) || !entries_q[entries_i.id[2:0]])

endmodule
