# An open-channel drive: Linux passes its commands through, for it knows none of them any more.
. /checks/commands.sh
. /checks/messages.sh

generic=/dev/ng0n1
# Linux moves locked pages otherwise, and the drive would read a list from where it was.
echo 0 >/proc/sys/vm/compact_unevictable_allowed

# list ADDRESS...: the addresses as a list in host memory, whose own address is in $at until `unlist`.
list() {
	for address in "$@"; do
		for shift in 0 8 16 24 32 40 48 56; do
			printf "\\x$(printf %02x $((address >> shift & 255)))"
		done
	done >addresses
	: >where
	/checks/pinned <addresses >where &
	holder=$!
	for try in $(seq 50); do
		[ -s where ] && break
		sleep 0.1
	done
	at=$(cat where)
	[ "$at" ]
}

unlist() {
	kill $holder
	wait $holder || true
}

# vector OPCODE ADDRESS... -- OPTION...: a vector command; a single address stands in the command itself.
vector() {
	opcode=$1 addresses= count=0
	shift
	while [ "$1" != -- ]; do
		addresses="$addresses $1"
		count=$((count + 1))
		shift
	done
	shift
	holder=
	if [ $count = 1 ]; then at=$((addresses)); else list $addresses; fi
	status=0
	nvme io-passthru $generic --opcode=$opcode --namespace-id=1 --cdw10=$((at & 0xffffffff)) \
		--cdw11=$((at >> 32)) --cdw12=$((count - 1)) "$@" || status=$?
	[ -z "$holder" ] || unlist
	return $status
}

# vector_read FILE ADDRESS...
vector_read() {
	sink=$1
	shift
	vector 0x92 "$@" -- --data-len=$(($# * 4096)) --read --raw-binary >$sink
}

# vector_write FILE ADDRESS...
vector_write() {
	source=$1
	shift
	vector 0x91 "$@" -- --data-len=$(($# * 4096)) --write --input-file=$source
}

# write_page SEED ADDRESS: a page of a pattern, which `page` has then, to a chunk from an address on.
write_page() {
	pattern $1
	dd if=pattern of=page bs=4096 count=4 2>/dev/null
	vector_write page $(run_of 4 $2)
}

vector_reset() {
	vector 0x90 "$@" --
}

# geometry: asks for it, and sets what the other checks use.
geometry() {
	nvme admin-passthru $controller --opcode=0xe2 --namespace-id=1 --data-len=4096 --read --raw-binary >geometry
	groups=$(number geometry 64 2) units=$(number geometry 66 2) chunks=$(number geometry 68)
	blocks=$(number geometry 72) least=$(number geometry 128)
	block_bits=$(number geometry 11 1)
	chunk_bits=$((block_bits + $(number geometry 10 1)))
	unit_bits=$((chunk_bits + $(number geometry 9 1)))
}

# address GROUP UNIT CHUNK BLOCK
address() {
	echo $(($1 << unit_bits | $2 << chunk_bits | $3 << block_bits | $4))
}

# report GROUP UNIT CHUNK: what the drive tells of a chunk: state, blocks that are written, address.
report() {
	nvme get-log $controller --namespace-id=1 --log-id=0xca --log-len=32 --raw-binary \
		--lpo=$(((($1 * units + $2) * chunks + $3) * 32)) >descriptor
	echo "$(number descriptor 0 1) $(number descriptor 24) $(number descriptor 8)"
}

# free_chunk GROUP UNIT CHUNK: the first chunk that is free, from this one of the parallel unit on.
free_chunk() {
	for chunk in $(seq $3 $(($3 + 10))); do
		case "$(report $1 $2 $chunk)" in "1 0 "*) echo $chunk && return ;; esac
	done
	return 1
}

# run_of COUNT ADDRESS: as many addresses from one on.
run_of() {
	seq $2 $(($2 + $1 - 1))
}

# What Linux makes of the drive: the blocks that all addresses could name, as one device.
seen() {
	settle
	nvme list
	device=/sys/bus/pci/devices/$(cat /sys/class/nvme/nvme0/address)
	same "$(cat $device/vendor) $(cat $device/device)" "0x1d1d 0x1f1f" "vendor and device"
	same "$(basename "$(readlink $device/driver)")" nvme driver
	[ -c $generic ]
	nvme id-ns $drive --raw-binary >ns
	same "$(number ns 384 1)" 1 "first vendor specific byte"
	geometry
	same "$(cat /sys/block/nvme0n1/queue/logical_block_size)" 4096 "logical block"
	group_bits=$((unit_bits + $(number geometry 8 1)))
	same "$(cat /sys/block/nvme0n1/size)" $((8 << group_bits)) "blocks of 512 bytes"
}

told() {
	geometry
	same "$(number geometry 0 1).$(number geometry 1 1)" 2.0 revision
	same "$groups $units" "8 8" "groups and parallel units"
	same "$least $(number geometry 132)" "4 8" "smallest and best write"
	same "$(number geometry 8 1) $(number geometry 9 1)" "3 3" "bits of group and parallel unit"
	[ $chunks -le $((1 << chunk_bits - block_bits)) ] && [ $blocks -le $((1 << block_bits)) ]
}

# The last chunk of all stands at the end of the log; each has the address that the geometry gives it.
reported() {
	geometry
	for own in "0 0 0" "3 5 100" "$((groups - 1)) $((units - 1)) $((chunks - 1))"; do
		set -- $(report $own) $own
		case $1 in 1 | 8) ;; *) same "state $1" "state 1 or 8" "chunk $own" ;; esac
		same "$2 $3" "0 $(address $4 $5 $6 0)" "chunk $own"
		same "$(number descriptor 16)" $blocks "blocks of chunk $own"
	done
	refused 0x6002 nvme get-log $controller --namespace-id=1 --log-id=0xca --log-len=32 \
		--lpo=$((groups * units * chunks * 32))
}

# A page each to two chunks of different groups by one command; read in another order, one by one, and as Linux's blocks.
placed() {
	geometry
	pattern 20
	dd if=pattern of=data bs=4096 count=8 2>/dev/null
	one=$(free_chunk 1 2 5) two=$(free_chunk 6 0 9)
	first=$(address 1 2 $one 0) second=$(address 6 0 $two 0)
	vector_write data $(run_of 4 $first) $(run_of 4 $second)
	same "$(report 1 2 $one)" "4 4 $first" "chunk that is written"
	same "$(report 6 0 $two)" "4 4 $second" "the other one"
	vector_read found $((second + 3)) $first $((first + 2)) $second
	for block in 7 0 2 4; do
		dd if=data bs=4096 skip=$block count=1 2>/dev/null
	done >expected
	cmp found expected
	vector_read found $((first + 1))
	dd if=data of=expected bs=4096 skip=1 count=1 2>/dev/null
	cmp found expected
	dd if=$drive of=found bs=4096 skip=$second count=4 iflag=direct 2>/dev/null
	dd if=data of=expected bs=4096 skip=4 count=4 2>/dev/null
	cmp found expected
	# What is not written reads as zeroes.
	vector_read found $((first + 4)) $((second + 100))
	cmp -n 8192 found zeroes
}

# Whatever is against the rules has the specification's status, with Do Not Retry and More as others, and changes nothing.
disordered() {
	geometry
	own=$(free_chunk 2 3 20)
	first=$(address 2 3 $own 0)
	write_page 21 $first
	refused 0x62f2 vector_write page $(run_of 4 $((first + 8)))
	refused 0x62f2 vector_write page $(run_of 4 $first)
	refused 0x62f2 vector_write page $((first + 4)) $((first + 6)) $((first + 5)) $((first + 7))
	refused 0x6002 vector_write page $((first + 4))
	refused 0x62c1 vector_reset $first
	refused 0x62c1 vector_reset $(address 2 3 $(free_chunk 2 3 $((own + 1))) 0)
	refused 0x6002 vector_reset $((first + 1))
	[ $chunks = $((1 << chunk_bits - block_bits)) ] ||
		refused 0x6080 vector_read found $(address 2 3 $chunks 0)
	same "$(report 2 3 $own)" "4 4 $first" "chunk after all that"
	vector_read found $(run_of 4 $first)
	cmp found page
	# Linux's own writes are held to the same order.
	refused 0x62f2 nvme write $generic --start-block=$((first + 12)) --block-count=3 --data-size=16384 --data=page
	nvme write $generic --start-block=$((first + 4)) --block-count=3 --data-size=16384 --data=page
	same "$(report 2 3 $own)" "4 8 $first" "chunk after the next write"
}

copied() {
	geometry
	from=$(free_chunk 4 4 30) to=$(free_chunk 5 1 31)
	first=$(address 4 4 $from 0) second=$(address 5 1 $to 0)
	write_page 22 $first
	# Both lists in one page: 4 sources, and 4 destinations behind them.
	list $(run_of 4 $first) $(run_of 4 $second)
	status=0
	nvme io-passthru $generic --opcode=0x93 --namespace-id=1 --cdw10=$((at & 0xffffffff)) --cdw11=$((at >> 32)) \
		--cdw12=3 --cdw14=$((at + 32 & 0xffffffff)) --cdw15=$((at + 32 >> 32)) || status=$?
	unlist
	same $status 0 "exit code of the copy"
	vector_read found $(run_of 4 $second)
	cmp found page
	same "$(report 5 1 $to)" "4 4 $second" "chunk that was copied to"
}

# A whole chunk by Linux's block device, in order, as any program writes; then it is reset and written anew.
reset() {
	geometry
	own=$(free_chunk 7 7 40)
	first=$(address 7 7 $own 0)
	cat /usr/bin/fio /usr/sbin/nvme | head -c $((blocks * 4096)) >chunk
	dd if=chunk of=$drive bs=65536 seek=$((first / 16)) oflag=direct 2>/dev/null
	same "$(report 7 7 $own)" "2 $blocks $first" "full chunk"
	vector_read found $((first + blocks - 1)) $first
	dd if=chunk bs=4096 skip=$((blocks - 1)) count=1 2>/dev/null >expected
	dd if=chunk bs=4096 count=1 2>/dev/null >>expected
	cmp found expected
	vector_reset $first
	same "$(report 7 7 $own)" "1 0 $first" "chunk that was reset"
	vector_read found $first
	cmp -n 4096 found zeroes
	write_page 23 $first
	vector_read found $(run_of 4 $first)
	cmp found page
}

# What the drive holds outlasts a reset of the controller.
kept() {
	geometry
	own=$(free_chunk 0 6 50)
	first=$(address 0 6 $own 0)
	write_page 24 $first
	nvme reset $controller
	settle
	same "$(report 0 6 $own)" "4 4 $first" "chunk after a reset of the controller"
	vector_read found $(run_of 4 $first)
	cmp found page
}

check open-channel-drive seen
check open-channel-geometry told
check open-channel-chunk-report reported
check open-channel-write-and-read placed
check open-channel-order disordered
check open-channel-copy copied
check open-channel-reset reset
check kernel-has-no-complaints no_complaints
check open-channel-controller-reset kept
check no-time-outs no_timeouts
