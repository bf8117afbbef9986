// SPDX-License-Identifier: Apache-2.0

// Registers of the controller as a whole: its sizes, time, interrupt lines, where buffer entries are, and the
// memory engine's orders. docs/spec/controller-registers.md has the map.
//
// Contract: AXI4-Lite as in `controller_register_block`. `irq_o` is up while a line that is enabled is. `order_valid_o`
// pulses with an order.
// Latency: that of the register block.
// Reason: what belongs to no channel and not to the host interface.
module controller_registers
  import fm_ssd_pkg::*;
  import fm_controller_register_block_pkg::*;
#(
    parameter int unsigned Channels = 2,
    parameter int unsigned Ways     = 2,
    parameter int unsigned Memories = 1,
    parameter int unsigned DataBits = 256
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    // AXI4-Lite.
    input  logic                    aw_valid_i,
    output logic                    aw_ready_o,
    input  logic [5:0]              aw_addr_i,
    input  logic                    w_valid_i,
    output logic                    w_ready_o,
    input  fm_axi_pkg::lite_write_t w_i,
    output logic                    b_valid_o,
    input  logic                    b_ready_i,
    output fm_axi_pkg::response_e   b_resp_o,
    input  logic                    ar_valid_i,
    output logic                    ar_ready_o,
    input  logic [5:0]              ar_addr_i,
    output logic                    r_valid_o,
    input  logic                    r_ready_i,
    output fm_axi_pkg::lite_read_t  r_o,
    output logic                    irq_o,
    // The controller.
    input  logic [Channels-1:0]     channel_irq_i,
    input  logic                    host_irq_i,
    output entries_t                entries_o,
    input  logic [Channels-1:0]     fetch_failed_i,
    input  logic [Channels-1:0]     store_failed_i,
    output logic                    order_valid_o,
    output order_t                  order_o,
    input  logic                    engine_busy_i,
    input  logic                    engine_differs_i,
    input  logic                    engine_failed_i
);

  status_t status;
  control_t control;
  logic time_read, engine_written;
  logic [63:0] time_q;
  logic [31:0] high_q;
  logic before_alarm;
  logic [30:0] unused_since;

  controller_register_block u_block (
      .*,
      .status_i(status),
      .control_o(control),
      .time_low_read_o(time_read),
      .engine_written_o(engine_written)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      time_q <= '0;
      high_q <= '0;
    end else begin
      time_q <= time_q + 1'b1;
      if (time_read) high_q <= time_q[63:32];
    end
  end

  assign {before_alarm, unused_since} = time_q[31:0] - control.alarm.moment;

  always_comb begin
    status = '0;
    status.sizes.channels = 5'(Channels);
    status.sizes.ways = 5'(Ways);
    status.sizes.memories = 4'(Memories);
    status.sizes.bytes = 7'(DataBits / 8);
    status.time_low.low = time_q[31:0];
    status.time_high.high = high_q;
    status.interrupt_lines.channels = 16'(channel_irq_i);
    status.interrupt_lines.host = host_irq_i;
    status.interrupt_lines.memory = control.memory_errors != '0;
    status.interrupt_lines.alarm = !before_alarm;
    status.memory_errors.fetch = 16'(fetch_failed_i);
    status.memory_errors.store = 16'(store_failed_i);
    status.engine_status.busy = engine_busy_i || order_valid_o;
    status.engine_status.differs = engine_differs_i;
    status.engine_status.failed = engine_failed_i;
  end

  assign irq_o = (status.interrupt_lines & control.interrupt_enable) != '0;

  assign entries_o = '{
      base: control.entry_base.base,
      stride: control.entries.stride
  };
  assign order_valid_o = engine_written && !engine_busy_i && control.engine.units != '0;
  assign order_o = '{
      deed: control.engine.deed,
      from: control.source.address,
      target: control.target.address,
      units: control.engine.units
  };

endmodule
