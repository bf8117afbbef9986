"""A drive with several namespaces, as Linux sees it."""

# Each namespace keeps what was written to it, and no other one has it; there is no fourth.
COMMAND = """
[ "$(echo /dev/nvme0n*)" = "/dev/nvme0n1 /dev/nvme0n2 /dev/nvme0n3" ] || exit 3
[ "$(nvme list-ns /dev/nvme0 | grep -c 0x)" = 3 ] || exit 4
[ "$(cat /sys/block/nvme0n*/uuid | sort -u | wc -l)" = 3 ] || exit 5
for n in 1 2 3; do mkfs.ext4 -q -E nodiscard /dev/nvme0n$n && mkdir -p /n$n && mount /dev/nvme0n$n /n$n || exit 6; done
for n in 1 2 3; do seq ${n}00000 ${n}90000 >/n$n/numbers || exit 7; done
umount /n1 /n2 /n3
for n in 3 2 1; do
    mount /dev/nvme0n$n /n$n && seq ${n}00000 ${n}90000 | cmp - /n$n/numbers && umount /n$n && e2fsck -f -n /dev/nvme0n$n || exit 8
done
blkdiscard /dev/nvme0n2 && cmp -n 1048576 /dev/nvme0n2 /dev/zero || exit 9
mount /dev/nvme0n1 /n1 && mount /dev/nvme0n3 /n3 && seq 300000 390000 | cmp - /n3/numbers || exit 10
"""


def measure(linux):
    """A verdict on three namespaces under Linux's own driver."""
    ran = linux.run("--set", "namespace.count=3", "--command", COMMAND)
    linux.verdict("three-namespaces", ran.code == 0, f"{ran.said} {ran.console()[-300:] if ran.code else ''}".strip())
