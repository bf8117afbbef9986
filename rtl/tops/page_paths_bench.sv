// SPDX-License-Identifier: Apache-2.0

// Test top with parameters (models.csv): a path of pages with a codec and one without, of which one is under test. The solver of
// the one with a codec has three more channels. Metadata are those of 16 mapping units with the
// codec, and of one without.
module page_paths_bench #(
    parameter int unsigned Others     = 3,
    parameter int unsigned ChunkBytes = 256,
    parameter int unsigned T          = 13,
    localparam int unsigned M         = fm_bch_pkg::field_degree(ChunkBytes, T),
    localparam int unsigned ErrorBits = $clog2(T + 1)
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic                    codec_i,
    input  logic [      15:0]       timeout_i,
    input  logic                    open_valid_i,
    output logic                    open_ready_o,
    input  logic [       6:0]       open_operation_i,
    input  logic [       3:0]       open_way_i,
    input  logic [      31:0]       open_row_i,
    input  logic [      15:0]       open_column_i,
    input  logic [      15:0]       open_length_i,
    input  logic [      15:0]       open_buffer_i,
    input  logic                    open_plain_i,
    input  logic                    open_bypass_i,
    input  logic                    open_metadata_i,
    input  logic                    open_respond_i,
    input  logic [       7:0]       open_slot_i,
    input  logic [       7:0]       open_tag_i,
    input  logic                    open_irq_i,
    input  logic                    open_irq_on_error_i,
    output logic [      15:0]       open_words_o,
    output logic                    write_valid_o,
    input  logic                    write_ready_i,
    output logic [      15:0]       write_data_o,
    output logic                    write_error_o,
    input  logic                    read_valid_i,
    output logic                    read_ready_o,
    input  logic [      15:0]       read_data_i,
    input  logic                    read_last_i,
    input  logic                    abort_i,
    output logic                    fetch_valid_o,
    input  logic                    fetch_ready_i,
    output logic [      15:0]       fetch_buffer_o,
    output logic [      15:0]       fetch_length_o,
    output logic [       3:0]       fetch_way_o,
    input  logic                    data_in_valid_i,
    output logic                    data_in_ready_o,
    input  logic [      15:0]       data_in_data_i,
    input  logic                    data_in_last_i,
    input  logic                    data_in_error_i,
    output logic                    store_valid_o,
    input  logic                    store_ready_i,
    output logic [      15:0]       store_buffer_o,
    output logic [      15:0]       store_length_o,
    output logic [       3:0]       store_way_o,
    output logic                    data_out_valid_o,
    input  logic                    data_out_ready_i,
    output logic [      15:0]       data_out_data_o,
    output logic                    data_out_last_o,
    input  logic                    data_out_error_i,
    output logic                    completion_valid_o,
    input  logic                    completion_ready_i,
    output logic [       7:0]       completion_slot_o,
    output logic [       7:0]       completion_tag_o,
    output logic [       3:0]       completion_way_o,
    output logic                    completion_irq_o,
    output logic                    completion_irq_on_error_o,
    output logic [       2:0]       completion_outcome_o,
    output logic                    completion_erased_o,
    output logic [      11:0]       completion_corrected_o,
    output logic [       7:0]       completion_most_o,
    output logic [       7:0]       completion_lost_o,
    output logic [      31:0]       completion_value_o,
    input  logic [Others-1:0]       other_valid_i,
    output logic [Others-1:0]       other_ready_o,
    input  logic [Others-1:0][M-1:0] other_data_i,
    input  logic [Others-1:0]       other_last_i
);

  fm_flash_pkg::step_t step;

  assign step = '{
      operation: fm_flash_pkg::operation_e'(open_operation_i),
      way: open_way_i,
      row: open_row_i,
      column: open_column_i,
      length: open_length_i,
      buffer: open_buffer_i,
      next_plane: 1'b0,
      plain: open_plain_i,
      bypass: open_bypass_i,
      metadata: open_metadata_i,
      respond: open_respond_i,
      slot: open_slot_i,
      tag: open_tag_i,
      irq: open_irq_i,
      irq_on_error: open_irq_on_error_i
  };

  // Index 1 has the codec.
  logic [1:0] open_ready, write_valid, read_ready, fetch_valid, data_in_ready, store_valid;
  logic [1:0] write_error;
  logic [1:0] data_out_valid, data_out_last, completion_valid;
  logic [1:0][15:0] open_words, write_data, data_out_data;
  fm_flash_pkg::packet_t [1:0] fetch, store;
  fm_flash_pkg::completion_t [1:0] completion;

  logic [1:0] syndrome_valid, syndrome_last;
  logic [1:0][M-1:0] syndrome;
  logic syndrome_ready, locator_valid, locator_last, locator_failed;
  logic [M-1:0] locator;
  logic [ErrorBits-1:0] locator_errors;
  logic [Others-1:0] unused_valid;
  logic unused;

  for (genvar i = 0; i < 2; i++) begin : gen_path
    logic is_tested;
    assign is_tested = codec_i == 1'(i);

    page_path #(
        .Ecc(i == 1),
        .ChunkBytes(ChunkBytes),
        .T(T),
        .MetadataBytes(i == 1 ? 84 : 24)
    ) u_path (
        .clk_i,
        .rst_ni,
        .timeout_i,
        .open_valid_i(open_valid_i && is_tested),
        .open_ready_o(open_ready[i]),
        .open_i(step),
        .open_words_o(open_words[i]),
        .write_valid_o(write_valid[i]),
        .write_ready_i,
        .write_data_o(write_data[i]),
        .write_error_o(write_error[i]),
        .read_valid_i(read_valid_i && is_tested),
        .read_ready_o(read_ready[i]),
        .read_data_i,
        .read_last_i,
        .abort_i(abort_i && is_tested),
        .fetch_valid_o(fetch_valid[i]),
        .fetch_ready_i,
        .fetch_o(fetch[i]),
        .data_in_valid_i(data_in_valid_i && is_tested),
        .data_in_ready_o(data_in_ready[i]),
        .data_in_data_i,
        .data_in_last_i,
        .data_in_error_i,
        .store_valid_o(store_valid[i]),
        .store_ready_i,
        .store_o(store[i]),
        .data_out_valid_o(data_out_valid[i]),
        .data_out_ready_i,
        .data_out_data_o(data_out_data[i]),
        .data_out_last_o(data_out_last[i]),
        .data_out_error_i,
        .completion_valid_o(completion_valid[i]),
        .completion_ready_i,
        .completion_o(completion[i]),
        .syndrome_valid_o(syndrome_valid[i]),
        .syndrome_ready_i(syndrome_ready && i == 1),
        .syndrome_o(syndrome[i]),
        .syndrome_last_o(syndrome_last[i]),
        .locator_valid_i(locator_valid && i == 1),
        .locator_i(locator),
        .locator_last_i(locator_last),
        .locator_errors_i(locator_errors),
        .locator_failed_i(locator_failed)
    );
  end

  assign unused = ^{unused_valid, syndrome_valid[0], syndrome[0], syndrome_last[0]};

  bch_shared_solver #(
      .Channels(Others + 1),
      .ChunkBytes(ChunkBytes),
      .T(T)
  ) u_solver (
      .clk_i,
      .rst_ni,
      .syndrome_valid_i({other_valid_i, syndrome_valid[1]}),
      .syndrome_ready_o({other_ready_o, syndrome_ready}),
      .syndrome_i({other_data_i, syndrome[1]}),
      .syndrome_last_i({other_last_i, syndrome_last[1]}),
      .locator_valid_o({unused_valid, locator_valid}),
      .locator_o(locator),
      .locator_last_o(locator_last),
      .locator_errors_o(locator_errors),
      .locator_failed_o(locator_failed)
  );

  assign open_ready_o = open_ready[codec_i];
  assign open_words_o = open_words[codec_i];
  assign write_valid_o = write_valid[codec_i];
  assign write_data_o = write_data[codec_i];
  assign write_error_o = write_error[codec_i];
  assign read_ready_o = read_ready[codec_i];
  assign fetch_valid_o = fetch_valid[codec_i];
  assign {fetch_buffer_o, fetch_length_o, fetch_way_o} = fetch[codec_i];
  assign data_in_ready_o = data_in_ready[codec_i];
  assign store_valid_o = store_valid[codec_i];
  assign {store_buffer_o, store_length_o, store_way_o} = store[codec_i];
  assign data_out_valid_o = data_out_valid[codec_i];
  assign data_out_data_o = data_out_data[codec_i];
  assign data_out_last_o = data_out_last[codec_i];
  assign completion_valid_o = completion_valid[codec_i];
  assign {completion_slot_o, completion_tag_o, completion_way_o, completion_irq_o,
          completion_irq_on_error_o, completion_outcome_o, completion_erased_o,
          completion_corrected_o, completion_most_o, completion_lost_o, completion_value_o} =
      completion[codec_i];

endmodule
