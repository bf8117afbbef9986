// SPDX-License-Identifier: Apache-2.0

// Ports of tops, a port a field: a test finds a field by its name, so tops take the structs of borders apart. `P` stands
// before the names of ports, `Lanes` is the dimension of borders that are several, or nothing.

`ifndef FM_PORTS_SVH
`define FM_PORTS_SVH

// An AXI4 subordinate at a PCIe bridge.
`define FM_PORTS_BAR(P, DataBits, AddressBits, IdBits) \
    input  logic                           P``aw_valid_i, \
    output logic                           P``aw_ready_o, \
    input  logic [(AddressBits)-1:0]       P``aw_address_i, \
    input  logic [(IdBits)-1:0]            P``aw_id_i, \
    input  logic [2:0]                     P``aw_size_i, \
    input  logic                           P``w_valid_i, \
    output logic                           P``w_ready_o, \
    input  logic [(DataBits)/32-1:0][31:0] P``w_data_i, \
    input  logic [(DataBits)/32-1:0][3:0]  P``w_strobe_i, \
    input  logic                           P``w_last_i, \
    output logic                           P``b_valid_o, \
    input  logic                           P``b_ready_i, \
    output logic [(IdBits)-1:0]            P``b_id_o, \
    input  logic                           P``ar_valid_i, \
    output logic                           P``ar_ready_o, \
    input  logic [(AddressBits)-1:0]       P``ar_address_i, \
    input  logic [(IdBits)-1:0]            P``ar_id_i, \
    input  logic [7:0]                     P``ar_length_i, \
    input  logic [2:0]                     P``ar_size_i, \
    output logic                           P``r_valid_o, \
    input  logic                           P``r_ready_i, \
    output logic [(DataBits)/32-1:0][31:0] P``r_data_o, \
    output logic [(IdBits)-1:0]            P``r_id_o, \
    output logic                           P``r_last_o

// An AXI4 manager.
`define FM_PORTS_MANAGER(P, Lanes, DataBits, IdBits) \
    output logic Lanes                       P``ar_valid_o, \
    input  logic Lanes                       P``ar_ready_i, \
    output logic Lanes [(IdBits)-1:0]        P``ar_id_o, \
    output logic Lanes [63:0]                P``ar_address_o, \
    output logic Lanes [7:0]                 P``ar_length_o, \
    input  logic Lanes                       P``r_valid_i, \
    output logic Lanes                       P``r_ready_o, \
    input  logic Lanes [(IdBits)-1:0]        P``r_id_i, \
    input  logic Lanes [(DataBits)-1:0]      P``r_data_i, \
    input  logic Lanes [1:0]                 P``r_response_i, \
    input  logic Lanes                       P``r_last_i, \
    output logic Lanes                       P``aw_valid_o, \
    input  logic Lanes                       P``aw_ready_i, \
    output logic Lanes [(IdBits)-1:0]        P``aw_id_o, \
    output logic Lanes [63:0]                P``aw_address_o, \
    output logic Lanes [7:0]                 P``aw_length_o, \
    output logic Lanes                       P``w_valid_o, \
    input  logic Lanes                       P``w_ready_i, \
    output logic Lanes [(DataBits)-1:0]      P``w_data_o, \
    output logic Lanes [(DataBits)/32-1:0]   P``w_strobe_o, \
    output logic Lanes                       P``w_last_o, \
    input  logic Lanes                       P``b_valid_i, \
    output logic Lanes                       P``b_ready_o, \
    input  logic Lanes [(IdBits)-1:0]        P``b_id_i, \
    input  logic Lanes [1:0]                 P``b_response_i

// An AXI4-Lite subordinate.
`define FM_PORTS_LITE(P, AddressBits) \
    input  logic                     P``aw_valid_i, \
    output logic                     P``aw_ready_o, \
    input  logic [(AddressBits)-1:0] P``aw_addr_i, \
    input  logic                     P``w_valid_i, \
    output logic                     P``w_ready_o, \
    input  logic [31:0]              P``w_data_i, \
    input  logic [3:0]               P``w_strb_i, \
    output logic                     P``b_valid_o, \
    input  logic                     P``b_ready_i, \
    output logic [1:0]               P``b_resp_o, \
    input  logic                     P``ar_valid_i, \
    output logic                     P``ar_ready_o, \
    input  logic [(AddressBits)-1:0] P``ar_addr_i, \
    output logic                     P``r_valid_o, \
    input  logic                     P``r_ready_i, \
    output logic [31:0]              P``r_data_o, \
    output logic [1:0]               P``r_resp_o

// What the host's DMA is told and tells.
`define FM_PORTS_HOST_DMA(DataBits) \
    input  logic                  descriptor_valid_i, \
    output logic                  descriptor_ready_o, \
    input  logic [7:0]            descriptor_tag_i, \
    input  logic                  descriptor_direction_i, \
    input  logic [1:0]            descriptor_source_i, \
    input  logic [63:0]           descriptor_prp1_i, \
    input  logic [63:0]           descriptor_prp2_i, \
    input  logic [31:0]           descriptor_host_offset_i, \
    input  logic [31:0]           descriptor_length_i, \
    input  logic [31:0]           descriptor_command_length_i, \
    input  logic [39:0]           descriptor_memory_i, \
    output logic                  done_valid_o, \
    input  logic                  done_ready_i, \
    output logic [7:0]            done_tag_o, \
    output logic                  done_direction_o, \
    output logic [2:0]            done_fault_o, \
    output logic                  idle_o, \
    output logic                  host_idle_o, \
    input  logic                  entries_valid_i, \
    output logic                  entries_ready_o, \
    input  logic [63:0]           entries_address_i, \
    input  logic [12:0]           entries_bytes_i, \
    input  logic [7:0]            entries_id_i, \
    output logic                  entries_beat_valid_o, \
    input  logic                  entries_beat_ready_i, \
    output logic [7:0]            entries_beat_id_o, \
    output logic                  entries_beat_last_o, \
    output logic                  entries_beat_error_o, \
    output logic [(DataBits)-1:0] entries_beat_data_o, \
    input  logic                  completion_valid_i, \
    output logic                  completion_ready_o, \
    input  logic [63:0]           completion_address_i, \
    input  logic [7:0]            completion_id_i, \
    input  logic [63:0]           completion_low_i, \
    input  logic [63:0]           completion_high_i, \
    input  logic                  message_valid_i, \
    output logic                  message_ready_o, \
    input  logic [63:0]           message_address_i, \
    input  logic [7:0]            message_id_i, \
    input  logic [31:0]           message_data_i, \
    output logic                  written_valid_o, \
    input  logic                  written_ready_i, \
    output logic [2:0]            written_client_o, \
    output logic [7:0]            written_id_o, \
    output logic                  written_error_o

`endif
