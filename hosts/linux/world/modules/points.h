/* SPDX-License-Identifier: GPL-2.0 */
/* Probes at the kernel's tracepoints, by name. */
#include <linux/module.h>
#include <linux/tracepoint.h>

struct place {
	const char *name;
	void *probe;
	struct tracepoint *point;
};

struct places {
	struct place *all;
	int count;
};

static void places_match(struct tracepoint *point, void *data)
{
	struct places *places = data;
	int nth;

	for (nth = 0; nth < places->count; nth++)
		if (!strcmp(point->name, places->all[nth].name))
			places->all[nth].point = point;
}

static void places_leave(struct places *places)
{
	int nth;

	for (nth = 0; nth < places->count; nth++)
		if (places->all[nth].point)
			tracepoint_probe_unregister(places->all[nth].point, places->all[nth].probe, NULL);
	tracepoint_synchronize_unregister();
}

/* All of them or none. */
static int places_take(struct places *places)
{
	int nth;

	for_each_kernel_tracepoint(places_match, places);
	for (nth = 0; nth < places->count; nth++) {
		struct place *place = &places->all[nth];

		if (place->point && !tracepoint_probe_register(place->point, place->probe, NULL))
			continue;
		pr_err("%s: found no tracepoint %s\n", KBUILD_MODNAME, place->name);
		place->point = NULL;
		places_leave(places);
		return -ENOENT;
	}
	return 0;
}
