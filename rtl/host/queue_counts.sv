// SPDX-License-Identifier: Apache-2.0

// A count for each queue, of what came and has not left.
//
// Contract: `came` adds to a queue's count, `left` takes one off; both may come at once, and for different
// queues. `count_o` is that of `queue_i`. The first Queues cycles after reset set all counts to zero.
// Latency: a count follows in the next cycle.
// Reason: two counts that only grow need no port in common; what is asked for is their difference.
module queue_counts #(
    parameter int unsigned Queues = 17,
    parameter int unsigned Tags   = 256,
    parameter int unsigned Burst  = 4,
    localparam int unsigned QueueBits = $clog2(Queues),
    localparam int unsigned CountBits = $clog2(Burst + 1),
    localparam int unsigned TotalBits = $clog2(Tags + 1)
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 came_valid_i,
    input  logic [QueueBits-1:0] came_queue_i,
    input  logic [CountBits-1:0] came_count_i,
    input  logic                 left_valid_i,
    input  logic [QueueBits-1:0] left_queue_i,
    input  logic [QueueBits-1:0] queue_i,
    output logic [TotalBits-1:0] count_o
);

  typedef logic [QueueBits-1:0] queue_t;
  typedef logic [TotalBits-1:0] total_t;

  logic filling_q;
  queue_t fill_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      filling_q <= 1'b1;
      fill_q <= '0;
    end else if (filling_q) begin
      filling_q <= fill_q != queue_t'(Queues - 1);
      fill_q <= fill_q + 1'b1;
    end
  end

  // What came, and what left: for each a copy that counts and one that tells.
  logic [1:0] moves;
  queue_t [1:0] moved;
  total_t [1:0] step, total, told;

  assign moves = {left_valid_i, came_valid_i};
  assign moved = {left_queue_i, came_queue_i};
  assign step = {total_t'(1), total_t'(came_count_i)};
  assign count_o = told[0] - told[1];

  for (genvar side = 0; side < 2; side++) begin : gen_side
    queue_t address;
    total_t written;

    assign address = filling_q ? fill_q : moved[side];
    assign written = filling_q ? '0 : total[side] + step[side];

    fm_ram_lut #(
        .Width(TotalBits),
        .Depth(Queues)
    ) u_counts (
        .clk_i,
        .write_i(filling_q || moves[side]),
        .write_address_i(address),
        .write_data_i(written),
        .read_address_i(address),
        .read_data_o(total[side])
    );

    fm_ram_lut #(
        .Width(TotalBits),
        .Depth(Queues)
    ) u_told (
        .clk_i,
        .write_i(filling_q || moves[side]),
        .write_address_i(address),
        .write_data_i(written),
        .read_address_i(queue_i),
        .read_data_o(told[side])
    );
  end

endmodule
