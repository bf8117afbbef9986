# Formats the drive with btrfs, writes and reads back files, and checks the file system.
set -e
mkfs.btrfs -q -f -K /dev/nvme0n1
mount -t btrfs /dev/nvme0n1 /mnt
cp /bin/busybox /mnt/copy
fio --clocksource=clock_gettime --directory=/mnt --name=synced --rw=randwrite --bs=4k --size=2m --number_ios=200 --fsync=4
umount /mnt
mount -t btrfs /dev/nvme0n1 /mnt
cmp /bin/busybox /mnt/copy
umount /mnt
btrfs check --readonly /dev/nvme0n1
