"""Several drives under one Linux: each is there with its own size, data go from one to the other, and each has its report."""

# What Linux has to see: the small drive first, whose blocks a way BOARD sets, and the shipped one behind it.
SCRIPT = """
set -e
echo "sizes $(cat /sys/block/nvme0n1/size) $(cat /sys/block/nvme1n1/size)"
dd if=/dev/urandom of=/data bs=4k count=2000 2>/dev/null
dd if=/data of=/dev/nvme1n1 bs=64k oflag=direct 2>/dev/null
mkfs.ext4 -q -E nodiscard /dev/nvme0n1 64m
mount /dev/nvme0n1 /mnt
dd if=/dev/nvme1n1 of=/mnt/copy bs=64k count=125 iflag=direct 2>/dev/null
sync
echo 3 >/proc/sys/vm/drop_caches
cmp /data /mnt/copy
fio --name=both --clocksource=clock_gettime --thread --filename=/dev/nvme0n1:/dev/nvme1n1 --direct=1 --rw=randread --bs=4k --size=8m \\
    --ioengine=io_uring --iodepth=16 --number_ios=1000 --output-format=terse | cut -d';' -f8
umount /mnt
"""


def drives(report):
    """The reports of all drives."""
    return [report, *report["firmament"].get("further_drives", [])]


def counted(report):
    """Bytes that the host wrote and read."""
    own = report["firmament"]
    return own["host_bytes_written"], own["host_bytes_read"]


def measure(linux, same, by_messages):
    one = linux.run("--drive", "small", "--command", SCRIPT)
    if not linux.ended("drives-of-two-boards-are-copied", one):
        return
    same(linux, "same-bytes-with-two-drives", one, linux.run("--drive", "small", "--command", SCRIPT))
    if by_messages:
        same(linux, "same-bytes-with-two-drives-by-messages", one, linux.run("--drive", "small", "--command", SCRIPT, "--scheduling", "messages"))
    told = drives(one.report())
    sizes = [int(word) for word in one.console().split("sizes ")[1].split()[:2]]
    (first_written, first_read), (second_written, second_read) = (counted(report) for report in told)
    each = sizes[0] > sizes[1] and second_written == 2000 * 4096 and second_read >= 2000 * 4096 and first_written > 2000 * 4096
    detail = f"wrote {first_written} and {second_written} bytes, read {first_read} and {second_read}"
    linux.verdict("each-drive-has-its-report", len(told) == 2 and each, detail)
    beside_one(linux)
    refused(linux)


def beside_one(linux):
    """A drive does what it does alone, whoever else is there: a job on the first, and the same job on the second in its place."""
    job = "fio --name=job --clocksource=clock_gettime --thread --direct=1 --rw=randread --bs=4k --size=16m --number_ios=500"
    means = []
    for device, further in (("nvme0n1", []), ("nvme0n1", ["--drive", "small"]), ("nvme1n1", ["--drive", "small"])):
        command = f"{job} --filename=/dev/{device} >/dev/null"
        ran = linux.run(*further, "--precondition", "sequential", "--command", command, board=["small"])
        if ran.code != 0:
            linux.verdict("a-drive-beside-another", False, ran.said or ran.console())
            return
        report = drives(ran.report())[int(device[4])]
        means.append(report["jobs"][0]["read"]["lat_ns"]["mean"] / 1e3)
    # A further drive is at most a turn of its firmware ahead of Linux: some microseconds.
    passed = abs(means[1] / means[0] - 1) < 0.01 and abs(means[2] / means[0] - 1) < 0.02
    linux.verdict("a-drive-beside-another", passed, ", ".join(f"{mean:.2f} us" for mean in means))


def refused(linux):
    """What is for one drive alone is refused in one line."""
    for words in (["--cut-at", "1ms", "--then", "/dev/null", "--set", "recovery.log_entries=8"], ["--save", "/dev/null"]):
        ran = linux.run("--drive", "small", *words, "--command", "true")
        passed = ran.code == 2 and ran.said.count("\n") == 0 and f"{words[0]}: found further drives" in ran.said
        linux.verdict(f"drives-without{words[0][1:]}", passed, ran.said)
    ran = linux.run(*["--drive", "small"] * 8, "--command", "true")
    linux.verdict("most-drives", ran.code == 2 and "7 at most" in ran.said, ran.said)
