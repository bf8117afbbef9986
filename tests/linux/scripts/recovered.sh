# After a power loss: what SQLite told is there, and both its file and the file system are whole. Before SQLite had told of a transaction, the
# file system itself may not have been made yet.
set -e
kind=$(cat /share/file-system 2>/dev/null || echo ext4)
told=$(tail -n 1 /share/told 2>/dev/null || echo 0)
if ! mount -t "$kind" /dev/nvme0n1 /mnt; then
	[ "${told:-0}" -eq 0 ]
	[ ! -e /share/mounted ]
	exit 0
fi
if [ "${told:-0}" -gt 0 ]; then
	found=$(sqlite3 /mnt/db 'SELECT count(*) FROM t')
	whole=$(sqlite3 /mnt/db 'PRAGMA integrity_check')
	echo "told $told, found $found, integrity $whole"
	[ "$found" -ge "$told" ]
	[ "$whole" = ok ]
fi
umount /mnt
case $kind in
ext4) e2fsck -f -n /dev/nvme0n1 ;;
xfs) xfs_repair -n /dev/nvme0n1 ;;
f2fs) fsck.f2fs --dry-run /dev/nvme0n1 ;;
btrfs) btrfs check --readonly /dev/nvme0n1 ;;
esac
