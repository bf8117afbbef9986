/*
 * Loaded before the C library of Linux in user mode, which stays unpatched. It mends what would let two runs differ, or keeps
 * Linux from running on machines that are younger than it.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <linux/stat.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/* Nobody is left to share the clock with when the drive is gone, however it went. */
__attribute__((constructor)) static void end_with_the_drive(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* SplitMix64 from FIRMAMENT_SEED on (Steele, Lea, Flood, OOPSLA 2014). */
static uint64_t next(void)
{
	static uint64_t state;
	static int begun;

	if (!begun) {
		const char *seed = getenv("FIRMAMENT_SEED");

		state = seed ? strtoull(seed, NULL, 10) : 1;
		begun = 1;
	}
	uint64_t mixed = state += 0x9e3779b97f4a7c15u;

	mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
	mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
	return mixed ^ mixed >> 31;
}

/* The kernel takes the seed of its random numbers from the machine's. */
ssize_t getrandom(void *into, size_t bytes, unsigned int flags)
{
	(void)flags;
	for (size_t at = 0; at < bytes; at++)
		((uint8_t *)into)[at] = next();
	return bytes;
}

/*
 * Linux asks about files of the machine by a descriptor of -1, which is right for a path from the root alone. Those here are in
 * the folder in which it was started: no path of the machine is to stand in what it prints.
 */
int statx(int folder, const char *path, int flags, unsigned int mask, struct statx *into)
{
	return syscall(SYS_statx, folder == -1 ? AT_FDCWD : folder, path, flags, mask, into);
}

/* Requests of ptrace; the header of the C library declares the function otherwise. */
enum { PEEK_FIRST = 1, PEEK_LAST = 3, GET_REGISTERS = 0x4204, SET_REGISTERS = 0x4205 };

/*
 * Linux 6.12 has room for 2,696 bytes of a processor's extended registers. A machine with AMX has 11,008, and takes back no fewer.
 * What is missing is the tiles, which no program has that did not ask for them: their bytes are zero, and the bits that say
 * whether they are in use stand in the part that Linux has.
 */
static long set_extended(pid_t process, const struct iovec *from)
{
	static uint8_t whole[1 << 16];
	static size_t bytes;
	struct iovec all = { whole, sizeof(whole) };

	if (!bytes) {
		if (syscall(SYS_ptrace, GET_REGISTERS, process, NT_X86_XSTATE, &all) < 0)
			return -1;
		bytes = all.iov_len;
		memset(whole, 0, sizeof(whole));
	}
	if (from->iov_len >= bytes)
		return syscall(SYS_ptrace, SET_REGISTERS, process, NT_X86_XSTATE, from);
	memcpy(whole, from->iov_base, from->iov_len);
	all.iov_len = bytes;
	return syscall(SYS_ptrace, SET_REGISTERS, process, NT_X86_XSTATE, &all);
}

long ptrace(int request, pid_t process, void *address, void *data)
{
	if (request == SET_REGISTERS && address == (void *)NT_X86_XSTATE)
		return set_extended(process, data);
	if (request < PEEK_FIRST || request > PEEK_LAST)
		return syscall(SYS_ptrace, request, process, address, data);
	/* The C library returns what was read; the system call writes it. */
	long word;
	long got = syscall(SYS_ptrace, request, process, address, &word);

	if (got < 0)
		return got;
	errno = 0;
	return word;
}
