# After a power loss: what SQLite told is there, and both its file and the file system are whole.
set -e
mount /dev/nvme0n1 /mnt
told=$(tail -n 1 /share/told 2>/dev/null || echo 0)
if [ "${told:-0}" -gt 0 ]; then
	found=$(sqlite3 /mnt/db 'SELECT count(*) FROM t')
	whole=$(sqlite3 /mnt/db 'PRAGMA integrity_check')
	echo "told $told, found $found, integrity $whole"
	[ "$found" -ge "$told" ]
	[ "$whole" = ok ]
fi
umount /mnt
e2fsck -f -n /dev/nvme0n1
