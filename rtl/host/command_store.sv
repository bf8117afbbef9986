// SPDX-License-Identifier: Apache-2.0

// The entries of all commands that are not complete, by tag.
//
// Contract: `write` puts a beat of an entry in its place, `write_beat_i` counting from its low bytes.
// `read` gives half an entry, the low one first, in the next cycle and until the next read. Not reset.
// Latency: one cycle.
// Reason: an entry stays until its tag is free, so that checks, the processor and DMA each read what
// they need when they need it, and nothing carries 64 bytes along.
module command_store #(
    parameter int unsigned DataBits = 256,
    parameter int unsigned Tags     = 256,
    localparam int unsigned EntryBits = 512,
    localparam int unsigned HalfBits = 256,
    localparam int unsigned TagBits = $clog2(Tags)
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                write_i,
    input  logic [ TagBits-1:0] write_tag_i,
    input  logic [         2:0] write_beat_i,
    input  logic [DataBits-1:0] write_data_i,
    input  logic                read_i,
    input  logic [ TagBits-1:0] read_tag_i,
    input  logic                read_half_i,
    output logic [HalfBits-1:0] read_data_o
);

  if (DataBits inside {64, 128, HalfBits}) begin : gen_halves
    // A memory for each beat of a half.
    localparam int unsigned Beats = HalfBits / DataBits;
    localparam int unsigned BeatBits = $clog2(Beats);
    logic unused_beat;

    assign unused_beat = ^write_beat_i;

    for (genvar beat = 0; beat < Beats; beat++) begin : gen_beat
      fm_ram_block #(
          .Width(DataBits),
          .Depth(2 * Tags)
      ) u_ram (
          .clk_i,
          .rst_ni,
          .write_i(write_i && (write_beat_i & 3'(Beats - 1)) == 3'(beat)),
          .write_address_i({write_tag_i, write_beat_i[BeatBits]}),
          .write_data_i,
          .read_i,
          .read_address_i({read_tag_i, read_half_i}),
          .read_data_o(read_data_o[beat*DataBits+:DataBits])
      );
    end
  end else if (DataBits == EntryBits) begin : gen_whole
    logic half_q;
    logic [1:0][HalfBits-1:0] words;
    logic unused_beat;

    assign unused_beat = ^write_beat_i;
    assign read_data_o = words[half_q];

    always_ff @(posedge clk_i) begin
      if (read_i) half_q <= read_half_i;
    end

    for (genvar half = 0; half < 2; half++) begin : gen_half
      fm_ram_block #(
          .Width(HalfBits),
          .Depth(Tags)
      ) u_ram (
          .clk_i,
          .rst_ni,
          .write_i,
          .write_address_i(write_tag_i),
          .write_data_i(write_data_i[half*HalfBits+:HalfBits]),
          .read_i,
          .read_address_i(read_tag_i),
          .read_data_o(words[half])
      );
    end
  end else begin : gen_data_bits
    $fatal(1, "command_store: DataBits is none of 64, 128, 256 and 512");
  end

endmodule
