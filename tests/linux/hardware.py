"""Linux in virtual time on a drive in hardware."""

# The board whose times are those of the hardware, so that both bodies can be compared.
BOARD = ["firmament-rtl"]
HARDWARE = [*BOARD, "--body", "rtl"]
# A file system, and its data once they have left memory.
FILES = (
    "mkfs.ext4 -q /dev/nvme0n1 && mount /dev/nvme0n1 /mnt && dd if=/dev/urandom of=/mnt/data bs=64k count=16 && sync &&"
    " sha256sum /mnt/data >/tmp/sum && umount /mnt && mount /dev/nvme0n1 /mnt && sha256sum -c /tmp/sum && umount /mnt && e2fsck -fn /dev/nvme0n1"
)
JOB = """[global]
ioengine=libaio
direct=1
size=2m
iodepth=4
[write]
rw=write
bs=128k
end_fsync=1
[read]
stonewall
rw=randread
bs=4k
io_size=512k
"""
# What the drive is new for, as its body is hardware.
REFUSED = {
    "--precondition sequential": "--precondition: found a state that is put there at once, expected none, as --body=rtl is hardware",
    "--image x.img": "--image: found x.img, expected none, as --body=rtl is hardware",
    "--save x.snap": "--save: found x.snap, expected none, as --body=rtl is hardware",
    "--from x.snap": "--from: found x.snap, expected none, as --body=rtl is hardware",
    "--cut-at 1ms --then /dev/null": "--cut-at: found a power loss, expected none, as --body=rtl is hardware",
    "--drive small": "--drive: found further drives, expected none, as --body=rtl is hardware",
}


def refusals(linux):
    """What a drive in hardware has not is refused in a line, before anything begins."""
    for words, expected in REFUSED.items():
        ran = linux.run("--body", "rtl", "--command", "true", *words.split())
        linux.verdict(f"hardware-without-{words.split()[0].strip('-')}", (ran.code, ran.said) == (2, f"firmament: {expected}"), ran.said)


def latencies(ran):
    """Mean completion latencies of the program's writes and reads, in microseconds, as the drive's report has them."""
    job = ran.report()["jobs"][0]
    return [job[direction]["clat_ns"]["mean"] / 1000 for direction in ("write", "read")]


def measure(linux, same, job_file):
    """Verdicts on the drive in hardware; the program has to be built with it."""
    refusals(linux)
    first = linux.run("--cpu", "none", "--command", FILES, board=HARDWARE)
    if first.code == 2:
        linux.verdict("hardware", False, first.said)
        return
    if linux.ended("ext4-on-hardware", first):
        same(linux, "same-bytes-on-hardware", first, linux.run("--cpu", "none", "--command", FILES, board=HARDWARE))
    with open(job_file, "w", encoding="ascii") as file:
        file.write(JOB)
    ran = [linux.run("--cpu", "none", "--job", job_file, board=board) for board in (HARDWARE, BOARD)]
    for body, own in zip(("hardware", "virtual-time"), ran):
        linux.ended(f"fio-on-{body}", own)
    for kind, hardware, simulated in zip(("writes", "reads"), *map(latencies, ran)):
        difference = 100 * (simulated / hardware - 1)
        detail = f"mean of the drive {hardware:.1f} us in hardware, {simulated:.1f} us in virtual time: {difference:+.1f} %"
        linux.verdict(f"{kind}-take-as-long-on-both-bodies", abs(difference) < 1, detail)
