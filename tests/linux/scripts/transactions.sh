# SQLite's transactions, one after the other, until the power goes. Each is told in /share once SQLite says that it is durable.
# The file system is the one that a file "file-system" there names, ext4 without. A file "lie" makes Linux take the drive's cache for one
# that keeps what it holds, so that it never flushes.
set -e
kind=$(cat /share/file-system 2>/dev/null || echo ext4)
case $kind in
ext4) mkfs.ext4 -q -E nodiscard /dev/nvme0n1 ;;
xfs) mkfs.xfs -q -f -K /dev/nvme0n1 ;;
f2fs) mkfs.f2fs -q -f -t 0 /dev/nvme0n1 ;;
btrfs) mkfs.btrfs -q -f -K /dev/nvme0n1 ;;
esac
mount -t "$kind" /dev/nvme0n1 /mnt
: >/share/mounted
[ ! -e /share/lie ] || echo 'write through' >/sys/block/nvme0n1/queue/write_cache
{
	echo "$(cat /share/pragmas)"
	echo "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT);"
	seq 1 20000 | sed "s/.*/INSERT INTO t VALUES(&, 'row & abcdefghijklmnopqrstuvwxyz');\n.shell echo & >>\/share\/told/"
} | sqlite3 /mnt/db
