# SQLite's transactions, one after the other, until the power goes. Each is told in /share once SQLite says that it is durable.
# A file "lie" there makes Linux take the drive's cache for one that keeps what it holds, so that it never flushes.
set -e
mkfs.ext4 -q -E nodiscard /dev/nvme0n1
mount /dev/nvme0n1 /mnt
[ ! -e /share/lie ] || echo 'write through' >/sys/block/nvme0n1/queue/write_cache
{
	echo "$(cat /share/pragmas)"
	echo "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT);"
	seq 1 20000 | sed "s/.*/INSERT INTO t VALUES(&, 'row & abcdefghijklmnopqrstuvwxyz');\n.shell echo & >>\/share\/told/"
} | sqlite3 /mnt/db
