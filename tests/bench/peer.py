"""Requests a second of user time of this simulator and of MQSim, side by side.

`peer.py --firmament PROGRAM --mqsim FOLDER` takes a folder of MQSim's sources, in which its own Makefile builds it if it is not built. Runs of
both take turns. A rate is that of twice as many requests less those of once, so that starts count on neither side. The drive is the
one of docs/performance.md: 8 channels of 8 chips of one die and one plane, ideal map, no data cache; 32 GiB, and 128 GiB here. Exit code 0: the table was
printed. 1: a run failed. 3: there is no MQSim in the folder.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import tomllib
import xml.etree.ElementTree as xml

from bench import Failed, Firmament

HERE = os.path.dirname(os.path.abspath(__file__))
SECTOR_BYTES = 512
# By case of cases.toml: requests of MQSim and of ours, their bytes, the share of reads, how addresses follow each other, and how many units a request has.
CASES = {
    "random-read": ((200_000, 1_000_000), 4 << 10, 100, "RANDOM_UNIFORM", 1),
    "random-write": ((100_000, 200_000), 4 << 10, 0, "RANDOM_UNIFORM", 1),
    "sequential-read": ((20_000, 100_000), 128 << 10, 100, "STREAMING", 8),
}
# As many writes make a smaller drive collect.
SIZE = "128 GiB"
DEVICE = {
    "Caching_Mechanism": "ADVANCED",
    "Ideal_Mapping_Table": "true",
    "Flash_Channel_Count": 8,
    "Channel_Transfer_Rate": 200,
    "Chip_No_Per_Channel": 8,
    "Flash_Technology": "SLC",
    "Page_Read_Latency_LSB": 99_000,
    "Page_Read_Latency_CSB": 99_000,
    "Page_Read_Latency_MSB": 99_000,
    "Page_Program_Latency_LSB": 486_000,
    "Page_Program_Latency_CSB": 486_000,
    "Page_Program_Latency_MSB": 486_000,
    "Block_Erase_Latency": 5_000_000,
    "Die_No_Per_Chip": 1,
    "Plane_No_Per_Die": 1,
    "Block_No_Per_Plane": 256,
    "Page_No_Per_Block": 128,
    "Page_Capacity": 16_384,
    "Page_Metadat_Capacity": 1_664,
    "PCIe_Lane_Bandwidth": 0.5,
    "PCIe_Lane_Count": 8,
}
FLOW = {
    "Device_Level_Data_Caching_Mode": "TURNED_OFF",
    "Channel_IDs": "0,1,2,3,4,5,6,7",
    "Chip_IDs": "0,1,2,3,4,5,6,7",
    "Die_IDs": "0",
    "Plane_IDs": "0",
    "Initial_Occupancy_Percentage": 75,
    "Working_Set_Percentage": 100,
    "Average_No_of_Reqs_in_Queue": 64,
    # Of a run that ends after a time, the number of requests would say nothing.
    "Stop_Time": 0,
}


def user_s(command, folder):
    """User time of a run."""
    with open(f"{folder}/said", "w") as said:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, cwd=folder)
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        lines = open(f"{folder}/said").read().strip().splitlines() or ["no output"]
        raise Failed(f"{' '.join(command[:2])}: exit code {child.returncode}: {lines[-1]}")
    return usage.ru_utime


def put(tree, values):
    """Values in place of those of a configuration, each of which has to have them."""
    for key, value in values.items():
        found = list(tree.iter(key))
        if not found:
            raise Failed(f"{key}: found it nowhere in MQSim's configuration, expected it")
        for element in found:
            element.text = str(value)


class Mqsim:
    """MQSim as its own Makefile builds it."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self.program = f"{self.folder}/MQSim"
        if not os.path.isfile(f"{self.folder}/ssdconfig.xml"):
            print(f"bench-peer: {folder}: found no ssdconfig.xml, expected a folder of MQSim's sources", file=sys.stderr)
            sys.exit(3)
        if not os.path.isfile(self.program):
            subprocess.run(["make", "--silent"], cwd=self.folder, check=True)

    def user_s(self, case, count):
        _, size, reads, order, _ = CASES[case]
        with tempfile.TemporaryDirectory() as folder:
            device = xml.parse(f"{self.folder}/ssdconfig.xml")
            put(device, DEVICE)
            device.write(f"{folder}/device.xml")
            load = xml.parse(f"{self.folder}/workload.xml")
            root = load.getroot()
            for scenario in root[1:]:
                root.remove(scenario)
            for flow in root[0][1:]:
                root[0].remove(flow)
            sectors = size // SECTOR_BYTES
            put(load, FLOW | {
                "Read_Percentage": reads,
                "Address_Distribution": order,
                "Address_Alignment_Unit": sectors,
                "Average_Request_Size": sectors,
                "Total_Requests_To_Generate": count,
            })
            load.write(f"{folder}/load.xml")
            return user_s([self.program, "-i", "device.xml", "-w", "load.xml"], folder)


def rates(case, ours, theirs, rounds):
    """Units a second of user time of both, round by round."""
    (few, many), units = CASES[case][0], CASES[case][4]
    both = [(ours, many), (theirs, few)]
    found = []
    for _ in range(rounds):
        taken = [(count, [run(times * count) for times in (1, 2)]) for run, count in both]
        found.append([count * units / max(twice - once, 1e-9) for count, (once, twice) in taken])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--firmament", required=True, help="the program")
    parser.add_argument("--mqsim", required=True, help="a folder of MQSim's sources")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each kind")
    options = parser.parse_args()
    firmament, mqsim = Firmament(options.firmament), Mqsim(options.mqsim)
    with open(f"{HERE}/cases.toml", "rb") as file:
        told = tomllib.load(file)
    cases = {case["name"]: case for case in told["case"]}
    print("| | Firmament | MQSim | Firmament by MQSim, least to most of the rounds |\n|---|---|---|---|")
    try:
        for name in CASES:
            units = CASES[name][4]

            def ours(count):
                with tempfile.TemporaryDirectory() as folder:
                    return user_s(firmament.options(cases[name], told["sizes"][SIZE], count * units), folder)

            found = rates(name, ours, lambda count: mqsim.user_s(name, count), options.rounds)
            medians = [statistics.median(column) for column in zip(*found)]
            ratios = sorted(own / other for own, other in found)
            print(
                f"| {cases[name]['does']} | {medians[0]:,.0f} a second | {medians[1]:,.0f} a second "
                f"| {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}) |",
                flush=True,
            )
    except Failed as reason:
        print(f"bench-peer: {reason}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
