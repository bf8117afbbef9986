"""Drives and machines that are killed without warning, under loads that say what is durable."""

import os
import random
import threading
import time

LOADS = ["fio", "ext4", "xfs", "btrfs"]
# What the other forms do of them, since every life boots a guest.
BRIEF = ["ext4"]
# A small drive that keeps a log, large enough for any of the file systems.
BOARD = ["cosmos-plus-log", "--set", "geometry.ways=1", "--set", "geometry.blocks_per_way=128"]
# Seconds that a life may take until it writes, and then at most until it is killed.
START_SECONDS = 900
LOAD_SECONDS = 4.0


class Life:
    """One life of a guest under a load: what it said, and what was durable when it was killed."""

    def __init__(self, guest, load, number, done):
        self.guest = guest
        self.load = load
        self.number = number
        self.done = list(done)
        self.passed = True
        self.said = []

    def words(self):
        done = ",".join(str(number) for number in self.done)
        return f"phase=crash load={self.load} life={self.number} done={done}"

    def take(self, line):
        """Takes a line of the console. True when the load has begun to write."""
        parts = line.split()
        if parts[:1] == ["SYNCED"] and len(parts) == 3:
            self.done[int(parts[1])] = int(parts[2])
            return True
        if parts[:1] == ["VERDICT"] and len(parts) == 5 and parts[1] != "pass":
            self.passed = False
        self.said.append(line)
        return parts[:1] == ["MOUNTED"]

    def run(self, drive, kill, delay):
        """Runs until `kill` was called, so many seconds after the load began."""
        command = self.guest.machine.command(
            self.guest.kernel, self.guest.initramfs, self.words(), [drive]
        )
        begun = threading.Event()
        killer = None
        machine = self.guest.machine
        for line in machine.run(command, START_SECONDS):
            if line is None:
                self.passed = False
                self.said.append(f"out of time after {START_SECONDS} s")
                break
            if line.startswith("END "):
                break
            if self.take(line) and not begun.is_set():
                begun.set()
                if self.load != "fio":
                    # Files of this life are counted anew.
                    self.done = [0] * len(self.done)
                killer = threading.Timer(delay, lambda: kill(machine))
                killer.start()
        if killer is None:
            self.passed = False
            self.said.append("the load did not begin")
        else:
            killer.cancel()
            killer.join()
        return self.passed


def kill_drive_and_machine(drive):
    """The drive first, so that nothing it had left for later can reach it."""

    def kill(machine):
        drive.kill()
        machine.kill()

    return kill


def lives(guest, load, rounds, draws):
    """A drive in a file under a load, killed again and again; in every third life only the machine is."""
    image = f"{guest.directory}/{load}.img"
    if os.path.exists(image):
        os.remove(image)
    done = [0] * (1 if load == "fio" else 3)
    drive = None
    kills = {"drive": 0, "machine": 0}
    began = time.monotonic()
    try:
        for number in range(1, rounds + 2):
            if drive is None:
                arguments = [*BOARD, "--image", image, "--pace", "fast"]
                drive = guest.drive(f"kills-{load}", arguments)
            life = Life(guest, load, number, done)
            last_of_machine = number % 3 == 0
            kill = (lambda machine: machine.kill()) if last_of_machine else kill_drive_and_machine(drive)
            passed = life.run(drive, kill, draws.uniform(0.0, LOAD_SECONDS))
            if not passed:
                print("\n".join(life.said[-30:]))
                guest.verdict(f"kills-{load}", False, f"in life {number}, after {kills}")
                return
            done = life.done
            kills["machine" if last_of_machine else "drive"] += 1
            if not last_of_machine:
                drive.kill()
                drive = None
    finally:
        if drive:
            drive.kill()
    seconds = time.monotonic() - began
    detail = f"{kills['drive']} kills of the drive, {kills['machine']} of the machine, {seconds:.0f} s"
    guest.verdict(f"kills-{load}", True, detail)


def run(guest, rounds, loads=LOADS):
    """Every load, so many rounds each."""
    draws = random.Random(rounds)
    for load in loads:
        lives(guest, load, rounds, draws)
