// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Made by rtl/tools/registers.py of rtl/host/nvme_host.rdl; `make registers` makes it anew.
//
// Registers of the NVMe host interface for the processor, 32 bits each, on AXI4-Lite.
//
// Contract: words only. A write of a part of a word and an access of an address without register
// end in SLVERR and change nothing. What is written to bits that cannot be written is ignored.
// One write and one read at a time. `<window>_write_o` and `<window>_read_o` pulse with the number
// of the word, where hardware has to know; the word read is that of the same cycle.
// `<register>_read_o` pulses when the register is read, `<register>_written_o` when its fields
// have been written.
// `commands_read_o` stays until `commands_ready_i`, which comes with the word.
// Latency: that of `fm_lite_front`.
// Reason: fields and words here, handshakes there.
module host_register_block
  import fm_host_pkg::*;
  import fm_host_register_block_pkg::*;
(
    input  logic                    clk_i,
    input  logic                    rst_ni,
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
    input  status_t                 status_i,
    output control_t                control_o,
    output logic                    host_event_read_o,
    output logic                    completion_written_o,
    output logic                    dma_written_o,
    output logic                    submission_queue_written_o,
    output logic                    completion_queue_written_o,
    output logic                    ready_written_o,
    output logic                    weights_written_o,
    output logic                    coalescing_written_o,
    output logic                    vector_coalescing_written_o,
    output logic [ 5:0]             monitors_read_word_o,
    input  logic [31:0]             monitors_data_i,
    output logic [ 7:0]             faults_read_word_o,
    input  logic [31:0]             faults_data_i,
    output logic                    commands_read_o,
    input  logic                    commands_ready_i,
    output logic [11:0]             commands_read_word_o,
    input  logic [31:0]             commands_data_i
);

  `FM_REQUIRE(gen_event_e_differs, EventDisable == 3'd0
           && EventShutdown == 3'd1
           && EventEnable == 3'd2
           && EventDoorbell == 3'd3
           && EventCommand == 3'd4,
           "host_register_block: event_e")

  `FM_REQUIRE(gen_dma_fault_e_differs, DmaNone == 3'd0
           && DmaOffset == 3'd1
           && DmaBus == 3'd2
           && DmaTimedOut == 3'd3
           && DmaList == 3'd4,
           "host_register_block: dma_fault_e")

  typedef logic [12:0] word_t;
  word_t write_word, read_word;
  logic write, read, read_waits;
  logic [31:0] read_data;

  // Whether the word is one of a register or of a window.
  function automatic logic is_known(word_t word);
    return word inside {
      13'h00, 13'h01, 13'h02, 13'h03, 13'h04, 13'h05, 13'h06, 13'h07,
      13'h08, 13'h09, 13'h0a, 13'h0b, 13'h0c, 13'h0d, 13'h0e, 13'h0f,
      13'h10, 13'h11, 13'h12, 13'h13, 13'h14, 13'h15, 13'h16, 13'h17,
      13'h18, 13'h19, 13'h1a, 13'h1b, 13'h1c, 13'h1d, 13'h1e, 13'h1f,
      13'h20, 13'h21, 13'h22, 13'h23, [13'h40:13'h7f], [13'h100:13'h1ff], [13'h1000:13'h1fff]
    };
  endfunction

  fm_lite_front #(
      .AddressBits(15)
  ) u_front (
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
      .write_o(write),
      .write_word_o(write_word),
      .write_known_i(is_known(write_word)),
      .read_o(read),
      .read_word_o(read_word),
      .read_known_i(is_known(read_word)),
      .read_waits_i(read_waits),
      .read_data_i(read_data)
  );

  // Writes.
  logic write_completion_result;
  logic write_completion;
  logic write_dma_host_offset;
  logic write_dma_length;
  logic write_dma_command_length;
  logic write_dma_memory_low;
  logic write_dma_memory_high;
  logic write_dma;
  logic write_interrupt_status;
  logic write_interrupt_enable;
  logic write_queue_base_low;
  logic write_queue_base_high;
  logic write_queue_shape;
  logic write_submission_queue;
  logic write_completion_queue;
  logic write_ready;
  logic write_controller;
  logic write_weights;
  logic write_coalescing;
  logic write_vector_coalescing;
  logic write_counted_queue;
  logic write_automation;
  logic write_transfer_blocks;
  logic write_blocks_low;
  logic write_blocks_high;
  logic write_memory_base_low;
  logic write_memory_base_high;
  logic write_monitor;
  logic write_completion_result_high;

  assign write_completion_result = write && write_word == 13'h05;
  assign write_completion = write && write_word == 13'h06;
  assign write_dma_host_offset = write && write_word == 13'h07;
  assign write_dma_length = write && write_word == 13'h08;
  assign write_dma_command_length = write && write_word == 13'h09;
  assign write_dma_memory_low = write && write_word == 13'h0a;
  assign write_dma_memory_high = write && write_word == 13'h0b;
  assign write_dma = write && write_word == 13'h0c;
  assign write_interrupt_status = write && write_word == 13'h0e;
  assign write_interrupt_enable = write && write_word == 13'h0f;
  assign write_queue_base_low = write && write_word == 13'h10;
  assign write_queue_base_high = write && write_word == 13'h11;
  assign write_queue_shape = write && write_word == 13'h12;
  assign write_submission_queue = write && write_word == 13'h13;
  assign write_completion_queue = write && write_word == 13'h14;
  assign write_ready = write && write_word == 13'h15;
  assign write_controller = write && write_word == 13'h16;
  assign write_weights = write && write_word == 13'h17;
  assign write_coalescing = write && write_word == 13'h18;
  assign write_vector_coalescing = write && write_word == 13'h19;
  assign write_counted_queue = write && write_word == 13'h1a;
  assign write_automation = write && write_word == 13'h1c;
  assign write_transfer_blocks = write && write_word == 13'h1d;
  assign write_blocks_low = write && write_word == 13'h1e;
  assign write_blocks_high = write && write_word == 13'h1f;
  assign write_memory_base_low = write && write_word == 13'h20;
  assign write_memory_base_high = write && write_word == 13'h21;
  assign write_monitor = write && write_word == 13'h22;
  assign write_completion_result_high = write && write_word == 13'h23;

  // Fields.
  control_t control_q;
  assign control_o = control_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      control_q.completion_result.result <= 32'h0;
      control_q.completion.tag <= 8'h0;
      control_q.completion.status <= 15'h0;
      completion_written_o <= 1'b0;
      control_q.dma_host_offset.bytes <= 24'h0;
      control_q.dma_length.bytes <= 24'h0;
      control_q.dma_command_length.bytes <= 24'h0;
      control_q.dma_memory_low.address <= 32'h0;
      control_q.dma_memory_high.address <= 8'h0;
      control_q.dma.tag <= 8'h0;
      control_q.dma.to_host <= 1'h0;
      control_q.dma.pointer <= 2'h0;
      dma_written_o <= 1'b0;
      control_q.interrupt_status.dma_ended <= 1'h0;
      control_q.interrupt_status.completion_dropped <= 1'h0;
      control_q.interrupt_status.dma_dropped <= 1'h0;
      control_q.interrupt_status.queue_dropped <= 1'h0;
      control_q.interrupt_enable.event_waits <= 1'h0;
      control_q.interrupt_enable.dma_ended <= 1'h0;
      control_q.interrupt_enable.completion_dropped <= 1'h0;
      control_q.interrupt_enable.dma_dropped <= 1'h0;
      control_q.interrupt_enable.queue_dropped <= 1'h0;
      control_q.queue_base_low.page <= 20'h0;
      control_q.queue_base_high.page <= 32'h0;
      control_q.queue_shape.size <= 16'h0;
      control_q.queue_shape.partner <= 16'h0;
      control_q.submission_queue.id <= 16'h0;
      control_q.submission_queue.priority_class <= 2'h0;
      control_q.submission_queue.create <= 1'h0;
      submission_queue_written_o <= 1'b0;
      control_q.completion_queue.id <= 16'h0;
      control_q.completion_queue.interrupts <= 1'h0;
      control_q.completion_queue.create <= 1'h0;
      completion_queue_written_o <= 1'b0;
      control_q.ready.ready <= 1'h0;
      ready_written_o <= 1'b0;
      control_q.controller.shutdown_done <= 1'h0;
      control_q.controller.fatal <= 1'h0;
      control_q.weights.burst <= 3'h0;
      control_q.weights.low_weight <= 8'h0;
      control_q.weights.medium_weight <= 8'h0;
      control_q.weights.high_weight <= 8'h0;
      weights_written_o <= 1'b0;
      control_q.coalescing.threshold <= 8'h0;
      control_q.coalescing.time_100us <= 8'h0;
      coalescing_written_o <= 1'b0;
      control_q.vector_coalescing.vector <= 11'h0;
      control_q.vector_coalescing.forbid <= 1'h0;
      vector_coalescing_written_o <= 1'b0;
      control_q.counted_queue.id <= 16'h0;
      control_q.automation.enable <= 1'h0;
      control_q.automation.block_shift <= 4'hc;
      control_q.transfer_blocks.blocks <= 17'h0;
      control_q.blocks_low.blocks <= 32'h0;
      control_q.blocks_high.blocks <= 32'h0;
      control_q.memory_base_low.address <= 32'h0;
      control_q.memory_base_high.address <= 8'h0;
      control_q.monitor.capture <= 1'h0;
      control_q.completion_result_high.result <= 32'h0;
    end else begin
      if (write_completion_result) control_q.completion_result.result <= w_i.data[31:0];
      if (write_completion) control_q.completion.tag <= w_i.data[7:0];
      if (write_completion) control_q.completion.status <= w_i.data[30:16];
      completion_written_o <= write_completion;
      if (write_dma_host_offset) control_q.dma_host_offset.bytes <= w_i.data[23:0];
      if (write_dma_length) control_q.dma_length.bytes <= w_i.data[23:0];
      if (write_dma_command_length) control_q.dma_command_length.bytes <= w_i.data[23:0];
      if (write_dma_memory_low) control_q.dma_memory_low.address <= w_i.data[31:0];
      if (write_dma_memory_high) control_q.dma_memory_high.address <= w_i.data[7:0];
      if (write_dma) control_q.dma.tag <= w_i.data[7:0];
      if (write_dma) control_q.dma.to_host <= w_i.data[8];
      if (write_dma) control_q.dma.pointer <= w_i.data[10:9];
      dma_written_o <= write_dma;
      if (status_i.interrupt_status.dma_ended) control_q.interrupt_status.dma_ended <= 1'b1;
      else if (write_interrupt_status && w_i.data[1]) control_q.interrupt_status.dma_ended <= 1'b0;
      if (status_i.interrupt_status.completion_dropped) control_q.interrupt_status.completion_dropped <= 1'b1;
      else if (write_interrupt_status && w_i.data[2]) control_q.interrupt_status.completion_dropped <= 1'b0;
      if (status_i.interrupt_status.dma_dropped) control_q.interrupt_status.dma_dropped <= 1'b1;
      else if (write_interrupt_status && w_i.data[3]) control_q.interrupt_status.dma_dropped <= 1'b0;
      if (status_i.interrupt_status.queue_dropped) control_q.interrupt_status.queue_dropped <= 1'b1;
      else if (write_interrupt_status && w_i.data[4]) control_q.interrupt_status.queue_dropped <= 1'b0;
      if (write_interrupt_enable) control_q.interrupt_enable.event_waits <= w_i.data[0];
      if (write_interrupt_enable) control_q.interrupt_enable.dma_ended <= w_i.data[1];
      if (write_interrupt_enable) control_q.interrupt_enable.completion_dropped <= w_i.data[2];
      if (write_interrupt_enable) control_q.interrupt_enable.dma_dropped <= w_i.data[3];
      if (write_interrupt_enable) control_q.interrupt_enable.queue_dropped <= w_i.data[4];
      if (write_queue_base_low) control_q.queue_base_low.page <= w_i.data[31:12];
      if (write_queue_base_high) control_q.queue_base_high.page <= w_i.data[31:0];
      if (write_queue_shape) control_q.queue_shape.size <= w_i.data[15:0];
      if (write_queue_shape) control_q.queue_shape.partner <= w_i.data[31:16];
      if (write_submission_queue) control_q.submission_queue.id <= w_i.data[15:0];
      if (write_submission_queue) control_q.submission_queue.priority_class <= w_i.data[17:16];
      if (write_submission_queue) control_q.submission_queue.create <= w_i.data[31];
      submission_queue_written_o <= write_submission_queue;
      if (write_completion_queue) control_q.completion_queue.id <= w_i.data[15:0];
      if (write_completion_queue) control_q.completion_queue.interrupts <= w_i.data[16];
      if (write_completion_queue) control_q.completion_queue.create <= w_i.data[31];
      completion_queue_written_o <= write_completion_queue;
      if (write_ready) control_q.ready.ready <= w_i.data[0];
      ready_written_o <= write_ready;
      control_q.controller.shutdown_done <= write_controller && w_i.data[0];
      control_q.controller.fatal <= write_controller && w_i.data[1];
      if (write_weights) control_q.weights.burst <= w_i.data[2:0];
      if (write_weights) control_q.weights.low_weight <= w_i.data[15:8];
      if (write_weights) control_q.weights.medium_weight <= w_i.data[23:16];
      if (write_weights) control_q.weights.high_weight <= w_i.data[31:24];
      weights_written_o <= write_weights;
      if (write_coalescing) control_q.coalescing.threshold <= w_i.data[7:0];
      if (write_coalescing) control_q.coalescing.time_100us <= w_i.data[15:8];
      coalescing_written_o <= write_coalescing;
      if (write_vector_coalescing) control_q.vector_coalescing.vector <= w_i.data[10:0];
      if (write_vector_coalescing) control_q.vector_coalescing.forbid <= w_i.data[31];
      vector_coalescing_written_o <= write_vector_coalescing;
      if (write_counted_queue) control_q.counted_queue.id <= w_i.data[15:0];
      if (write_automation) control_q.automation.enable <= w_i.data[0];
      if (write_automation) control_q.automation.block_shift <= w_i.data[7:4];
      if (write_transfer_blocks) control_q.transfer_blocks.blocks <= w_i.data[16:0];
      if (write_blocks_low) control_q.blocks_low.blocks <= w_i.data[31:0];
      if (write_blocks_high) control_q.blocks_high.blocks <= w_i.data[31:0];
      if (write_memory_base_low) control_q.memory_base_low.address <= w_i.data[31:0];
      if (write_memory_base_high) control_q.memory_base_high.address <= w_i.data[7:0];
      control_q.monitor.capture <= write_monitor && w_i.data[0];
      if (write_completion_result_high) control_q.completion_result_high.result <= w_i.data[31:0];
    end
  end

  // Reads.
  assign monitors_read_word_o = read_word[5:0];
  assign faults_read_word_o = read_word[7:0];
  assign commands_read_word_o = read_word[11:0];
  assign commands_read_o = read
      && read_word inside {[13'h1000:13'h1fff]};
  assign host_event_read_o = read && read_word == 13'h04;
  assign read_waits = (commands_read_o && !commands_ready_i);

  always_comb begin
    read_data = '0;
    case (read_word) inside
      13'h00: begin
        read_data[7:0] = 8'h1;
        read_data[31:8] = 24'h4e5648;
      end
      13'h01: begin
        read_data[8:0] = status_i.sizes.tags;
        read_data[12] = status_i.sizes.automated;
        read_data[13] = status_i.sizes.monitored;
        read_data[14] = status_i.sizes.placed;
        read_data[19:16] = status_i.sizes.memories;
        read_data[30:24] = status_i.sizes.bytes;
      end
      13'h02: begin
        read_data[15:0] = status_i.queues.pairs;
        read_data[31:16] = status_i.queues.largest_size;
      end
      13'h03: begin
        read_data[0] = status_i.status.event_waits;
        read_data[1] = status_i.status.queue_busy;
        read_data[15:8] = status_i.status.completion_room;
        read_data[23:16] = status_i.status.dma_room;
      end
      13'h04: begin
        read_data[15:0] = status_i.host_event.id;
        read_data[23:16] = status_i.host_event.tag;
        read_data[30:28] = status_i.host_event.kind;
        read_data[31] = status_i.host_event.valid;
      end
      13'h0d: begin
        read_data[14:0] = status_i.dma_progress.from_host;
        read_data[30:16] = status_i.dma_progress.to_host;
        read_data[31] = status_i.dma_progress.fault;
      end
      13'h0e: begin
        read_data[0] = status_i.interrupt_status.event_waits;
        read_data[1] = control_q.interrupt_status.dma_ended;
        read_data[2] = control_q.interrupt_status.completion_dropped;
        read_data[3] = control_q.interrupt_status.dma_dropped;
        read_data[4] = control_q.interrupt_status.queue_dropped;
      end
      13'h0f: begin
        read_data[0] = control_q.interrupt_enable.event_waits;
        read_data[1] = control_q.interrupt_enable.dma_ended;
        read_data[2] = control_q.interrupt_enable.completion_dropped;
        read_data[3] = control_q.interrupt_enable.dma_dropped;
        read_data[4] = control_q.interrupt_enable.queue_dropped;
      end
      13'h1b: begin
        read_data[8:0] = status_i.queue_commands.unread;
        read_data[24:16] = status_i.queue_commands.running;
      end
      13'h1c: begin
        read_data[0] = control_q.automation.enable;
        read_data[7:4] = control_q.automation.block_shift;
      end
      13'h22: begin
        read_data[1] = status_i.monitor.busy;
      end
      [13'h40:13'h7f]: read_data = monitors_data_i;
      [13'h100:13'h1ff]: read_data = faults_data_i;
      [13'h1000:13'h1fff]: read_data = commands_data_i;
      default: ;
    endcase
  end

endmodule
