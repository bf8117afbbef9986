/*
 * Holds a page of memory still, and says where the drive finds it.
 *
 * The list of addresses of a vector command stands in host memory, and its place in the command; Linux passes the
 * command on and knows nothing of the list. So: a page is filled from standard input, its physical address is printed
 * in decimal, and the page stays until the program is killed. Needs root's rights, a machine without an IOMMU, and
 * /proc/sys/vm/compact_unevictable_allowed of 0, or Linux moves locked pages.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

int main(void)
{
	unsigned char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, -1, 0);
	if (page == MAP_FAILED)
		fail("mmap");
	ssize_t got;
	for (size_t have = 0; (got = read(STDIN_FILENO, page + have, PAGE - have)) > 0;)
		have += got;
	if (got < 0)
		fail("read");
	/* Documentation/admin-guide/mm/pagemap.rst: 8 bytes a page, bit 63 whether it is there, bits 0 to 54 its frame. */
	uint64_t entry;
	int map = open("/proc/self/pagemap", O_RDONLY);
	if (map < 0 || pread(map, &entry, sizeof entry, (uintptr_t)page / PAGE * sizeof entry) != sizeof entry)
		fail("/proc/self/pagemap");
	uint64_t frame = entry & ((1ULL << 55) - 1);
	if (!(entry >> 63) || !frame) {
		fprintf(stderr, "/proc/self/pagemap: found %#llx, expected a page that is there\n", (unsigned long long)entry);
		return 1;
	}
	printf("%llu\n", (unsigned long long)frame * PAGE);
	fflush(stdout);
	pause();
	return 0;
}
