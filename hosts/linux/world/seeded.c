/*
 * Loaded before the C library of Linux in user mode: the kernel takes the seed of its random numbers from getrandom,
 * and two runs would differ. Numbers are those of SplitMix64 from FIRMAMENT_SEED on (Steele, Lea, Flood, OOPSLA 2014).
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>

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

ssize_t getrandom(void *into, size_t bytes, unsigned int flags)
{
	(void)flags;
	for (size_t at = 0; at < bytes; at++)
		((uint8_t *)into)[at] = next();
	return bytes;
}
