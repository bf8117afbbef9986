# Transactions of SQLite, one row each, by the pragmas in /share.
set -e
mkfs.ext4 -q -E nodiscard /dev/nvme0n1
mount /dev/nvme0n1 /mnt
{
	cat /share/pragmas
	echo "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT);"
	seq 1 "$(cat /share/count)" | sed "s/.*/INSERT INTO t VALUES(&, 'row & abcdefghijklmnopqrstuvwxyz');/"
} >/tmp/transactions.sql
sqlite3 /mnt/db </tmp/transactions.sql
