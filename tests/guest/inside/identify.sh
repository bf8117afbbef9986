# What the drive says of itself.

driver_binds() {
	settle
	address=$(cat /sys/class/nvme/nvme0/address)
	same "$(basename "$(readlink /sys/bus/pci/devices/$address/driver)")" nvme driver
	same "$(cat /sys/bus/pci/devices/$address/class)" 0x010802 class
	same "$(cat /sys/class/nvme/nvme0/state)" live state
}

capabilities() {
	lspci -vv -s "$(cat /sys/class/nvme/nvme0/address)" >list
	cat list
	grep -q 'Power Management version 3' list
	grep -q 'Express (v2) ' list
	grep -q 'MSI-X: Enable+ Count=[0-9]* Masked-' list
	grep -q 'FLReset+' list
	grep -q 'BusMaster+' list
	grep -q 'Express (v2) Endpoint' list
	grep 'LnkSta:' list | grep -q 'Speed [0-9.]*GT/s.* Width x[1-9]'
}

nvme_list() {
	nvme list
	nvme list | grep -q "^$drive .*FIRMAMENT-[0-9]* .*Firmament open SSD"
}

id_ctrl() {
	nvme id-ctrl $controller >ctrl
	cat ctrl
	vendor=$(cat /sys/bus/pci/devices/$(cat /sys/class/nvme/nvme0/address)/vendor)
	same "$(field vid <ctrl)" "$vendor" vid
	same "$(field ver <ctrl)" 0x10400 ver
	same "$(field sqes <ctrl)" 0x66 sqes
	same "$(field cqes <ctrl)" 0x44 cqes
	same "$(field nn <ctrl)" 1 nn
	same "$(field vwc <ctrl)" 0x7 vwc
	field subnqn <ctrl | grep -q '^nqn\.'
}

id_ns() {
	nvme id-ns $drive >ns
	cat ns
	size=$(($(field nsze <ns)))
	grep -q 'lbads:12 .*(in use)' ns
	same $((size * 8)) "$(cat /sys/block/nvme0n1/size)" "blocks of 512 bytes"
	same $(($(field ncap <ns))) $size ncap
}

smart_log() {
	nvme smart-log $controller >smart
	cat smart
	same "$(field critical_warning <smart)" 0 critical_warning
	same "$(field available_spare <smart)" 100% available_spare
	same "$(field media_errors <smart)" 0 media_errors
	field temperature <smart | grep -q '^40 '
	[ "$(field host_read_commands <smart | tr -d ,)" -gt 0 ]
}

error_log() {
	nvme error-log $controller -e 64 >log
	tail -n 5 log
	same "$(grep -c '^error_count' log)" 64 entries
}

fw_log() {
	nvme fw-log $controller >log
	cat log
	revision=$(nvme id-ctrl $controller | field fr | tr -d ' ')
	grep -q "^frs1 .*($revision" log
}

# effect OPCODE: its entry in the log of commands; I/O commands stand 256 after those of the admin queue.
effect() {
	dd if=log bs=4 skip=$1 count=1 2>/dev/null | od -A n -t x4 | tr -d ' '
}

# Linux lets users without rights pass those commands through that this log calls harmless.
effects_log() {
	nvme get-log $controller --log-id=5 --log-len=4096 --raw-binary >log
	same "$(effect 128)" 00010007 "Format NVM"
	same "$(effect $((256 + 1)))" 00000003 Write
	same "$(effect $((256 + 2)))" 00000001 Read
	same "$(effect $((256 + 4)))" 00000000 "Write Uncorrectable"
}

# Linux shows each kind of number that the drive tells.
identifiers() {
	nvme ns-descs $drive >list
	cat list
	for kind in eui64:eui nguid:nguid uuid:uuid; do
		told=$(field "${kind%:*}" <list | tr -d ' -')
		same "$(tr -d ' -' </sys/block/nvme0n1/${kind#*:})" "$told" "${kind%:*}"
		[ -n "$(echo "$told" | tr -d 0)" ]
	done
}

# Features that every I/O controller has (NVMe 1.4 figure 270), and the write cache's.
features() {
	for feature in 1 2 4 5 6 7 8 9 10 11; do
		# Error recovery is the namespace's own.
		case $feature in 5) of="-n 1" ;; *) of= ;; esac
		nvme get-feature $controller -f $feature $of >value 2>&1 || {
			cat value
			return 1
		}
		cat value
		grep -qi 'current value: *[0-9a-fx]' value
	done
	# Two I/O queues at least, and the write cache on.
	nvme get-feature $controller -f 7 | grep -qi 'value: *\(0x\)*0*[1-9a-f]000[1-9a-f]'
	nvme get-feature $controller -f 6 | grep -qi 'value: *\(0x\)*0*1$'
}

queues() {
	for cpu in 0 1; do
		taskset -c $cpu dd if=$drive of=/dev/null bs=4096 count=64 iflag=direct 2>/dev/null
	done
	grep nvme0q /proc/interrupts
	for queue in 0 1 2; do
		count=$(awk "/nvme0q$queue\$/ { print \$2 + \$3 }" /proc/interrupts)
		[ "$count" -gt 0 ]
	done
	grep -q 'MSI' /proc/interrupts
}

check driver-binds driver_binds
check pci-capabilities capabilities
check nvme-list nvme_list
check id-ctrl id_ctrl
check id-ns id_ns
check smart-log smart_log
check error-log error_log
check fw-log fw_log
check effects-log effects_log
check identifiers identifiers
check get-feature features
check queues-and-vectors queues
