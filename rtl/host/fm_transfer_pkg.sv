// SPDX-License-Identifier: Apache-2.0

// What moves between the rooms of the host's DMA: units of a descriptor, and what is on its way.
package fm_transfer_pkg;

  // Memory channels hold stripes of so many bytes in turn (OpenExpress section 2).
  localparam int unsigned StripeBytes = 512;

  localparam int unsigned UnitBytes = 4096;

  // What the ring of a direction holds. A link of Gen3 x8 brings 6.3 KB in its round trip of 800 ns, and x16 12.6 KB; a ring of 16 KiB
  // would leave less than a page of these for the one that is sent on. 512 bits take as many blocks of RAM with 512 rows as with 256.
  function automatic int unsigned ring_bytes(int unsigned data_bits);
    return data_bits > 256 ? 512 * data_bits / 8 : 16384;
  endfunction

  // A part of a descriptor's data, inside one page of the host. One with a fault has no bytes and is
  // the last of its descriptor.
  typedef struct packed {
    logic [63:0]                host;
    logic [39:0]                memory;
    logic                       zeros;  // it moves zeros; the host's address means nothing
    logic [$clog2(UnitBytes):0] bytes;
    fm_host_pkg::tag_t             tag;
    logic                       last;
    fm_host_pkg::dma_fault_e       fault;
  } unit_t;

  // A page of the host's memory, without the zeros of its address, or what is wrong with it.
  typedef struct packed {
    fm_host_pkg::dma_fault_e fault;
    logic [51:0]          page;
  } page_t;

  // A unit whose bytes were sent, or which has none.
  typedef struct packed {
    fm_host_pkg::tag_t       tag;
    logic                 last;
    fm_host_pkg::dma_fault_e fault;
  } closing_t;

  // The end of a descriptor.
  typedef struct packed {
    fm_host_pkg::tag_t       tag;
    fm_host_pkg::dma_fault_e fault;
  } outcome_t;

  // The first of two faults counts.
  function automatic fm_host_pkg::dma_fault_e first_fault(fm_host_pkg::dma_fault_e first,
                                                       fm_host_pkg::dma_fault_e second);
    return first != fm_host_pkg::DmaNone ? first : second;
  endfunction

  function automatic fm_host_pkg::dma_fault_e fault_of(fm_axi_pkg::response_e response);
    return response inside {fm_axi_pkg::Okay, fm_axi_pkg::ExclusiveOkay} ? fm_host_pkg::DmaNone
                                                                   : fm_host_pkg::DmaBus;
  endfunction

  // What is wrong with the address of a page, by its low bits.
  function automatic fm_host_pkg::dma_fault_e check_page(logic [11:0] offset);
    return offset == '0 ? fm_host_pkg::DmaNone : fm_host_pkg::DmaOffset;
  endfunction

  // The address inside a channel, of an address of memory striped over so many channels.
  function automatic logic [63:0] stripe_address(logic [63:0] address, int unsigned channels);
    localparam int unsigned Offset = $clog2(StripeBytes);
    logic [63-Offset:0] stripe;
    stripe = (64 - Offset)'(address >> Offset >> $clog2(channels));
    return {stripe, address[Offset-1:0]};
  endfunction

endpackage
