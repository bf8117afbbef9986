// SPDX-License-Identifier: Apache-2.0

// Made by rtl/tools/registers.py of rtl/host/nvme_host.rdl; `make registers` makes it anew.
package fm_host_register_block_pkg;

  import fm_host_pkg::*;

  // What hardware tells; of sticky bits, that they are to be set.
  typedef struct packed {
    struct packed {
      logic [ 6:0] bytes;
      logic [ 3:0] memories;
      logic        placed;
      logic        monitored;
      logic        automated;
      logic [ 8:0] tags;
    } sizes;
    struct packed {
      logic [15:0] largest_size;
      logic [15:0] pairs;
    } queues;
    struct packed {
      logic [ 7:0] dma_room;
      logic [ 7:0] completion_room;
      logic        queue_busy;
      logic        event_waits;
    } status;
    struct packed {
      logic        valid;
      event_e      kind;
      logic [ 7:0] tag;
      logic [15:0] id;
    } host_event;
    struct packed {
      logic        fault;
      logic [14:0] to_host;
      logic [14:0] from_host;
    } dma_progress;
    struct packed {
      logic queue_dropped;
      logic dma_dropped;
      logic completion_dropped;
      logic dma_ended;
      logic event_waits;
    } interrupt_status;
    struct packed {
      logic [ 8:0] running;
      logic [ 8:0] unread;
    } queue_commands;
    struct packed {
      logic busy;
    } monitor;
  } status_t;

  // What hardware is told.
  typedef struct packed {
    struct packed {
      logic [31:0] result;
    } completion_result;
    struct packed {
      logic [14:0] status;
      logic [ 7:0] tag;
    } completion;
    struct packed {
      logic [23:0] bytes;
    } dma_host_offset;
    struct packed {
      logic [23:0] bytes;
    } dma_length;
    struct packed {
      logic [23:0] bytes;
    } dma_command_length;
    struct packed {
      logic [31:0] address;
    } dma_memory_low;
    struct packed {
      logic [ 7:0] address;
    } dma_memory_high;
    struct packed {
      logic [ 1:0] pointer;
      logic        to_host;
      logic [ 7:0] tag;
    } dma;
    struct packed {
      logic queue_dropped;
      logic dma_dropped;
      logic completion_dropped;
      logic dma_ended;
    } interrupt_status;
    struct packed {
      logic queue_dropped;
      logic dma_dropped;
      logic completion_dropped;
      logic dma_ended;
      logic event_waits;
    } interrupt_enable;
    struct packed {
      logic [19:0] page;
    } queue_base_low;
    struct packed {
      logic [31:0] page;
    } queue_base_high;
    struct packed {
      logic [15:0] partner;
      logic [15:0] size;
    } queue_shape;
    struct packed {
      logic        create;
      logic [ 1:0] priority_class;
      logic [15:0] id;
    } submission_queue;
    struct packed {
      logic        create;
      logic        interrupts;
      logic [15:0] id;
    } completion_queue;
    struct packed {
      logic ready;
    } ready;
    struct packed {
      logic fatal;
      logic shutdown_done;
    } controller;
    struct packed {
      logic [ 7:0] high_weight;
      logic [ 7:0] medium_weight;
      logic [ 7:0] low_weight;
      logic [ 2:0] burst;
    } weights;
    struct packed {
      logic [ 7:0] time_100us;
      logic [ 7:0] threshold;
    } coalescing;
    struct packed {
      logic        forbid;
      logic [10:0] vector;
    } vector_coalescing;
    struct packed {
      logic [15:0] id;
    } counted_queue;
    struct packed {
      logic [ 3:0] block_shift;
      logic        enable;
    } automation;
    struct packed {
      logic [16:0] blocks;
    } transfer_blocks;
    struct packed {
      logic [31:0] blocks;
    } blocks_low;
    struct packed {
      logic [31:0] blocks;
    } blocks_high;
    struct packed {
      logic [31:0] address;
    } memory_base_low;
    struct packed {
      logic [ 7:0] address;
    } memory_base_high;
    struct packed {
      logic capture;
    } monitor;
    struct packed {
      logic [31:0] result;
    } completion_result_high;
  } control_t;

  // Words of the window, the first ones of each of its registers.
  typedef enum logic [5:0] {
    MonitorsCycles          = 6'h00,
    MonitorsFetched         = 6'h02,
    MonitorsCompleted       = 6'h04,
    MonitorsAutomatedReads  = 6'h06,
    MonitorsBytesFromHost   = 6'h08,
    MonitorsBytesToHost     = 6'h0a,
    MonitorsDmaEnded        = 6'h0c,
    MonitorsDmaFaults       = 6'h0e,
    MonitorsMessages        = 6'h10,
    MonitorsWrongDoorbells  = 6'h12,
    MonitorsOutstanding     = 6'h14,
    MonitorsMostOutstanding = 6'h16,
    MonitorsAutomatedWrites = 6'h18,
    MonitorsSectorsRead     = 6'h1a,
    MonitorsSectorsWritten  = 6'h1c,
    MonitorsAutomatedBusy   = 6'h1e,
    MonitorsLatency         = 6'h20
  } monitors_word_e;

endpackage
