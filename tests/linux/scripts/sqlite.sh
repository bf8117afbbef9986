# A thousand transactions of SQLite, each durable, in a table that is looked at afterwards.
set -e
mkfs.ext4 -q -E nodiscard /dev/nvme0n1
mount /dev/nvme0n1 /mnt
{
	echo "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT);"
	seq 1 1000 | sed "s/.*/INSERT INTO t VALUES(&, 'row & abcdefghijklmnopqrstuvwxyz');/"
} >/tmp/transactions.sql
began=$(cut -d' ' -f1 /proc/uptime)
sqlite3 /mnt/db </tmp/transactions.sql
echo "transactions from $began s to $(cut -d' ' -f1 /proc/uptime) s"
[ "$(sqlite3 /mnt/db 'SELECT count(*), sum(id) FROM t; PRAGMA integrity_check;' | tr '\n' ' ')" = "1000|500500 ok " ]
umount /mnt
