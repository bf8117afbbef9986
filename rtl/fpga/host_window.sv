// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"
`include "fm_axi.svh"

// A host's memory in block RAM, for a computer that has none that the controller reaches.
//
// Contract: an AXI4 subordinate with the bytes from `Base` on; bursts that begin elsewhere are answered with DecodeError, and write
// nothing. A burst of each direction at a time. The computer's words go in between: `done_o` is up for a cycle with
// each. `changed_o` has a bit for each Bytes/64 bytes that a burst has written; those of `clear_i` fall, unless they rise. After a reset and an
// order of `zero_i` all of it becomes zero, a row a cycle, while all others wait.
// Latency: two cycles a beat that is read, one that is written.
// Reason: who looks over a slow line has to know what has changed.
module host_window #(
    parameter int unsigned DataBits = 256,
    parameter int unsigned Bytes    = 32768,
    parameter logic [63:0] Base     = 64'h1_0000_0000,
    localparam int unsigned Lanes = DataBits / 32,
    localparam int unsigned WordBits = $clog2(Bytes / 4),
    localparam type r_beat_t = `FM_AXI_R(DataBits),
    localparam type w_beat_t = `FM_AXI_W(DataBits)
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  logic                  ar_valid_i,
    output logic                  ar_ready_o,
    input  fm_axi_pkg::burst_t    ar_i,
    output logic                  r_valid_o,
    input  logic                  r_ready_i,
    output fm_axi_pkg::id_t       r_id_o,
    output r_beat_t               r_o,
    input  logic                  aw_valid_i,
    output logic                  aw_ready_o,
    input  fm_axi_pkg::burst_t    aw_i,
    input  logic                  w_valid_i,
    output logic                  w_ready_o,
    input  w_beat_t               w_i,
    output logic                  b_valid_o,
    input  logic                  b_ready_i,
    output fm_axi_pkg::id_t       b_id_o,
    output fm_axi_pkg::response_e b_response_o,
    // The computer.
    input  logic                  valid_i,
    input  logic                  write_i,
    input  logic [WordBits-1:0]   place_i,
    input  logic [31:0]           data_i,
    output logic                  done_o,
    output logic [31:0]           data_o,
    output logic [63:0]           changed_o,
    input  logic [63:0]           clear_i,
    input  logic                  zero_i
);

  localparam int unsigned LaneBits = $clog2(Lanes);
  localparam int unsigned RowBits = WordBits - LaneBits;
  localparam int unsigned Rows = Bytes / 4 / Lanes;
  // Rows of a bit of `changed_o`.
  localparam int unsigned ChangeShift = RowBits - 6;

  typedef enum logic [1:0] {
    Address,
    Data,
    Answer
  } state_e;

  typedef struct packed {
    fm_axi_pkg::id_t    id;
    logic [RowBits-1:0] row;
    logic [7:0]         left;
    logic               is_inside;
  } burst_t;

  function automatic burst_t burst_of(fm_axi_pkg::burst_t burst);
    return '{
        id: burst.id,
        row: burst.address[WordBits+1:LaneBits+2],
        left: burst.length,
        is_inside: (burst.address & ~64'(Bytes - 1)) == Base
    };
  endfunction

  state_e read_q, write_q;
  burst_t reads_q, writes_q;
  // The maker of a write's beats tells which is the last.
  logic unused;

  assign unused = ^writes_q.left;
  logic burst_reads, burst_writes, word_reads, word_writes, word_read_q, writes;
  logic [Lanes-1:0] strobe;
  logic [Lanes-1:0][31:0] row, written;
  logic [RowBits-1:0] read_row, write_row;
  logic [LaneBits-1:0] lane;
  logic [63:0] changed_q, changes;
  // Rows that become zero, counted down, and one cycle more.
  logic zeros_q;
  logic [RowBits-1:0] zero_q;

  // Bursts read.
  assign ar_ready_o = read_q == Address && !zeros_q;
  assign r_valid_o = read_q == Answer;
  assign r_id_o = reads_q.id;
  assign r_o = '{
      data: row,
      response: reads_q.is_inside ? fm_axi_pkg::Okay : fm_axi_pkg::DecodeError,
      last: reads_q.left == '0
  };
  assign burst_reads = read_q == Data && !zeros_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_q <= Address;
    end else begin
      unique case (read_q)
        Address: if (ar_valid_i && ar_ready_o) read_q <= Data;
        Data:    if (burst_reads) read_q <= Answer;
        Answer:  if (r_ready_i) read_q <= reads_q.left == '0 ? Address : Data;
        default: ;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (ar_ready_o) begin
      reads_q <= burst_of(ar_i);
    end else if (r_valid_o && r_ready_i) begin
      reads_q.row <= reads_q.row + 1'b1;
      reads_q.left <= reads_q.left - 1'b1;
    end
  end

  // Bursts write.
  assign aw_ready_o = write_q == Address && !zeros_q;
  assign w_ready_o = write_q == Data && !zeros_q;
  assign b_valid_o = write_q == Answer;
  assign b_id_o = writes_q.id;
  assign b_response_o = writes_q.is_inside ? fm_axi_pkg::Okay : fm_axi_pkg::DecodeError;
  assign burst_writes = w_valid_i && w_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= Address;
    end else begin
      unique case (write_q)
        Address: if (aw_valid_i && aw_ready_o) write_q <= Data;
        Data:    if (burst_writes && w_i.last) write_q <= Answer;
        Answer:  if (b_ready_i) write_q <= Address;
        default: ;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (aw_ready_o) writes_q <= burst_of(aw_i);
    else if (burst_writes) writes_q.row <= writes_q.row + 1'b1;
  end

  // Words of the computer, in cycles in which no burst has the memory. A row that a burst has read stays until it is taken.
  assign lane = place_i[LaneBits-1:0];
  assign word_reads = valid_i && !write_i && read_q == Address && !word_read_q && !burst_writes && !zeros_q;
  assign word_writes = valid_i && write_i && !burst_writes && !burst_reads && !zeros_q;
  assign done_o = word_read_q || word_writes;
  assign data_o = row[lane];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) word_read_q <= 1'b0;
    else word_read_q <= word_reads;
  end

  assign writes = (burst_writes && writes_q.is_inside) || word_writes || zeros_q;
  always_comb begin
    write_row = burst_writes ? writes_q.row : place_i[WordBits-1:LaneBits];
    strobe = burst_writes ? w_i.strobe : Lanes'(1) << lane;
    written = burst_writes ? w_i.data : {Lanes{data_i}};
    if (zeros_q) begin
      write_row = zero_q;
      strobe = '1;
      written = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      zeros_q <= 1'b1;
      zero_q <= '0;
    end else begin
      zero_q <= zeros_q ? zero_q + 1'b1 : '0;
      if (zero_i) zeros_q <= 1'b1;
      else if (zero_q == '1) zeros_q <= 1'b0;
    end
  end

  assign read_row = burst_reads ? reads_q.row : place_i[WordBits-1:LaneBits];

  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    fm_ram_block #(
        .Width(32),
        .Depth(Rows)
    ) u_ram (
        .clk_i,
        .rst_ni,
        .write_i(writes && strobe[i]),
        .write_address_i(write_row),
        .write_data_i(written[i]),
        .read_i(burst_reads || word_reads),
        .read_address_i(read_row),
        .read_data_o(row[i])
    );
  end

  assign changes = burst_writes && writes_q.is_inside && w_i.strobe != '0 ?
      64'd1 << (writes_q.row >> ChangeShift) : '0;
  assign changed_o = changed_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) changed_q <= '0;
    else changed_q <= (changed_q & ~clear_i) | changes;
  end

  `FM_ASSERT_STREAM(u_assert_r, r_valid_o, r_ready_i, {r_id_o, r_o})

endmodule
