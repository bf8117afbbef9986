# Another virtual machine on the same drive: what the one before left is there.
. /checks/resets.sh

kept_over_reconnect() {
	dd if=/usr/bin/fio of=kept bs=4096 skip=50 count=16 2>/dev/null
	works
}

check reconnect-keeps-data kept_over_reconnect
