// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"
`include "fm_axi.svh"

// AXI4 subordinate of a BAR: takes bursts apart into accesses of a dword.
//
// Contract: a write accesses each dword whose four strobes are up, from the lowest lane to the highest;
// other strobes are ignored, since the specification allows no narrower writes. A read accesses each
// dword of the lanes that its beats use. All bursts are taken as incrementing; every answer is OKAY.
// Addresses wrap at 2^AddressBits. One burst of each kind is served at a time. A read begins when all writes
// are done that were taken before it. A write waits for no read: whether its answer is taken or not,
// writes go on, as the ordering of PCI Express asks of posted requests. An access comes every second cycle
// at most.
// While `gone_i` is up there is no bridge: an access that is under way ends, no other begins, and none of them is answered.
// `idle_o` is up when none is under way.
// Latency: three cycles from a beat to its first access; two cycles for a dword written, three and the
// answer's for one read.
// Reason: registers are few and slow to reach. One dword a time leaves one path to each of them, for
// any width of the bridge in front. A beat of writes stays with the bridge until it is done. An access
// waits in registers, since finding its lane takes a cycle by itself.
module bar_access #(
    parameter int unsigned DataBits    = 256,
    parameter int unsigned AddressBits = 14,
    parameter int unsigned IdBits      = 4,
    localparam int unsigned Lanes = DataBits / 32,
    localparam type bar_aw_t = `FM_AXI_BAR_AW(AddressBits, IdBits),
    localparam type bar_w_t = `FM_AXI_BAR_W(DataBits),
    localparam type bar_ar_t = `FM_AXI_BAR_AR(AddressBits, IdBits),
    localparam type bar_r_t = `FM_AXI_BAR_R(DataBits, IdBits)
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   gone_i,
    output logic                   idle_o,
    input  logic                   aw_valid_i,
    output logic                   aw_ready_o,
    input  bar_aw_t                aw_i,
    input  logic                   w_valid_i,
    output logic                   w_ready_o,
    input  bar_w_t                 w_i,
    output logic                   b_valid_o,
    input  logic                   b_ready_i,
    output logic [IdBits-1:0]      b_id_o,
    input  logic                   ar_valid_i,
    output logic                   ar_ready_o,
    input  bar_ar_t                ar_i,
    output logic                   r_valid_o,
    input  logic                   r_ready_i,
    output bar_r_t                 r_o,
    output logic                   access_valid_o,
    input  logic                   access_ready_i,
    output logic                   access_write_o,
    output logic [AddressBits-1:2] access_dword_o,
    output logic [31:0]            access_data_o,
    input  logic                   answer_valid_i,
    input  logic [31:0]            answer_i
);

  `FM_REQUIRE(gen_data_bits, DataBits >= 32 && DataBits <= 1024 && 2 ** $clog2(DataBits) == DataBits,
           "bar_access: DataBits is not a power of two from 32 to 1024")

  localparam int unsigned LaneBits = Lanes > 1 ? $clog2(Lanes) : 1;
  localparam int unsigned BeatBytesBits = $clog2(DataBits / 8);

  typedef logic [AddressBits-1:0] address_t;
  typedef logic [AddressBits-3:0] dword_t;
  typedef logic [LaneBits-1:0] lane_t;
  // A byte of a beat.
  typedef logic [BeatBytesBits-1:0] byte_t;

  typedef enum logic [2:0] {
    WriteIdle,
    WriteBeat,    // waits for a beat
    WriteLane,    // finds its next dword
    WriteAccess,  // writes it
    WriteTake,    // takes the beat
    WriteDone     // answers
  } write_e;

  typedef enum logic [2:0] {
    ReadIdle,
    ReadLanes,   // which lanes a beat uses
    ReadLane,    // finds the next dword
    ReadAccess,  // asks for it
    ReadAnswer,  // waits for it
    ReadBeat     // gives a beat
  } read_e;

  function automatic lane_t first_of(logic [Lanes-1:0] lanes);
    first_of = '0;
    for (int unsigned index = Lanes; index > 0; index--) begin
      if (lanes[index-1]) first_of = lane_t'(index - 1);
    end
  endfunction

  function automatic logic is_one(logic [Lanes-1:0] lanes);
    return (lanes & (lanes - 1'b1)) == '0;
  endfunction

  // The lanes that a beat of a read uses: from its address to the end of its size.
  function automatic logic [Lanes-1:0] lanes_of(byte_t first, logic [2:0] size);
    byte_t last;
    last = first | byte_t'((8'd1 << size) - 8'd1);
    for (int unsigned index = 0; index < Lanes; index++) begin
      lanes_of[index] = byte_t'(4 * index + 3) >= first && byte_t'(4 * index) <= last;
    end
  endfunction

  function automatic address_t next_beat(address_t address, logic [2:0] size);
    return (address | ~({AddressBits{1'b1}} << size)) + 1'b1;
  endfunction

  // The dword of a lane in the beat of an address.
  function automatic dword_t dword_of(dword_t address, lane_t lane);
    return Lanes > 1 ? (address & ~dword_t'(Lanes - 1)) | dword_t'(lane) : address;
  endfunction

  logic write_accessed, read_accessed;

  // -- writes --

  write_e write_d, write_q;
  address_t write_address_q;
  logic [IdBits-1:0] write_id_q;
  logic [2:0] write_size_q;
  logic [Lanes-1:0] strobes, write_lanes_q;
  lane_t write_lane, write_lane_q;
  logic write_lanes_end_q;
  logic [31:0] write_data_q;

  always_comb begin
    for (int unsigned index = 0; index < Lanes; index++) strobes[index] = w_i.strobe[index] == '1;
  end

  assign write_lane = first_of(write_lanes_q);
  assign aw_ready_o = write_q == WriteIdle && !gone_i;
  assign w_ready_o = write_q == WriteTake;
  assign b_valid_o = write_q == WriteDone;
  assign b_id_o = write_id_q;

  always_comb begin
    write_d = write_q;
    unique case (write_q)
      WriteIdle: if (aw_valid_i) write_d = WriteBeat;
      WriteBeat: if (w_valid_i) write_d = strobes != '0 ? WriteLane : WriteTake;
      WriteLane: write_d = WriteAccess;
      WriteAccess: if (write_accessed) write_d = write_lanes_end_q ? WriteTake : WriteLane;
      WriteTake: write_d = w_i.last ? WriteDone : WriteBeat;
      default: if (b_ready_i) write_d = WriteIdle;
    endcase
    if (gone_i && (write_q != WriteAccess || write_accessed)) write_d = WriteIdle;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) write_q <= WriteIdle;
    else write_q <= write_d;
  end

  always_ff @(posedge clk_i) begin
    unique case (write_q)
      WriteIdle: begin
        write_address_q <= aw_i.address;
        write_id_q <= aw_i.id;
        write_size_q <= aw_i.size;
      end
      WriteBeat: write_lanes_q <= strobes;
      WriteLane: begin
        write_lane_q <= write_lane;
        write_lanes_q[write_lane] <= 1'b0;
        write_lanes_end_q <= is_one(write_lanes_q);
        write_data_q <= w_i.data[write_lane];
      end
      WriteTake: write_address_q <= next_beat(write_address_q, write_size_q);
      default: ;
    endcase
  end

  // -- reads --

  read_e read_d, read_q;
  address_t read_address_q;
  logic [IdBits-1:0] read_id_q;
  logic [2:0] read_size_q;
  logic [7:0] left_q;
  logic [Lanes-1:0] read_lanes_q;
  lane_t read_lane, read_lane_q;
  logic read_lanes_end_q;
  logic [Lanes-1:0][31:0] read_data_q;

  assign read_lane = first_of(read_lanes_q);
  assign ar_ready_o = read_q == ReadIdle && write_q == WriteIdle && !gone_i;
  assign r_valid_o = read_q == ReadBeat;
  assign r_o = '{data: read_data_q, id: read_id_q, last: left_q == '0};

  always_comb begin
    read_d = read_q;
    unique case (read_q)
      ReadIdle: if (ar_valid_i && ar_ready_o) read_d = ReadLanes;
      ReadLanes: read_d = ReadLane;
      ReadLane: read_d = ReadAccess;
      ReadAccess: if (read_accessed) read_d = ReadAnswer;
      ReadAnswer: if (answer_valid_i) read_d = read_lanes_end_q ? ReadBeat : ReadLane;
      default: if (r_ready_i) read_d = r_o.last ? ReadIdle : ReadLanes;
    endcase
    if (gone_i && !(read_q inside {ReadAccess, ReadAnswer})) read_d = ReadIdle;
    if (gone_i && read_q == ReadAnswer && answer_valid_i) read_d = ReadIdle;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) read_q <= ReadIdle;
    else read_q <= read_d;
  end

  always_ff @(posedge clk_i) begin
    unique case (read_q)
      ReadIdle: begin
        read_address_q <= ar_i.address;
        read_id_q <= ar_i.id;
        read_size_q <= ar_i.size;
        left_q <= ar_i.length;
      end
      ReadLanes: read_lanes_q <= lanes_of(byte_t'(read_address_q), read_size_q);
      ReadLane: begin
        read_lane_q <= read_lane;
        read_lanes_q[read_lane] <= 1'b0;
        read_lanes_end_q <= is_one(read_lanes_q);
      end
      ReadAnswer: if (answer_valid_i) read_data_q[read_lane_q] <= answer_i;
      ReadBeat: begin
        if (r_ready_i) begin
          read_address_q <= next_beat(read_address_q, read_size_q);
          left_q <= left_q - 1'b1;
        end
      end
      default: ;
    endcase
  end

  // -- accesses: writes first, unless a read is offered already --

  // Both are known a cycle ahead: an access that was not taken goes on, and behind one that was is a cycle without.
  logic valid_q, reads_q, reads_d, reads, writes_next, reads_next, accessed;
  dword_t dword_q;

  assign reads = reads_q;
  assign reads_d = reads_next && ((valid_q && reads_q) || !writes_next);
  assign writes_next = write_q == WriteAccess || (write_q == WriteLane && !gone_i);
  assign reads_next = read_q == ReadAccess || (read_q == ReadLane && !gone_i);
  assign idle_o = write_q == WriteIdle && read_q == ReadIdle && !valid_q;
  assign access_valid_o = valid_q;
  assign access_write_o = !reads;
  assign access_dword_o = dword_q;
  assign access_data_o = write_data_q;
  assign accessed = access_valid_o && access_ready_i;
  assign write_accessed = accessed && !reads;
  assign read_accessed = accessed && reads;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      reads_q <= 1'b0;
    end else begin
      valid_q <= !accessed && (writes_next || reads_next);
      reads_q <= reads_d;
    end
  end

  always_ff @(posedge clk_i) begin
    dword_q <= reads_d
        ? dword_of(read_address_q[AddressBits-1:2], read_q == ReadLane ? read_lane : read_lane_q)
        : dword_of(write_address_q[AddressBits-1:2], write_q == WriteLane ? write_lane : write_lane_q);
  end

  `FM_ASSERT_STREAM_WHILE(u_assert_aw, !gone_i, aw_valid_i, aw_ready_o, aw_i)
  `FM_ASSERT_STREAM_WHILE(u_assert_w, !gone_i, w_valid_i, w_ready_o, w_i)
  `FM_ASSERT_STREAM_WHILE(u_assert_b, !gone_i, b_valid_o, b_ready_i, b_id_o)
  `FM_ASSERT_STREAM_WHILE(u_assert_ar, !gone_i, ar_valid_i, ar_ready_o, ar_i)
  `FM_ASSERT_STREAM_WHILE(u_assert_r, !gone_i, r_valid_o, r_ready_i, r_o)
  `FM_ASSERT_STREAM(u_assert_access, access_valid_o, access_ready_i, {
                 access_write_o, access_dword_o, access_data_o})

endmodule
