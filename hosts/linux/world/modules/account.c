// SPDX-License-Identifier: GPL-2.0
/*
 * Tells the drive who does what, in memory that both see: which program runs, which one gave each command, and each system call
 * that has to do with files on the drive, with its time. It takes no virtual time. The kernel is unpatched: probes stand at
 * tracepoints, and entries of the table of system calls are replaced, as user mode has no tracepoints there.
 * hosts/linux/src/page.rs reads what is written here.
 */
#include <linux/blk-mq.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/sched.h>
#include <linux/unistd.h>
#include <asm/ptrace.h>
#include "points.h"

#define NAME_BYTES 16
#define FILE_BYTES 24
#define MOST_KINDS 64
#define MOST_TAGS 1024
#define PAGE_ORDER 8

/* A program, or a thread of the kernel's. */
struct task_told {
	u32 process;
	u32 is_kernel;
	char name[NAME_BYTES];
};

/* A system call that has ended. Times are nanoseconds since the start. */
struct call_told {
	u64 began;
	u64 ended;
	u32 process;
	u32 kind;
	char name[NAME_BYTES];
	char file[FILE_BYTES];
};

/* The last part is a ring of calls: the drive takes them out. */
struct told {
	u32 capacity;
	u32 kinds;
	u64 written;
	u64 taken;
	u64 lost;
	struct task_told running;
	char names[MOST_KINDS][NAME_BYTES];
	struct task_told issuers[MOST_TAGS];
	struct call_told calls[];
};

typedef long call_t(unsigned long, unsigned long, unsigned long, unsigned long, unsigned long, unsigned long);

enum about { FILE_OF_FIRST, NO_FILE };

/* Calls that may wait for the drive. */
static const struct {
	int number;
	enum about about;
	const char *name;
} kinds[] = {
	{ __NR_read, FILE_OF_FIRST, "read" },
	{ __NR_write, FILE_OF_FIRST, "write" },
	{ __NR_pread64, FILE_OF_FIRST, "pread" },
	{ __NR_pwrite64, FILE_OF_FIRST, "pwrite" },
	{ __NR_readv, FILE_OF_FIRST, "readv" },
	{ __NR_writev, FILE_OF_FIRST, "writev" },
	{ __NR_preadv, FILE_OF_FIRST, "preadv" },
	{ __NR_pwritev, FILE_OF_FIRST, "pwritev" },
	{ __NR_fsync, FILE_OF_FIRST, "fsync" },
	{ __NR_fdatasync, FILE_OF_FIRST, "fdatasync" },
	{ __NR_sync_file_range, FILE_OF_FIRST, "sync_file_range" },
	{ __NR_syncfs, FILE_OF_FIRST, "syncfs" },
	{ __NR_fallocate, FILE_OF_FIRST, "fallocate" },
	{ __NR_ftruncate, FILE_OF_FIRST, "ftruncate" },
	{ __NR_getdents64, FILE_OF_FIRST, "getdents" },
	{ __NR_sendfile, FILE_OF_FIRST, "sendfile" },
	{ __NR_sync, NO_FILE, "sync" },
	{ __NR_msync, NO_FILE, "msync" },
	{ __NR_open, NO_FILE, "open" },
	{ __NR_openat, NO_FILE, "openat" },
	{ __NR_stat, NO_FILE, "stat" },
	{ __NR_newfstatat, NO_FILE, "newfstatat" },
	{ __NR_rename, NO_FILE, "rename" },
	{ __NR_renameat2, NO_FILE, "renameat2" },
	{ __NR_unlink, NO_FILE, "unlink" },
	{ __NR_unlinkat, NO_FILE, "unlinkat" },
	{ __NR_mkdir, NO_FILE, "mkdir" },
	{ __NR_mount, NO_FILE, "mount" },
	{ __NR_umount2, NO_FILE, "umount" },
	{ __NR_io_submit, NO_FILE, "io_submit" },
	{ __NR_io_getevents, NO_FILE, "io_getevents" },
	{ __NR_io_uring_enter, NO_FILE, "io_uring_enter" },
};

static struct told *told;
static u8 kind_of[__NR_syscalls];
static call_t *before[ARRAY_SIZE(kinds)];

/* Where virtual time stands; reading it takes none, as a clock would. */
static u64 now_ns(void)
{
	return *(const u64 *)TIME_TRAVEL_TIME;
}

static void tell_task(struct task_told *into, struct task_struct *task, const char *name)
{
	into->process = task->tgid;
	into->is_kernel = !!(task->flags & PF_KTHREAD);
	strscpy_pad(into->name, name, NAME_BYTES);
}

static bool is_on_drive(const struct inode *inode)
{
	return S_ISBLK(inode->i_mode) || inode->i_sb->s_type->fs_flags & FS_REQUIRES_DEV;
}

/* The name of an open file; false where it is not on the drive. */
static bool name_of(unsigned int descriptor, char *name)
{
	struct file *file = fget(descriptor);
	bool is = file && is_on_drive(file_inode(file));

	if (is) {
		struct dentry *entry = file->f_path.dentry;

		spin_lock(&entry->d_lock);
		strscpy_pad(name, entry->d_name.name, FILE_BYTES);
		spin_unlock(&entry->d_lock);
	}
	if (file)
		fput(file);
	return is;
}

static void tell_call(int kind, u64 began, const char *file)
{
	struct call_told *call = &told->calls[told->written % told->capacity];

	if (told->written - told->taken == told->capacity) {
		told->lost++;
		return;
	}
	call->began = began;
	call->ended = now_ns();
	call->process = current->tgid;
	call->kind = kind;
	strscpy_pad(call->name, current->comm, NAME_BYTES);
	memcpy(call->file, file, FILE_BYTES);
	told->written++;
}

static long on_call(unsigned long a, unsigned long b, unsigned long c, unsigned long d, unsigned long e, unsigned long f)
{
	int kind = kind_of[current->thread.regs.regs.syscall];
	bool has_file = kinds[kind].about == FILE_OF_FIRST;
	char file[FILE_BYTES] = "";
	bool is_told = !has_file || name_of(a, file);
	u64 began = now_ns();
	long result = before[kind](a, b, c, d, e, f);

	/* A call about no open file is told of where it took time. */
	if (is_told && (has_file || now_ns() > began))
		tell_call(kind, began, file);
	return result;
}

static void on_issue(void *data, struct request *request)
{
	/* Tags of other devices, such as a loop device over a file of the drive, are numbers of their own. */
	if (request->q->disk && !strncmp(request->q->disk->disk_name, "nvme", 4) && request->tag >= 0 && request->tag < MOST_TAGS)
		tell_task(&told->issuers[request->tag], current, current->comm);
}

static void on_switch(void *data, bool preempt, struct task_struct *from, struct task_struct *to)
{
	tell_task(&told->running, to, to->comm);
}

static void on_rename(void *data, struct task_struct *task, const char *name)
{
	if (task == current)
		tell_task(&told->running, task, name);
}

static struct place all[] = {
	{ "block_rq_issue", on_issue },
	{ "sched_switch", on_switch },
	{ "task_rename", on_rename },
};
static struct places places = { all, ARRAY_SIZE(all) };

static int get_address(char *into, const struct kernel_param *parameter)
{
	return sysfs_emit(into, "%llu\n", (u64)virt_to_phys(told));
}

/* Where the memory is, for init to tell the drive. */
module_param_call(address, NULL, get_address, NULL, 0444);

static int __init account_init(void)
{
	call_t **table = (call_t **)SYS_CALL_TABLE;
	int kind;
	int result;

	BUILD_BUG_ON(ARRAY_SIZE(kinds) > MOST_KINDS);
	told = (struct told *)__get_free_pages(GFP_KERNEL | __GFP_ZERO, PAGE_ORDER);
	if (!told)
		return -ENOMEM;
	told->capacity = ((PAGE_SIZE << PAGE_ORDER) - sizeof(*told)) / sizeof(struct call_told);
	told->kinds = ARRAY_SIZE(kinds);
	tell_task(&told->running, current, current->comm);
	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
		strscpy_pad(told->names[kind], kinds[kind].name, NAME_BYTES);
		kind_of[kinds[kind].number] = kind;
		before[kind] = table[kinds[kind].number];
	}
	result = places_take(&places);
	if (result) {
		free_pages((unsigned long)told, PAGE_ORDER);
		return result;
	}
	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++)
		table[kinds[kind].number] = on_call;
	return 0;
}

/* It stays until Linux powers off: some call may always be on its way through it. */
module_init(account_init);
MODULE_DESCRIPTION("Who gives the drive its commands, and system calls with their times");
MODULE_LICENSE("GPL");
