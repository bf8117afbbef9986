/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An FTL in C: a map of pages, and a collector that takes the block with the fewest valid pages. A write is complete when its page is
 * programmed. After a loss of power it knows nothing any more.
 *
 * A flash page has a number: the die, then the block, then the page. Each die fills one block at a time, and keeps two erased
 * blocks ahead: the last one is for the collector, so that it always has room for what it moves.
 */
#include "firmware.h"

#include <assert.h>
#include <stdlib.h>

enum { NONE = 0, LOST = 1 };                             /* in `map`: no data, data that were lost; else 2 + the flash page */
enum state { BAD, USED, ERASED, OPEN };                  /* of a block */
enum role { IDLE, READ, WRITE, MOVE, ERASE };            /* of an entry */
enum { AHEAD = 2 };                                      /* erased blocks that a die keeps */

struct job { /* what an entry is used for */
    enum role role;
    uint32_t lpn, tag, offset, at, bytes; /* the logical page, and the part of it that a command is about */
    uint32_t page;                        /* the flash page that is read, programmed or erased */
    uint32_t from;                        /* the flash page whose data are moved */
    bool placed;                          /* the entry's data have a flash page */
};

struct task { /* a command, by its tag */
    struct fm_command command;
    uint32_t cut, left; /* blocks in slices, and blocks that are not done */
    enum fm_outcome outcome;
};

struct die {
    uint32_t open, next, erased; /* the block that is filled and its next page; how many blocks are erased */
    uint32_t victim, cursor;     /* the block that is collected, and its next page to look at */
    bool collects, is_busy;      /* whether there is a victim; whether an entry moves or erases for it */
    bool is_full;                /* a moved page found no room, since blocks went bad, and no block was erased since */
};

struct ftl {
    struct fm_shape shape;
    uint32_t dies, pages_of_die, spare; /* `spare` entries are kept for collectors */
    uint64_t sequence;
    uint32_t *map, *owner;              /* by logical page: flash page; by flash page: logical page + 1, or 0 */
    uint32_t *valid;                    /* by block: pages whose data are the newest */
    enum state *state;                  /* by block */
    struct die *die;
    struct job *job;                    /* by entry */
    struct task *task;                  /* by tag */
    uint32_t *queue, first, waiting;    /* tags of commands that are not wholly in slices: a ring */
    uint32_t turn;                      /* the die that is asked first for a place */
};

static uint32_t block_of(const struct ftl *ftl, uint32_t page) { return page / ftl->shape.pages; }
static uint32_t die_of(const struct ftl *ftl, uint32_t page) { return page / ftl->pages_of_die; }

static struct fm_place place_of(const struct ftl *ftl, uint32_t page) {
    uint32_t die = die_of(ftl, page), rest = page % ftl->pages_of_die;
    struct fm_place place = {die % ftl->shape.channels, die / ftl->shape.channels, rest / ftl->shape.pages, rest % ftl->shape.pages};
    return place;
}

static void *table(uint32_t count, size_t bytes) {
    void *memory = calloc(count, bytes);
    assert(memory);
    return memory;
}

/* Whether a command is at work on a logical page. */
static bool is_touched(const struct ftl *ftl, uint32_t lpn) {
    for (uint32_t entry = 0; entry < ftl->shape.entries; entry++) {
        enum role role = ftl->job[entry].role;
        if ((role == READ || role == WRITE) && ftl->job[entry].lpn == lpn) return true;
    }
    return false;
}

/* An entry that is idle, if there are more of them than are to be kept; else as many as there are entries. */
static uint32_t idle_entry(const struct ftl *ftl, uint32_t kept) {
    uint32_t found = ftl->shape.entries;
    for (uint32_t entry = 0, idle = 0; entry < ftl->shape.entries; entry++) {
        if (ftl->job[entry].role != IDLE) continue;
        if (idle++ == kept) found = entry;
    }
    return found;
}

static void operate(struct ftl *ftl, struct fm_drive *drive, uint32_t entry, enum fm_operation operation, uint32_t page) {
    struct job *job = &ftl->job[entry];
    uint32_t tag = job->role == READ || job->role == WRITE ? job->tag : FM_NO_COMMAND;
    job->page = page;
    fm_flash(drive, entry, tag, operation, place_of(ftl, page));
}

static void invalidate(struct ftl *ftl, uint32_t lpn) {
    if (ftl->map[lpn] > LOST) {
        uint32_t page = ftl->map[lpn] - 2;
        ftl->owner[page] = 0;
        ftl->valid[block_of(ftl, page)]--;
    }
    ftl->map[lpn] = NONE;
}

/* ---- places ---- */

/* Whether a die takes a page and still has as many erased blocks as are to be kept. */
static bool has_room(const struct ftl *ftl, const struct die *die, uint32_t kept) {
    return die->next < ftl->shape.pages ? die->erased >= kept : die->erased > kept;
}

static void open_block(struct ftl *ftl, uint32_t nth) {
    struct die *die = &ftl->die[nth];
    uint32_t first = nth * ftl->shape.blocks, block = first;
    while (ftl->state[block] != ERASED) block++;
    if (ftl->state[die->open] == OPEN) ftl->state[die->open] = USED;
    ftl->state[block] = OPEN;
    die->open = block, die->next = 0, die->erased--;
}

/* Finds a flash page for the data of an entry and has it programmed there. False if no die has room now. The last erased block of a die is
 * for what is moved within it; if that block went bad, other dies take what is moved. */
static bool program(struct ftl *ftl, struct fm_drive *drive, uint32_t entry) {
    struct job *job = &ftl->job[entry];
    uint32_t first = job->role == MOVE ? die_of(ftl, job->from) : ftl->turn;
    for (uint32_t i = 0; i < ftl->dies; i++) {
        uint32_t nth = (first + i) % ftl->dies;
        struct die *die = &ftl->die[nth];
        if (!has_room(ftl, die, job->role == MOVE && i == 0 ? 0 : 1)) continue;
        if (die->next == ftl->shape.pages) open_block(ftl, nth);
        fm_work(drive, FM_WORK_PLACE);
        fm_label(drive, entry, job->lpn, ftl->sequence++);
        job->placed = true;
        if (job->role == WRITE) ftl->turn = (nth + 1) % ftl->dies;
        operate(ftl, drive, entry, FM_PAGE_PROGRAM, die->open * ftl->shape.pages + die->next++);
        return true;
    }
    return false;
}

/* ---- the collector ---- */

static bool choose_victim(struct ftl *ftl, struct fm_drive *drive, uint32_t nth) {
    struct die *die = &ftl->die[nth];
    uint32_t first = nth * ftl->shape.blocks, least = ftl->shape.pages;
    fm_work(drive, FM_WORK_VICTIM);
    for (uint32_t block = first; block < first + ftl->shape.blocks; block++) {
        if (ftl->state[block] != USED || ftl->valid[block] >= least) continue;
        die->victim = block, die->cursor = 0, die->collects = true;
        least = ftl->valid[block];
    }
    return die->collects;
}

/* Moves the next valid page of a die's victim, or erases the victim if none is left. Commands may be at work on the page: what they read
 * is read before the erase, since a die keeps the order, and what they write makes the moved data old. */
static void collect(struct ftl *ftl, struct fm_drive *drive, uint32_t nth) {
    struct die *die = &ftl->die[nth];
    uint32_t entry = idle_entry(ftl, 0);
    if (die->is_busy || entry == ftl->shape.entries) return;
    if (!die->collects && (die->erased >= AHEAD || !choose_victim(ftl, drive, nth))) return;
    struct job *job = &ftl->job[entry];
    uint32_t first = die->victim * ftl->shape.pages;
    if (ftl->valid[die->victim] == 0) {
        *job = (struct job){.role = ERASE};
        die->is_busy = true;
        operate(ftl, drive, entry, FM_BLOCK_ERASE, first);
        return;
    }
    for (uint32_t i = 0; i < ftl->shape.pages && !die->is_full; i++, die->cursor = (die->cursor + 1) % ftl->shape.pages) {
        uint32_t owner = ftl->owner[first + die->cursor];
        if (!owner) continue;
        fm_work(drive, FM_WORK_COLLECT);
        *job = (struct job){.role = MOVE, .lpn = owner - 1, .from = first + die->cursor};
        die->is_busy = true;
        operate(ftl, drive, entry, FM_PAGE_READ, first + die->cursor);
        return;
    }
}

/* ---- commands ---- */

static void move(struct ftl *ftl, struct fm_drive *drive, uint32_t entry) {
    struct job *job = &ftl->job[entry];
    fm_move(drive, entry, job->tag, job->offset, job->at, job->bytes);
}

static void end(struct ftl *ftl, struct fm_drive *drive, uint32_t entry, enum fm_outcome outcome) {
    struct job *job = &ftl->job[entry];
    struct task *task = &ftl->task[job->tag];
    if (task->outcome == FM_SUCCESS) task->outcome = outcome;
    task->left -= job->bytes / ftl->shape.block_bytes;
    job->role = IDLE;
    if (!task->left) fm_complete(drive, task->command.tag, task->outcome);
}

/* Cuts the next slice off the oldest command, if there is an entry for it: what lies in one logical page. No two slices of
 * a logical page are under way, so neither misses what the other writes. */
static bool start_slice(struct ftl *ftl, struct fm_drive *drive) {
    uint32_t entry = idle_entry(ftl, ftl->spare);
    if (!ftl->waiting || entry == ftl->shape.entries) return false;
    struct task *task = &ftl->task[ftl->queue[ftl->first]];
    uint64_t begin = (task->command.start + task->cut) * ftl->shape.block_bytes;
    uint32_t lpn = (uint32_t)(begin / ftl->shape.page_bytes), at = (uint32_t)(begin % ftl->shape.page_bytes);
    uint32_t rest = ftl->shape.page_bytes - at, left = (task->command.blocks - task->cut) * ftl->shape.block_bytes;
    uint32_t bytes = left < rest ? left : rest;
    if (is_touched(ftl, lpn)) return false;
    bool reads = task->command.kind == FM_READ, whole = !reads && bytes == ftl->shape.page_bytes;
    fm_work(drive, FM_WORK_SLICE);
    fm_work(drive, FM_WORK_TRANSLATE);
    ftl->job[entry] = (struct job){reads ? READ : WRITE, lpn, task->command.tag, task->cut * ftl->shape.block_bytes, at, bytes, 0, 0, false};
    task->cut += bytes / ftl->shape.block_bytes;
    if (task->cut == task->command.blocks) {
        ftl->first = (ftl->first + 1) % ftl->shape.tags;
        ftl->waiting--;
    }
    if (!whole && ftl->map[lpn] == LOST) {
        end(ftl, drive, entry, FM_UNRECOVERED_READ);
    } else if (!whole && ftl->map[lpn] != NONE) {
        operate(ftl, drive, entry, FM_PAGE_READ, ftl->map[lpn] - 2);
    } else {
        if (!whole) fm_zero(drive, entry);
        move(ftl, drive, entry);
    }
    return true;
}

/* Whether room may come: a die collects, or a page is programmed that may fail, or makes another one old. */
static bool room_may_come(const struct ftl *ftl) {
    for (uint32_t nth = 0; nth < ftl->dies; nth++)
        if (ftl->die[nth].is_busy) return true;
    for (uint32_t entry = 0; entry < ftl->shape.entries; entry++)
        if (ftl->job[entry].role == WRITE && ftl->job[entry].placed) return true;
    return false;
}

/* Does what can be done now: called at the end of whatever happens. */
static void go_on(struct ftl *ftl, struct fm_drive *drive) {
    for (uint32_t nth = 0; nth < ftl->dies; nth++) collect(ftl, drive, nth);
    for (uint32_t entry = 0; entry < ftl->shape.entries; entry++) {
        struct job *job = &ftl->job[entry];
        bool waits = job->role == WRITE && !job->placed && job->page == FM_NO_PAGE;
        if (waits && !program(ftl, drive, entry) && !room_may_come(ftl)) end(ftl, drive, entry, FM_READ_ONLY);
    }
    while (start_slice(ftl, drive)) continue;
}

void ftl_command(void *own, struct fm_drive *drive, const struct fm_command *command) {
    struct ftl *ftl = own;
    if (command->kind == FM_FLUSH) { /* what is complete is on flash */
        fm_complete(drive, command->tag, FM_SUCCESS);
        return;
    }
    ftl->task[command->tag] = (struct task){*command, 0, command->blocks, FM_SUCCESS};
    ftl->queue[(ftl->first + ftl->waiting++) % ftl->shape.tags] = command->tag;
    go_on(ftl, drive);
}

void ftl_moved(void *own, struct fm_drive *drive, uint32_t entry, enum fm_outcome outcome) {
    struct ftl *ftl = own;
    struct job *job = &ftl->job[entry];
    if (job->role == READ || outcome != FM_SUCCESS) end(ftl, drive, entry, outcome);
    else job->page = FM_NO_PAGE; /* waits for a flash page */
    go_on(ftl, drive);
}

static void read_done(struct ftl *ftl, struct fm_drive *drive, uint32_t entry, bool well) {
    struct job *job = &ftl->job[entry];
    struct die *die = &ftl->die[die_of(ftl, job->page)];
    if (job->role != MOVE) {
        if (well) move(ftl, drive, entry);
        else end(ftl, drive, entry, FM_UNRECOVERED_READ);
        return;
    }
    if (well && program(ftl, drive, entry)) return;
    if (well) {
        die->is_full = true;
    } else if (ftl->map[job->lpn] == job->from + 2) { /* nobody can read these data any more, and whoever asks for them is told */
        invalidate(ftl, job->lpn);
        ftl->map[job->lpn] = LOST;
    }
    die->is_busy = false;
    job->role = IDLE;
}

static void program_done(struct ftl *ftl, struct fm_drive *drive, uint32_t entry, bool well) {
    struct job *job = &ftl->job[entry];
    uint32_t block = block_of(ftl, job->page), nth = die_of(ftl, job->page);
    if (job->role == MOVE) ftl->die[die_of(ftl, job->from)].is_busy = false;
    if (well && (job->role == WRITE || ftl->map[job->lpn] == job->from + 2)) {
        invalidate(ftl, job->lpn);
        ftl->map[job->lpn] = job->page + 2;
        ftl->owner[job->page] = job->lpn + 1;
        ftl->valid[block]++;
    } else if (!well) { /* what the block holds stays, and it takes no more */
        ftl->state[block] = BAD;
        if (ftl->die[nth].open == block) ftl->die[nth].next = ftl->shape.pages;
    }
    if (job->role == MOVE) job->role = IDLE;
    else if (well) end(ftl, drive, entry, FM_SUCCESS);
    else job->placed = false, job->page = FM_NO_PAGE;
}

void ftl_flash_done(void *own, struct fm_drive *drive, uint32_t entry, enum fm_operation operation, bool well, uint32_t said) {
    struct ftl *ftl = own;
    struct job *job = &ftl->job[entry];
    if (operation == FM_PAGE_READ) {
        read_done(ftl, drive, entry, well && said == job->lpn);
    } else if (operation == FM_PAGE_PROGRAM) {
        program_done(ftl, drive, entry, well);
    } else {
        struct die *die = &ftl->die[die_of(ftl, job->page)];
        ftl->state[die->victim] = well ? ERASED : BAD;
        die->erased += well;
        die->collects = die->is_busy = false;
        for (uint32_t nth = 0; nth < ftl->dies; nth++) ftl->die[nth].is_full = false;
        job->role = IDLE;
    }
    go_on(ftl, drive);
}

/* ---- power and format ---- */

void *ftl_power_on(struct fm_drive *drive, const struct fm_shape *shape) {
    struct ftl *ftl = table(1, sizeof *ftl);
    uint32_t dies = shape->channels * shape->ways, blocks = dies * shape->blocks, pages = blocks * shape->pages;
    ftl->shape = *shape;
    ftl->dies = dies, ftl->pages_of_die = shape->blocks * shape->pages;
    ftl->spare = dies < shape->entries / 2 ? dies : shape->entries / 2;
    ftl->map = table(shape->logical_pages, sizeof *ftl->map);
    ftl->owner = table(pages, sizeof *ftl->owner);
    ftl->valid = table(blocks, sizeof *ftl->valid);
    ftl->state = table(blocks, sizeof *ftl->state);
    ftl->die = table(dies, sizeof *ftl->die);
    ftl->job = table(shape->entries, sizeof *ftl->job);
    ftl->task = table(shape->tags, sizeof *ftl->task);
    ftl->queue = table(shape->tags, sizeof *ftl->queue);
    for (uint32_t block = 0; block < blocks; block++) {
        struct fm_place place = place_of(ftl, block * shape->pages);
        ftl->state[block] = fm_is_bad(drive, place.channel, place.way, place.block) ? BAD : USED;
    }
    for (uint32_t nth = 0; nth < dies; nth++) ftl->die[nth].open = nth * shape->blocks, ftl->die[nth].next = shape->pages;
    return ftl;
}

void ftl_power_off(void *own) {
    struct ftl *ftl = own;
    void *tables[] = {ftl->map, ftl->owner, ftl->valid, ftl->state, ftl->die, ftl->job, ftl->task, ftl->queue, ftl};
    for (size_t nth = 0; nth < sizeof tables / sizeof *tables; nth++) free(tables[nth]);
}

void ftl_format(void *own, uint32_t block_bytes) {
    struct ftl *ftl = own;
    for (uint32_t lpn = 0; lpn < ftl->shape.logical_pages; lpn++) invalidate(ftl, lpn);
    ftl->shape.block_bytes = block_bytes;
}
