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
    // It counts; otherwise all counters are 0.
    parameter bit          Monitored   = 1'b1,
    // Commands may name lists of logical blocks, and completions have a dword 1.
    parameter bit          Placed      = 1'b0,
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
    output settings_t               settings_o,
    output vector_coalescing_t      vector_coalescing_o,
    output logic                    fatal_o,
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
    output automation_t             automation_o,
    // What is counted.
    input  logic                    completed_valid_i,
    input  logic [TagBits-1:0]      completed_tag_i,
    input  io_watch_t               io_watch_i,
    input  data_watch_t             watch_i,
    input  logic [DataBits/32-1:0]  to_host_strobe_i,
    input  logic                    wrong_doorbell_i
);

  status_t status;
  control_t control;
  logic event_read, completion_written, dma_written, submission_written, completion_queue_written;
  logic commands_read, commands_ready;
  logic [7:0] faults_word;
  // Numbers that are no tag's.
  logic unused_number;

  assign unused_number = ^faults_word;
  logic [11:0] commands_word;
  logic [31:0] commands_data;
  dma_fault_e fault;
  logic monitor_busy;
  logic [5:0] monitor_word;
  logic [31:0] monitor_data;

  host_register_block u_block (
      .*,
      .status_i(status),
      .control_o(control),
      .host_event_read_o(event_read),
      .completion_written_o(completion_written),
      .dma_written_o(dma_written),
      .submission_queue_written_o(submission_written),
      .completion_queue_written_o(completion_queue_written),
      .ready_written_o(settings_o.ready_valid),
      .weights_written_o(settings_o.weights_valid),
      .coalescing_written_o(settings_o.coalescing_valid),
      .vector_coalescing_written_o(vector_coalescing_o.valid),
      .monitors_read_word_o(monitor_word),
      .monitors_data_i(monitor_data),
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
      .store_valid_o, .store_ready_i, .store_tag_o, .store_half_o, .store_data_i
  );

  completion_t completion;
  logic completion_dropped;
  logic [7:0] completion_room;

  assign completion = '{
          tag: control.completion.tag,
          status: control.completion.status,
          result: {Placed ? control.completion_result_high.result : 32'b0, control.completion_result.result}
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
      .out_valid_o(completion_valid_o), .out_ready_i(completion_ready_i), .out_data_o(completion_o)
  );

  // Lengths and offsets are below 16 MiB, so their high bytes are zero and take no room.
  typedef struct packed {
    tag_t        tag;
    direction_e  direction;
    pointer_e    pointer;
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
          pointer: Placed ? pointer_e'(control.dma.pointer) : OfData,
          host_offset: control.dma_host_offset.bytes,
          length: control.dma_length.bytes,
          command_length: control.dma_command_length.bytes,
          memory: {control.dma_memory_high.address, control.dma_memory_low.address}
      };

  logic unused_placed;
  assign unused_placed = ^{control.completion_result_high, control.dma.pointer};

  assign request_o = '{
          tag: oldest_request.tag,
          direction: oldest_request.direction,
          pointer: oldest_request.pointer,
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
      .out_valid_o(request_valid_o), .out_ready_i(request_ready_i), .out_data_o({oldest_request})
  );

  logic dma_ended, any_fault;
  logic [14:0] from_host, to_host;

  processor_faults #(
      .Tags(Tags)
  ) u_faults (
      .clk_i,
      .rst_ni,
      .fetched_valid_i, .fetched_tag_i,
      .done_valid_i, .done_ready_o, .done_i,
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
      .submission_queue_valid_o, .submission_queue_ready_i, .submission_queue_o,
      .completion_queue_valid_o, .completion_queue_ready_i, .completion_queue_o
  );

  if (Monitored) begin : gen_monitor
    host_monitor #(
        .DataBits(DataBits),
        .Tags(Tags)
    ) u_monitor (
        .*,
        .capture_i(control.monitor.capture),
        .busy_o(monitor_busy),
        .read_word_i(monitor_word),
        .read_data_o(monitor_data)
    );
  end else begin : gen_no_monitor
    logic unused;
    assign unused = ^{completed_valid_i, completed_tag_i, io_watch_i, watch_i, to_host_strobe_i, wrong_doorbell_i,
                      monitor_word};
    assign monitor_busy = 1'b0;
    assign monitor_data = '0;
  end

  assign event_ready_o = event_read;

  always_comb begin
    status = '0;
    status.sizes.tags = 9'(Tags);
    status.sizes.automated = Automated;
    status.sizes.monitored = Monitored;
    status.sizes.placed = Placed;
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
    status.monitor.busy = monitor_busy;
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

  assign settings_o.ready = control.ready.ready;
  assign settings_o.shutdown_done = control.controller.shutdown_done;
  assign fatal_o = control.controller.fatal;
  assign settings_o.weights = '{
          burst: control.weights.burst,
          low_weight: control.weights.low_weight,
          medium_weight: control.weights.medium_weight,
          high_weight: control.weights.high_weight
      };
  assign settings_o.coalescing = '{
          threshold: control.coalescing.threshold,
          time_100us: control.coalescing.time_100us
      };
  assign vector_coalescing_o.vector = control.vector_coalescing.vector;
  assign vector_coalescing_o.forbid = control.vector_coalescing.forbid;
  assign unread_queue_o = control.counted_queue.id[QueueBits-1:0];
  assign automation_o = '{
          enable: Automated && control.automation.enable,
          blocks: {control.blocks_high.blocks, control.blocks_low.blocks},
          transfer_blocks: control.transfer_blocks.blocks,
          block_shift: control.automation.block_shift,
          memory_base: {control.memory_base_high.address, control.memory_base_low.address}
      };

  `FM_ASSERT_STREAM(u_assert_event, event_valid_i, event_ready_o, event_i)

endmodule
