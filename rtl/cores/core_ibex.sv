// SPDX-License-Identifier: Apache-2.0

// The processor's core: Ibex, RV32IMC in two stages, as it comes with the package `pythondata-cpu-ibex` of the Python
// registry.
//
// Contract: fetches and data accesses are Ibex's: an access is granted in a cycle in which request and grant are up, and
// answered in a later one, in order. It begins 0x80 behind `BootAddress` once `run_i` is up, and its exceptions come to
// `BootAddress`. `irq_i` is the machine's external interrupt.
// Latency: an instruction a cycle, two for loads and stores from memory, three for a branch that is taken.
// Reason: a room for each core, so that a controller with another one differs in a name alone.
module core_ibex #(
    parameter logic [31:0] BootAddress = 32'h8000_0000
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        run_i,
    input  logic        irq_i,
    output logic        sleeps_o,
    // Instructions.
    output logic        fetch_valid_o,
    output logic [31:0] fetch_address_o,
    input  logic        fetch_answer_i,
    input  logic [31:0] fetch_data_i,
    // Data.
    output logic        data_valid_o,
    input  logic        data_grant_i,
    output logic        data_write_o,
    output logic [3:0]  data_bytes_o,
    output logic [31:0] data_address_o,
    output logic [31:0] data_o,
    input  logic        data_answer_i,
    input  logic        data_failed_i,
    input  logic [31:0] data_i
);

  logic unused;
  logic [6:0] unused_integrity;
  ibex_pkg::crash_dump_t unused_crash;
  logic [ibex_pkg::SCRAMBLE_KEY_W-1:0] no_key;
  logic [ibex_pkg::SCRAMBLE_NONCE_W-1:0] no_nonce;
  logic [4:0] unused_alerts;

  assign no_key = '0;
  assign no_nonce = '0;
  assign unused = ^{unused_integrity, unused_crash, unused_alerts};

  ibex_top u_ibex (
      .clk_i,
      .rst_ni,
      .test_en_i(1'b0),
      .ram_cfg_i('0),
      .hart_id_i('0),
      .boot_addr_i(BootAddress),
      .instr_req_o(fetch_valid_o),
      .instr_gnt_i(fetch_valid_o),
      .instr_rvalid_i(fetch_answer_i),
      .instr_addr_o(fetch_address_o),
      .instr_rdata_i(fetch_data_i),
      .instr_rdata_intg_i('0),
      .instr_err_i(1'b0),
      .data_req_o(data_valid_o),
      .data_gnt_i(data_grant_i),
      .data_rvalid_i(data_answer_i),
      .data_we_o(data_write_o),
      .data_be_o(data_bytes_o),
      .data_addr_o(data_address_o),
      .data_wdata_o(data_o),
      .data_wdata_intg_o(unused_integrity),
      .data_rdata_i(data_i),
      .data_rdata_intg_i('0),
      .data_err_i(data_failed_i),
      .irq_software_i(1'b0),
      .irq_timer_i(1'b0),
      .irq_external_i(irq_i),
      .irq_fast_i('0),
      .irq_nm_i(1'b0),
      .scramble_key_valid_i(1'b0),
      .scramble_key_i(no_key),
      .scramble_nonce_i(no_nonce),
      .scramble_req_o(unused_alerts[0]),
      .debug_req_i(1'b0),
      .crash_dump_o(unused_crash),
      .double_fault_seen_o(unused_alerts[1]),
      .fetch_enable_i(run_i ? ibex_pkg::IbexMuBiOn : ibex_pkg::IbexMuBiOff),
      .alert_minor_o(unused_alerts[2]),
      .alert_major_internal_o(unused_alerts[3]),
      .alert_major_bus_o(unused_alerts[4]),
      .core_sleep_o(sleeps_o),
      .scan_rst_ni(1'b1)
  );

endmodule
