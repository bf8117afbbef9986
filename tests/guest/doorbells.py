"""What a doorbell costs: CPU time of QEMU and of the drive for random reads, by how doorbells are rung."""

import os
import resource

FEW = 1_000
MANY = 31_000


def seconds_of(process):
    """CPU time of a process that runs."""
    with open(f"/proc/{process.pid}/stat") as file:
        fields = file.read().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def seconds_of_children():
    """CPU time of all processes that were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cost(guest, kind, depth, reads):
    """CPU seconds of QEMU and of the drive for a guest that boots and does so many reads; its IOPS."""
    drive = guest.drive("rings", ["small", "--pace", "fast", "--doorbells", kind])
    try:
        before = seconds_of_children()
        guest.phase("rings", ["reads"], [drive], f"depth={depth} reads={reads}")
        qemu = seconds_of_children() - before
        served = seconds_of(drive.process)
        drive.end()
    finally:
        drive.kill()
    return qemu, served, guest.measured.get("iops", 0)


def measure(guest, rounds=2):
    """Prints a table: the difference between many reads and few, so that the boot does not count."""
    rows = []
    for depth in (1, 16):
        for kind in ("message", "memory"):
            sums = [0.0, 0.0, 0.0]
            for _ in range(rounds):
                few, many = (cost(guest, kind, depth, reads) for reads in (FEW, MANY))
                for nth in (0, 1):
                    sums[nth] += (many[nth] - few[nth]) / (MANY - FEW) * 1e6
                sums[2] += many[2]
            rows.append((depth, kind, *(value / rounds for value in sums)))
    print("depth  doorbells  QEMU us a read  drive us a read  IOPS")
    for depth, kind, qemu, served, iops in rows:
        print(f"{depth:5}  {kind:9}  {qemu:14.0f}  {served:15.0f}  {iops:.0f}")
