// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// How DMA requests of the processor ended: how many, and what was wrong with those of a tag.
//
// Contract: `done` counts by direction, modulo 2^15. The first fault of a tag stays until the tag is
// fetched again; `any_o` is up while some tag has one. `fault_o` is that of `tag_i`. A count and the
// fault that belongs to it show in the same cycle.
// Latency: one cycle. Nothing is taken in the first 256 cycles, in which all faults are cleared, nor
// while a tag is fetched.
// Reason: a fault stays with its tag, so the processor looks for it only when one of its requests ends,
// and only if there is any.
module processor_faults
  import fm_host_pkg::*;
#(
    parameter int unsigned Tags = 256,
    localparam int unsigned TagBits = $clog2(Tags)
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic                     fetched_valid_i,
    input  logic       [TagBits-1:0] fetched_tag_i,
    input  logic                     done_valid_i,
    output logic                     done_ready_o,
    input  dma_done_t                done_i,
    output logic                     ended_o,
    output logic       [       14:0] from_host_o,
    output logic       [       14:0] to_host_o,
    output logic                     any_o,
    input  logic       [TagBits-1:0] tag_i,
    output dma_fault_e               fault_o
);

  logic filling_q;
  logic [TagBits-1:0] fill_q, address;
  logic clears, fails, had_fault;
  dma_fault_e written;
  logic [$bits(dma_fault_e)-1:0] fault;
  logic [TagBits:0] faulty_q;
  logic [14:0] from_host_q, to_host_q;

  // The tags of the interface have the bits that they need.
  logic unused;
  assign unused = ^done_i.tag;

  assign done_ready_o = !filling_q && !fetched_valid_i;
  assign ended_o = done_valid_i && done_ready_o;
  assign clears = filling_q || fetched_valid_i;
  assign fails = ended_o && done_i.fault != DmaNone && !had_fault;
  assign written = clears ? DmaNone : done_i.fault;
  assign from_host_o = from_host_q;
  assign to_host_o = to_host_q;
  assign fault_o = filling_q ? DmaNone : dma_fault_e'(fault);
  assign any_o = faulty_q != '0;

  always_comb begin
    address = done_i.tag[TagBits-1:0];
    if (fetched_valid_i) address = fetched_tag_i;
    if (filling_q) address = fill_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      filling_q <= 1'b1;
      fill_q <= '0;
      faulty_q <= '0;
      from_host_q <= '0;
      to_host_q <= '0;
    end else begin
      if (filling_q) begin
        filling_q <= fill_q != TagBits'(Tags - 1);
        fill_q <= fill_q + 1'b1;
      end
      if (fails) faulty_q <= faulty_q + 1'b1;
      else if (!filling_q && fetched_valid_i && had_fault) faulty_q <= faulty_q - 1'b1;
      if (ended_o && done_i.direction == FromHost) from_host_q <= from_host_q + 1'b1;
      if (ended_o && done_i.direction == ToHost) to_host_q <= to_host_q + 1'b1;
    end
  end

  fm_ram_lut #(
      .Width($bits(dma_fault_e)),
      .Depth(Tags)
  ) u_faults (
      .clk_i,
      .write_i(clears || fails),
      .write_address_i(address),
      .write_data_i(written),
      .read_address_i(tag_i),
      .read_data_o(fault)
  );

  fm_ram_lut #(
      .Width(1),
      .Depth(Tags)
  ) u_faulty (
      .clk_i,
      .write_i(clears || fails),
      .write_address_i(address),
      .write_data_i(!clears),
      .read_address_i(address),
      .read_data_o(had_fault)
  );

  `FM_ASSERT_STREAM(u_assert_done, done_valid_i, done_ready_o, done_i)

endmodule
