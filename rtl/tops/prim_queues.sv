// SPDX-License-Identifier: Apache-2.0

// Test top: the queues of rtl/prim in the shapes that differ, side by side. The test knows the
// lanes by their numbers (bodies/rtl-sim/tests/queues.rs).
module prim_queues #(
    localparam int unsigned Lanes = 7,
    localparam int unsigned Width = 16
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    input  logic [Lanes-1:0]            in_valid_i,
    output logic [Lanes-1:0]            in_ready_o,
    input  logic [Lanes-1:0][Width-1:0] in_data_i,
    output logic [Lanes-1:0]            out_valid_o,
    input  logic [Lanes-1:0]            out_ready_i,
    output logic [Lanes-1:0][Width-1:0] out_data_o,
    output logic [Lanes-1:0][      4:0] level_o
);

  localparam int unsigned FifoDepths[4] = '{1, 2, 5, 16};
  localparam int unsigned BlockDepths[2] = '{2, 64};

  for (genvar i = 0; i < 4; i++) begin : gen_fifo
    localparam int unsigned Depth = FifoDepths[i];
    logic [$clog2(Depth+1)-1:0] level;
    assign level_o[i] = 5'(level);

    fm_fifo #(
        .Width(Width),
        .Depth(Depth)
    ) u_fifo (
        .clk_i,
        .rst_ni,
        .in_valid_i(in_valid_i[i]),
        .in_ready_o(in_ready_o[i]),
        .in_data_i(in_data_i[i]),
        .out_valid_o(out_valid_o[i]),
        .out_ready_i(out_ready_i[i]),
        .out_data_o(out_data_o[i]),
        .level_o(level)
    );
  end

  for (genvar i = 0; i < 2; i++) begin : gen_block
    assign level_o[4+i] = '0;

    fm_fifo_block #(
        .Width(Width),
        .Depth(BlockDepths[i])
    ) u_fifo (
        .clk_i,
        .rst_ni,
        .in_valid_i(in_valid_i[4+i]),
        .in_ready_o(in_ready_o[4+i]),
        .in_data_i(in_data_i[4+i]),
        .out_valid_o(out_valid_o[4+i]),
        .out_ready_i(out_ready_i[4+i]),
        .out_data_o(out_data_o[4+i])
    );
  end

  assign level_o[6] = '0;

  fm_skid_buffer #(
      .Width(Width)
  ) u_skid (
      .clk_i,
      .rst_ni,
      .in_valid_i(in_valid_i[6]),
      .in_ready_o(in_ready_o[6]),
      .in_data_i(in_data_i[6]),
      .out_valid_o(out_valid_o[6]),
      .out_ready_i(out_ready_i[6]),
      .out_data_o(out_data_o[6])
  );

endmodule
