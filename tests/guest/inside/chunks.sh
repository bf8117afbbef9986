# What a Linux without LightNVM can do with an open-channel drive: nvme-cli passes commands on as they are. A list of
# addresses would have to be at a physical address, so each vector command here has one address.
. /checks/identify.sh
. /checks/messages.sh

# The chunk that is used, the fifth of the first parallel unit, by the address of its first block.
chunk=5
start=640

# bytes FILE FIRST COUNT: so many bytes in decimal, with a blank between two.
bytes() {
	dd if="$1" bs=1 skip="$2" count="$3" 2>/dev/null | od -An -v -tu1 | tr -s ' \n' ' ' | sed 's/^ //; s/ $//'
}

io() {
	nvme io-passthru $drive --namespace-id=1 "$@"
}

known_as_open_channel() {
	address=$(cat /sys/class/nvme/nvme0/address)
	same "$(cat /sys/bus/pci/devices/$address/vendor)" 0x1d1d vendor
	same "$(cat /sys/bus/pci/devices/$address/device)" 0x1f1f device
	nvme id-ns $drive --raw-binary >namespace
	same "$(bytes namespace 384 1)" 1 'vendor specific byte'
}

geometry() {
	nvme admin-passthru $controller --opcode=0xe2 --namespace-id=1 --data-len=4096 --read --raw-binary >geometry
	same "$(bytes geometry 0 2)" '2 0' revision
	same "$(bytes geometry 64 12)" '2 0 2 0 32 0 0 0 128 0 0 0' counts
	same "$(bytes geometry 128 4)" '4 0 0 0' 'smallest write'
}

# state_of_chunk STATE WRITTEN
state_of_chunk() {
	nvme get-log $controller --namespace-id=1 --log-id=0xca --log-len=4096 --raw-binary >chunks
	same "$(bytes chunks $((32 * chunk)) 2)" "$1 1" 'state and type'
	same "$(bytes chunks $((32 * chunk + 24)) 2)" "$2 0" 'write pointer'
}

chunk_report() {
	state_of_chunk 1 0
}

# write_blocks FIRST COUNT
write_blocks() {
	head -c $((4096 * $2)) /dev/urandom >part
	cat part >>data
	io --opcode=0x01 --cdw10=$1 --cdw12=$(($2 - 1)) --data-len=$((4096 * $2)) --input-file=part --write
}

written_and_read_by_address() {
	: >data
	: >back
	write_blocks $start 4
	for nth in 3 0 2 1; do
		io --opcode=0x92 --cdw10=$((start + nth)) --data-len=4096 --read --raw-binary >block
		dd if=block of=back bs=4096 seek=$nth conv=notrunc 2>/dev/null
	done
	cmp data back
	state_of_chunk 4 4
}

out_of_order_is_refused() {
	if io --opcode=0x01 --cdw10=$((start + 8)) --cdw12=3 --data-len=16384 --input-file=data --write >said 2>&1; then
		echo 'a write out of order succeeded'
		return 1
	fi
	cat said
	grep -qi '2f2' said
	state_of_chunk 4 4
}

filled_and_reset() {
	write_blocks $((start + 4)) 60
	write_blocks $((start + 64)) 64
	state_of_chunk 2 128
	io --opcode=0x90 --cdw10=$start
	state_of_chunk 1 0
}

check driver-binds driver_binds
check known-as-open-channel known_as_open_channel
check geometry geometry
check chunk-report chunk_report
check written-and-read-by-address written_and_read_by_address
check out-of-order-is-refused out_of_order_is_refused
check filled-and-reset filled_and_reset
check kernel-has-no-complaints no_complaints
check no-time-outs no_timeouts
