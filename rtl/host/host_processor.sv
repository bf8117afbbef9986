// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// What the processor sees of the host interface. docs/spec/host-registers.md has the map.
//
// Contract: AXI4-Lite as in `host_register_block`. Only reads of commands wait, for `store`; nothing that
// is written waits for anything: what finds no room is dropped and told as an interrupt. Events are taken
// by their read. `done` are the ends of requests of this processor alone. `store_data_i` comes in the cycle
// after its `store` was taken.
// Latency: two cycles from a write to what it starts, three to completions and DMA requests.
// Reason: composition, and the choices of the registers under their names.
module host_processor
  import fm_host_pkg::*;
  import fm_host_register_block_pkg::*;
#(
    parameter int unsigned DataBits    = 256,
    parameter int unsigned Memories    = 1,
    parameter int unsigned Queues      = 17,
    parameter logic [15:0] LargestSize = 16'd1023,
    parameter int unsigned Tags        = 256,
    // There is an engine that runs commands.
    parameter bit          Automated   = 1'b1,
    localparam int unsigned QueueBits = $clog2(Queues),
    localparam int unsigned TagBits = $clog2(Tags)
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    // AXI4-Lite.
    input  logic                    aw_valid_i,
    output logic                    aw_ready_o,
    input  logic [14:0]             aw_addr_i,
    input  logic                    w_valid_i,
    output logic                    w_ready_o,
    input  fm_axi_pkg::lite_write_t w_i,
    output logic                    b_valid_o,
    input  logic                    b_ready_i,
    output fm_axi_pkg::response_e   b_resp_o,
    input  logic                    ar_valid_i,
    output logic                    ar_ready_o,
    input  logic [14:0]             ar_addr_i,
    output logic                    r_valid_o,
    input  logic                    r_ready_i,
    output fm_axi_pkg::lite_read_t  r_o,
    output logic                    irq_o,
    // Control.
    input  logic                    event_valid_i,
    output logic                    event_ready_o,
    input  event_t                  event_i,
    output logic                    completion_valid_o,
    input  logic                    completion_ready_i,
    output completion_t             completion_o,
    output logic                    submission_queue_valid_o,
    input  logic                    submission_queue_ready_i,
    output submission_queue_t       submission_queue_o,
    output logic                    completion_queue_valid_o,
    input  logic                    completion_queue_ready_i,
    output completion_queue_t       completion_queue_o,
    output logic                    ready_valid_o,
    output logic                    ready_o,
    output logic                    shutdown_done_o,
    output logic                    fatal_o,
    output logic                    weights_valid_o,
    output weights_t                weights_o,
    output logic                    coalescing_valid_o,
    output coalescing_t             coalescing_o,
    output logic                    forbid_valid_o,
    output logic [10:0]             forbid_vector_o,
    output logic                    forbid_o,
    output logic [QueueBits-1:0]    unread_queue_o,
    input  logic [TagBits:0]        unread_count_i,
    input  logic [TagBits:0]        running_count_i,
    output logic                    store_valid_o,
    input  logic                    store_ready_i,
    output logic [TagBits-1:0]      store_tag_o,
    output logic                    store_half_o,
    input  logic [255:0]            store_data_i,
    input  logic                    fetched_valid_i,
    input  logic [TagBits-1:0]      fetched_tag_i,
    // DMA.
    output logic                    request_valid_o,
    input  logic                    request_ready_i,
    output dma_request_t            request_o,
    input  logic                    done_valid_i,
    output logic                    done_ready_o,
    input  dma_done_t               done_i,
    // Commands that run by themselves.
    output logic                    automated_o,
    output logic [63:0]             blocks_o,
    output logic [16:0]             transfer_blocks_o,
    output logic [3:0]              block_shift_o,
    output logic [39:0]             memory_base_o,
    // Monitors.
    output logic                    capture_o,
    input  logic                    monitor_busy_i,
    output logic [5:0]              monitor_word_o,
    input  logic [31:0]             monitor_data_i
);

  status_t status;
  control_t control;
  logic event_read, completion_written, dma_written, submission_written, completion_queue_written;
  logic commands_read, commands_ready;
  logic [7:0] faults_word;
  logic [11:0] commands_word;
  logic [31:0] commands_data;
  dma_fault_e fault;

  host_register_block u_block (
      .clk_i,
      .rst_ni,
      .aw_valid_i,
      .aw_ready_o,
      .aw_addr_i,
      .w_valid_i,
      .w_ready_o,
      .w_i,
      .b_valid_o,
      .b_ready_i,
      .b_resp_o,
      .ar_valid_i,
      .ar_ready_o,
      .ar_addr_i,
      .r_valid_o,
      .r_ready_i,
      .r_o,
      .status_i(status),
      .control_o(control),
      .host_event_read_o(event_read),
      .completion_written_o(completion_written),
      .dma_written_o(dma_written),
      .submission_queue_written_o(submission_written),
      .completion_queue_written_o(completion_queue_written),
      .ready_written_o(ready_valid_o),
      .weights_written_o(weights_valid_o),
      .coalescing_written_o(coalescing_valid_o),
      .vector_coalescing_written_o(forbid_valid_o),
      .monitors_read_word_o(monitor_word_o),
      .monitors_data_i(monitor_data_i),
      .faults_read_word_o(faults_word),
      .faults_data_i(32'(fault)),
      .commands_read_o(commands_read),
      .commands_ready_i(commands_ready),
      .commands_read_word_o(commands_word),
      .commands_data_i(commands_data)
  );

  processor_commands #(
      .Tags(Tags)
  ) u_commands (
      .clk_i,
      .rst_ni,
      .read_i(commands_read),
      .word_i(commands_word),
      .ready_o(commands_ready),
      .data_o(commands_data),
      .store_valid_o,
      .store_ready_i,
      .store_tag_o,
      .store_half_o,
      .store_data_i
  );

  completion_t completion;
  logic completion_dropped;
  logic [7:0] completion_room;

  assign completion = '{
          tag: control.completion.tag,
          status: control.completion.status,
          result: control.completion_result.result
      };

  processor_outbox #(
      .Width($bits(completion_t))
  ) u_completions (
      .clk_i,
      .rst_ni,
      .written_i(completion_written),
      .data_i(completion),
      .room_o(completion_room),
      .dropped_o(completion_dropped),
      .out_valid_o(completion_valid_o),
      .out_ready_i(completion_ready_i),
      .out_data_o(completion_o)
  );

  // Lengths and offsets are below 16 MiB, so their high bytes are zero and take no room.
  typedef struct packed {
    tag_t        tag;
    direction_e  direction;
    logic [23:0] host_offset;
    logic [23:0] length;
    logic [23:0] command_length;
    logic [39:0] memory;
  } short_request_t;

  short_request_t written_request, oldest_request;
  logic dma_dropped;
  logic [7:0] dma_room;

  assign written_request = '{
          tag: control.dma.tag,
          direction: direction_e'(control.dma.to_host),
          host_offset: control.dma_host_offset.bytes,
          length: control.dma_length.bytes,
          command_length: control.dma_command_length.bytes,
          memory: {control.dma_memory_high.address, control.dma_memory_low.address}
      };
  assign request_o = '{
          tag: oldest_request.tag,
          direction: oldest_request.direction,
          host_offset: 32'(oldest_request.host_offset),
          length: 32'(oldest_request.length),
          command_length: 32'(oldest_request.command_length),
          memory: oldest_request.memory
      };

  processor_outbox #(
      .Width($bits(short_request_t))
  ) u_requests (
      .clk_i,
      .rst_ni,
      .written_i(dma_written),
      .data_i(written_request),
      .room_o(dma_room),
      .dropped_o(dma_dropped),
      .out_valid_o(request_valid_o),
      .out_ready_i(request_ready_i),
      .out_data_o({oldest_request})
  );

  logic dma_ended, any_fault;
  logic [14:0] from_host, to_host;

  processor_faults #(
      .Tags(Tags)
  ) u_faults (
      .clk_i,
      .rst_ni,
      .fetched_valid_i,
      .fetched_tag_i,
      .done_valid_i,
      .done_ready_o,
      .done_i,
      .ended_o(dma_ended),
      .from_host_o(from_host),
      .to_host_o(to_host),
      .any_o(any_fault),
      .tag_i(faults_word[TagBits-1:0]),
      .fault_o(fault)
  );

  logic queue_busy, queue_dropped;

  processor_queues u_queues (
      .clk_i,
      .rst_ni,
      .control_i(control),
      .submission_written_i(submission_written),
      .completion_written_i(completion_queue_written),
      .busy_o(queue_busy),
      .dropped_o(queue_dropped),
      .submission_queue_valid_o,
      .submission_queue_ready_i,
      .submission_queue_o,
      .completion_queue_valid_o,
      .completion_queue_ready_i,
      .completion_queue_o
  );

  assign event_ready_o = event_read;

  always_comb begin
    status = '0;
    status.sizes.tags = 9'(Tags);
    status.sizes.automated = Automated;
    status.sizes.memories = 4'(Memories);
    status.sizes.bytes = 7'(DataBits / 8);
    status.queues.pairs = 16'(Queues);
    status.queues.largest_size = LargestSize;
    status.status.event_waits = event_valid_i;
    status.status.queue_busy = queue_busy;
    status.status.completion_room = completion_room;
    status.status.dma_room = dma_room;
    status.host_event.valid = event_valid_i;
    status.host_event.kind = event_i.kind;
    status.host_event.tag = event_i.kind == EventDoorbell ? event_i.code : event_i.tag;
    status.host_event.id = event_i.id;
    status.dma_progress.from_host = from_host;
    status.dma_progress.to_host = to_host;
    status.dma_progress.fault = any_fault;
    status.interrupt_status.event_waits = event_valid_i;
    status.interrupt_status.dma_ended = dma_ended;
    status.interrupt_status.completion_dropped = completion_dropped;
    status.interrupt_status.dma_dropped = dma_dropped;
    status.interrupt_status.queue_dropped = queue_dropped;
    status.queue_commands.unread = 9'(unread_count_i);
    status.queue_commands.running = 9'(running_count_i);
    status.monitor.busy = monitor_busy_i;
  end

  logic irq_q;
  assign irq_o = irq_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      irq_q <= 1'b0;
    end else begin
      irq_q <= ({control.interrupt_status, event_valid_i} & control.interrupt_enable) != '0;
    end
  end

  assign ready_o = control.ready.ready;
  assign shutdown_done_o = control.controller.shutdown_done;
  assign fatal_o = control.controller.fatal;
  assign weights_o = '{
          burst: control.weights.burst,
          low_weight: control.weights.low_weight,
          medium_weight: control.weights.medium_weight,
          high_weight: control.weights.high_weight
      };
  assign coalescing_o = '{
          threshold: control.coalescing.threshold,
          time_100us: control.coalescing.time_100us
      };
  assign forbid_vector_o = control.vector_coalescing.vector;
  assign forbid_o = control.vector_coalescing.forbid;
  assign unread_queue_o = control.counted_queue.id[QueueBits-1:0];
  assign automated_o = Automated && control.automation.enable;
  assign blocks_o = {control.blocks_high.blocks, control.blocks_low.blocks};
  assign transfer_blocks_o = control.transfer_blocks.blocks;
  assign block_shift_o = control.automation.block_shift;
  assign memory_base_o = {control.memory_base_high.address, control.memory_base_low.address};
  assign capture_o = control.monitor.capture;

  `FM_ASSERT_STREAM(u_assert_event, event_valid_i, event_ready_o, event_i)

endmodule
