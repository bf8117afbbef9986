`include "prim_assert.svh"

// AXI4 subordinate of a BAR: takes bursts apart into accesses of a dword.
//
// Contract: a write accesses each dword whose four strobes are up, from the lowest lane to the highest;
// other strobes are ignored, since the specification allows no narrower writes. A read accesses each
// dword of the lanes that its beats use. All bursts are taken as incrementing; every answer is OKAY.
// Addresses wrap at 2^AddressBits. One burst is served at a time, reads and writes in turn, so accesses
// come in the order in which the bursts were accepted.
// Latency: three cycles from a beat to its first access; two cycles for a dword written, three and the
// answer's for one read.
// Reason: registers are few and slow to reach. One dword a time leaves one path to each of them, for
// any width of the bridge in front. A beat of writes stays with the bridge until it is done. An access
// waits in registers, since finding its lane takes a cycle by itself.
module bar_access #(
    parameter int unsigned DataBits    = 256,
    parameter int unsigned AddressBits = 14,
    parameter int unsigned IdBits      = 4,
    localparam int unsigned Lanes = DataBits / 32
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   aw_valid_i,
    output logic                   aw_ready_o,
    input  logic [AddressBits-1:0] aw_address_i,
    input  logic [     IdBits-1:0] aw_id_i,
    input  logic [            2:0] aw_size_i,
    input  logic                   w_valid_i,
    output logic                   w_ready_o,
    input  logic [Lanes-1:0][31:0] w_data_i,
    input  logic  [Lanes-1:0][3:0] w_strobe_i,
    input  logic                   w_last_i,
    output logic                   b_valid_o,
    input  logic                   b_ready_i,
    output logic [     IdBits-1:0] b_id_o,
    input  logic                   ar_valid_i,
    output logic                   ar_ready_o,
    input  logic [AddressBits-1:0] ar_address_i,
    input  logic [     IdBits-1:0] ar_id_i,
    input  logic [            7:0] ar_length_i,
    input  logic [            2:0] ar_size_i,
    output logic                   r_valid_o,
    input  logic                   r_ready_i,
    output logic [Lanes-1:0][31:0] r_data_o,
    output logic [     IdBits-1:0] r_id_o,
    output logic                   r_last_o,
    output logic                   access_valid_o,
    input  logic                   access_ready_i,
    output logic                   access_write_o,
    output logic [AddressBits-1:2] access_dword_o,
    output logic [           31:0] access_data_o,
    input  logic                   answer_valid_i,
    input  logic [           31:0] answer_i
);

  `REQUIRE(gen_data_bits, DataBits >= 32 && DataBits <= 1024 && 2 ** $clog2(DataBits) == DataBits,
           "bar_access: DataBits is not a power of two from 32 to 1024")

  localparam int unsigned LaneBits = Lanes > 1 ? $clog2(Lanes) : 1;
  localparam int unsigned BeatBytesBits = $clog2(DataBits / 8);

  typedef logic [AddressBits-1:0] address_t;
  typedef logic [LaneBits-1:0] lane_t;
  // A byte of a beat.
  typedef logic [BeatBytesBits-1:0] byte_t;

  typedef enum logic [3:0] {
    Idle,
    WriteBeat,    // waits for a beat
    WriteLane,    // finds its next dword
    WriteAccess,  // writes it
    WriteTake,    // takes the beat
    WriteDone,    // answers
    ReadLanes,    // which lanes a beat uses
    ReadLane,     // finds the next dword
    ReadAccess,   // asks for it
    ReadAnswer,   // waits for it
    ReadBeat      // gives a beat
  } state_e;

  state_e state_d, state_q;
  logic reads_next_q, takes_write, takes_read, lane_ends_q;
  address_t address_q, next_address;
  logic [IdBits-1:0] id_q;
  logic [7:0] left_q;
  logic [2:0] size_q;
  logic [Lanes-1:0][31:0] data_q;
  logic [Lanes-1:0] strobes, lanes_q;
  lane_t lane, lane_q;
  logic [31:0] access_data_q;

  // The first dword of the beat that is left.
  always_comb begin
    lane = '0;
    for (int unsigned index = Lanes; index > 0; index--) begin
      if (lanes_q[index-1]) lane = lane_t'(index - 1);
    end
    for (int unsigned index = 0; index < Lanes; index++) begin
      strobes[index] = w_strobe_i[index] == '1;
    end
  end

  // The lanes that a beat of a read uses: from its address to the end of its size.
  function automatic logic [Lanes-1:0] lanes_of(byte_t first, logic [2:0] size);
    byte_t last;
    last = first | byte_t'((8'd1 << size) - 8'd1);
    for (int unsigned index = 0; index < Lanes; index++) begin
      lanes_of[index] = byte_t'(4 * index + 3) >= first && byte_t'(4 * index) <= last;
    end
  endfunction

  assign next_address = (address_q | ~({AddressBits{1'b1}} << size_q)) + 1'b1;

  assign takes_write = state_q == Idle && aw_valid_i && !(reads_next_q && ar_valid_i);
  assign takes_read = state_q == Idle && ar_valid_i && !takes_write;
  assign aw_ready_o = takes_write;
  assign ar_ready_o = takes_read;
  assign w_ready_o = state_q == WriteTake;
  assign b_valid_o = state_q == WriteDone;
  assign b_id_o = id_q;
  assign r_valid_o = state_q == ReadBeat;
  assign r_id_o = id_q;
  assign r_data_o = data_q;
  assign r_last_o = left_q == '0;
  assign access_valid_o = state_q == WriteAccess || state_q == ReadAccess;
  assign access_write_o = state_q == WriteAccess;
  assign access_data_o = access_data_q;

  if (Lanes > 1) begin : gen_dword
    assign access_dword_o = {address_q[AddressBits-1:BeatBytesBits], lane_q};
  end else begin : gen_dword
    assign access_dword_o = address_q[AddressBits-1:2];
  end

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle: begin
        if (takes_write) state_d = WriteBeat;
        else if (takes_read) state_d = ReadLanes;
      end
      WriteBeat: if (w_valid_i) state_d = strobes != '0 ? WriteLane : WriteTake;
      WriteLane: state_d = WriteAccess;
      WriteAccess: if (access_ready_i) state_d = lane_ends_q ? WriteTake : WriteLane;
      WriteTake: state_d = w_last_i ? WriteDone : WriteBeat;
      WriteDone: if (b_ready_i) state_d = Idle;
      ReadLanes: state_d = ReadLane;
      ReadLane: state_d = ReadAccess;
      ReadAccess: if (access_ready_i) state_d = ReadAnswer;
      ReadAnswer: if (answer_valid_i) state_d = lane_ends_q ? ReadBeat : ReadLane;
      default: if (r_ready_i) state_d = r_last_o ? Idle : ReadLanes;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      reads_next_q <= 1'b0;
    end else begin
      state_q <= state_d;
      if (takes_write || takes_read) reads_next_q <= takes_write;
    end
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: begin
        address_q <= takes_write ? aw_address_i : ar_address_i;
        id_q <= takes_write ? aw_id_i : ar_id_i;
        size_q <= takes_write ? aw_size_i : ar_size_i;
        left_q <= ar_length_i;
      end
      WriteBeat: lanes_q <= strobes;
      WriteLane, ReadLane: begin
        lane_q <= lane;
        lanes_q[lane] <= 1'b0;
        lane_ends_q <= (lanes_q & (lanes_q - 1'b1)) == '0;
      end
      WriteTake: address_q <= next_address;
      ReadLanes: lanes_q <= lanes_of(byte_t'(address_q), size_q);
      ReadAnswer: if (answer_valid_i) data_q[lane_q] <= answer_i;
      ReadBeat: begin
        if (r_ready_i) begin
          address_q <= next_address;
          left_q <= left_q - 1'b1;
        end
      end
      default: ;
    endcase
    if (state_q == WriteLane) access_data_q <= w_data_i[lane];
  end

  `ASSERT_STREAM(u_assert_aw, aw_valid_i, aw_ready_o, {aw_address_i, aw_id_i, aw_size_i})
  `ASSERT_STREAM(u_assert_w, w_valid_i, w_ready_o, {w_data_i, w_strobe_i, w_last_i})
  `ASSERT_STREAM(u_assert_b, b_valid_o, b_ready_i, b_id_o)
  `ASSERT_STREAM(u_assert_ar, ar_valid_i, ar_ready_o, {
                 ar_address_i, ar_id_i, ar_length_i, ar_size_i})
  `ASSERT_STREAM(u_assert_r, r_valid_o, r_ready_i, {r_data_o, r_id_o, r_last_o})
  `ASSERT_STREAM(u_assert_access, access_valid_o, access_ready_i, {
                 access_write_o, access_dword_o, access_data_o})

endmodule
