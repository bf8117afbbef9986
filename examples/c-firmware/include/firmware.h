/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The border between a drive and a flash translation layer (FTL) in C or C++.
 *
 * The drive is all that is around an FTL: NVMe, DMA, buffer, channels and chips. It calls the functions ftl_*, which you write; they
 * call the functions fm_*, which the drive has. Nothing waits: each fm_* call asks for something, and the drive calls back when that is
 * done. Calls come one at a time, so there is nothing to lock. docs/tutorials/an-ftl-in-c.md shows how to begin.
 *
 * An *entry* is a page of the data buffer, by its number from 0. It holds one flash page. Only one thing at a time may be asked for
 * with an entry. Which entry is used for what is the FTL's affair.
 */
#ifndef FIRMWARE_H
#define FIRMWARE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Metadata of a page that names no logical page: it is erased, or its metadata could not be read. */
#define FM_NO_PAGE UINT32_MAX
/* No command: what the FTL does for itself. */
#define FM_NO_COMMAND UINT32_MAX

/* The drive, whose functions take it back. It is valid until the called ftl_* function returns. */
struct fm_drive;

/* What the drive is made of. */
struct fm_shape {
    uint32_t channels;      /* buses */
    uint32_t ways;          /* dies on each bus */
    uint32_t blocks;        /* erase blocks of each die */
    uint32_t pages;         /* flash pages of each block */
    uint32_t page_bytes;    /* bytes of a flash page, which is also the size of a logical page */
    uint32_t block_bytes;   /* bytes of a logical block, in which the host counts: 512 or 4096 */
    uint32_t logical_pages; /* what the host can write to, in logical pages */
    uint32_t entries;       /* entries of the data buffer */
    uint32_t tags;          /* commands of the host that may be under way; their tags are below it */
    bool used_before;       /* the chips hold what was programmed before the last loss of power */
};

enum fm_kind { FM_READ, FM_WRITE, FM_FLUSH };

/* A command of the host. Its range lies inside the drive. */
struct fm_command {
    uint64_t start;    /* first logical block */
    uint32_t blocks;   /* logical blocks, 1 and up; of no meaning in a flush */
    uint32_t tag;      /* names the command until fm_complete */
    enum fm_kind kind;
    bool durable;      /* force unit access: a write ends when it is on flash, a read comes from there */
};

/* How a command, or what was asked for, ended. */
enum fm_outcome {
    FM_SUCCESS,
    FM_UNRECOVERED_READ, /* flash could not give the data back */
    FM_WRITE_FAULT,      /* flash could not take the data */
    FM_READ_ONLY,        /* the drive has no room, and takes no writes */
    FM_TRANSFER_ERROR    /* the host did not give or take the data */
};

enum fm_operation {
    FM_PAGE_READ,    /* flash to entry, corrected */
    FM_PAGE_PROGRAM, /* entry to flash; pages of a block are programmed in order, from 0 on, each once */
    FM_BLOCK_ERASE   /* a block; the entry's data stay as they are */
};

/* Where a page is. An erase does not look at `page`. */
struct fm_place {
    uint32_t channel, way, block, page;
};

/* Steps of the FTL that cost the board's processor time (keys work_instructions.* of a board). The drive charges for its own. */
enum fm_work { FM_WORK_SLICE, FM_WORK_TRANSLATE, FM_WORK_PLACE, FM_WORK_COLLECT, FM_WORK_VICTIM };

/* ---- what the drive does for the FTL ---- */

/* Whether a block is bad from the factory. */
bool fm_is_bad(struct fm_drive *, uint32_t channel, uint32_t way, uint32_t block);

/* Asks a die for an operation. A die does what it was asked for in that order. `tag` is the command for which that is done, so that the
 * report can say where its time went, or FM_NO_COMMAND. Calls ftl_flash_done. */
void fm_flash(struct fm_drive *, uint32_t entry, uint32_t tag, enum fm_operation, struct fm_place);

/* Moves `bytes` of a command's data, from byte `offset` of the command on, to or from byte `at` of an entry: whole logical blocks. A
 * write's data come from the host, a read's go to it. Calls ftl_moved. */
void fm_move(struct fm_drive *, uint32_t entry, uint32_t tag, uint32_t offset, uint32_t at, uint32_t bytes);

/* Fills an entry with zeroes, now. */
void fm_zero(struct fm_drive *, uint32_t entry);

/* Writes metadata behind an entry's data, for its next program: the logical page, and a number that grows with each page, so that
 * whoever looks for the map after a loss of power knows the newest page. */
void fm_label(struct fm_drive *, uint32_t entry, uint32_t logical_page, uint64_t sequence);

/* Ends a command. */
void fm_complete(struct fm_drive *, uint32_t tag, enum fm_outcome);

/* Charges for work. */
void fm_work(struct fm_drive *, enum fm_work);

/* ---- what the FTL does for the drive ---- */

/* The drive gets power. Returns the FTL, which is handed to all other functions. */
void *ftl_power_on(struct fm_drive *, const struct fm_shape *);

/* The FTL is not needed any more. */
void ftl_power_off(void *ftl);

/* The host wants something. */
void ftl_command(void *ftl, struct fm_drive *, const struct fm_command *);

/* The data of fm_move have moved: FM_SUCCESS or FM_TRANSFER_ERROR. */
void ftl_moved(void *ftl, struct fm_drive *, uint32_t entry, enum fm_outcome);

/* What fm_flash asked for has ended, well or not. `logical_page` is what the metadata of a page that was read say. */
void ftl_flash_done(void *ftl, struct fm_drive *, uint32_t entry, enum fm_operation, bool well, uint32_t logical_page);

/* The host had the drive formatted: nothing is written any more. Called only when no command is under way. */
void ftl_format(void *ftl, uint32_t block_bytes);

#ifdef __cplusplus
}
#endif
#endif
