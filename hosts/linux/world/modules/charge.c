// SPDX-License-Identifier: GPL-2.0
/*
 * The processor's time in virtual time: Linux in user mode takes none but what it spends on reading clocks. This module
 * charges a fixed time at four places of the kernel, so that a request costs the processor something. The kernel is unpatched.
 */
#include "points.h"

/* Lets virtual time pass (arch/um/kernel/time.c). */
void time_travel_ndelay(unsigned long nsec);

enum { ISSUE, COMPLETE, SWITCH, WAKE, PLACES };

static unsigned long ns[PLACES];
static unsigned long times[PLACES];

module_param_named(issue_ns, ns[ISSUE], ulong, 0644);
MODULE_PARM_DESC(issue_ns, "nanoseconds for each request that is given to a driver");
module_param_named(complete_ns, ns[COMPLETE], ulong, 0644);
MODULE_PARM_DESC(complete_ns, "nanoseconds for each request that a driver completes");
module_param_named(switch_ns, ns[SWITCH], ulong, 0644);
MODULE_PARM_DESC(switch_ns, "nanoseconds for each switch between tasks");
module_param_named(wake_ns, ns[WAKE], ulong, 0644);
MODULE_PARM_DESC(wake_ns, "nanoseconds for each task that is woken");
module_param_named(issued, times[ISSUE], ulong, 0444);
module_param_named(completed, times[COMPLETE], ulong, 0444);
module_param_named(switched, times[SWITCH], ulong, 0444);
module_param_named(woken, times[WAKE], ulong, 0444);

static void charge(int place)
{
	/* What happens while time passes, an interrupt for one, is charged after it. */
	static unsigned long owed;
	static bool passing;

	times[place]++;
	owed += ns[place];
	if (passing)
		return;
	passing = true;
	while (owed) {
		unsigned long now = owed;

		owed = 0;
		time_travel_ndelay(now);
	}
	passing = false;
}

static void on_issue(void *data, void *request) { charge(ISSUE); }
static void on_complete(void *data, void *request) { charge(COMPLETE); }
static void on_switch(void *data, bool preempt, void *from, void *to) { charge(SWITCH); }
static void on_wake(void *data, void *task) { charge(WAKE); }

static struct place all[PLACES] = {
	[ISSUE] = { "block_rq_issue", on_issue },
	[COMPLETE] = { "block_rq_complete", on_complete },
	[SWITCH] = { "sched_switch", on_switch },
	[WAKE] = { "sched_waking", on_wake },
};
static struct places places = { all, PLACES };

static int __init charge_init(void)
{
	return places_take(&places);
}

static void __exit charge_exit(void)
{
	places_leave(&places);
}

module_init(charge_init);
module_exit(charge_exit);
MODULE_DESCRIPTION("Processor time charged at tracepoints, in virtual time");
MODULE_LICENSE("GPL");
