# Resets and removals, with I/O under way.

# busy: reads and writes in the background that may fail.
busy() {
	fio --name=busy --filename=$drive --direct=1 --ioengine=libaio --rw=randrw --bs=4k --iodepth=16 \
		--offset=300m --size=100m --time_based --runtime=$1 --continue_on_error=all --output=/dev/null &
	sleep 1
}

# works: what was written before is there, and can be written anew.
works() {
	settle
	dd if=$drive of=found bs=4096 skip=5000 count=16 iflag=direct 2>/dev/null
	cmp found kept
	dd if=kept of=$drive bs=4096 seek=5000 count=16 oflag=direct 2>/dev/null
}

keep() {
	dd if=/usr/bin/fio of=kept bs=4096 skip=50 count=16 2>/dev/null
	dd if=kept of=$drive bs=4096 seek=5000 count=16 oflag=direct 2>/dev/null
}

controller_reset() {
	keep
	busy 4
	nvme reset $controller
	nvme reset $controller
	works
	wait
	same "$(cat /sys/class/nvme/nvme0/state)" live state
	works
}

function_reset() {
	keep
	device=/sys/bus/pci/devices/$(cat /sys/class/nvme/nvme0/address)
	cat $device/reset_method
	grep -q flr $device/reset_method
	echo flr >$device/reset_method
	echo 1 >$device/reset
	works
}

rebind() {
	keep
	address=$(cat /sys/class/nvme/nvme0/address)
	busy 3
	echo $address >/sys/bus/pci/drivers/nvme/unbind
	[ ! -e /sys/class/nvme/nvme0 ]
	wait
	echo $address >/sys/bus/pci/drivers/nvme/bind
	works
	same "$(grep -c 'nvme0q[12]$' /proc/interrupts)" 2 "I/O queues"
}
