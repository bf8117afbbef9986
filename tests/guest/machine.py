"""A served drive and a virtual machine on it, as processes that end."""

import json
import os
import queue
import signal
import subprocess
import threading
import time

MEMORY = "512M"
CPUS = 2


class Drive:
    """`firmament serve`, and its report at the end."""

    def __init__(self, program, directory, name, arguments):
        self.socket = f"{directory}/{name}.sock"
        self.json = f"{directory}/{name}.json"
        self.said = open(f"{directory}/{name}.log", "w+")
        self.printed = open(f"{directory}/{name}.report", "w")
        command = [program, "serve", *self.words(arguments)]
        self.process = subprocess.Popen(command, stdout=self.printed, stderr=self.said)
        self.wait_for("serving")

    def words(self, arguments):
        """What follows `serve` on the command line."""
        return [*arguments, "--vfio-user", self.socket, "--json", self.json]

    def wait_for(self, word, seconds=30):
        end = time.monotonic() + seconds
        while word not in self.log():
            if time.monotonic() > end or self.process.poll() is not None:
                raise RuntimeError(f"the drive did not say {word!r}: {self.log().strip()}")
            time.sleep(0.02)

    def log(self):
        with open(self.said.name) as file:
            return file.read()

    def end(self):
        """Ends the drive; its report."""
        self.stop()
        with open(self.json) as file:
            return json.load(file)

    def stop(self):
        """Ends the drive."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=60)
        if code != 0:
            raise RuntimeError(f"the drive ended with {code}: {self.log().strip()}")

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class TinyDrive(Drive):
    """`tiny-drive serve`, whose report is fio's text."""

    def words(self, arguments):
        board, *changes = arguments
        return [board, self.socket, *changes]

    def end(self):
        self.stop()
        with open(self.printed.name) as file:
            return file.read()


class Machine:
    """A virtual machine whose console is read line by line."""

    def __init__(self, qemu, accelerator, log):
        self.qemu = qemu
        self.accelerator = accelerator
        self.log = log
        self.process = None

    def command(self, kernel, initramfs, words, drives):
        memory = f"memory-backend-memfd,id=mem0,size={MEMORY},share=on"
        command = [*self.qemu, "-nodefaults", "-display", "none", "-serial", "stdio"]
        command += ["-accel", self.accelerator, "-machine", "q35,memory-backend=mem0"]
        command += ["-cpu", "max", "-smp", str(CPUS), "-m", MEMORY, "-object", memory]
        command += ["-kernel", kernel, "-initrd", initramfs]
        command += ["-append", f"console=ttyS0 quiet panic=-1 no_timer_check {words}"]
        for nth, drive in enumerate(drives):
            # Behind a port of its own a drive has a link.
            port = f"port{nth}"
            command += ["-device", f"pcie-root-port,id={port},chassis={nth}"]
            socket = {"type": "unix", "path": drive.socket}
            device = {"driver": "vfio-user-pci", "bus": port, "socket": socket}
            command += ["-device", json.dumps(device)]
        return command

    def kill(self):
        """Kills the machine that runs."""
        if self.process and self.process.poll() is None:
            self.process.kill()

    def run(self, command, seconds):
        """Runs the machine to its end; yields its lines. The last one is None if time ran out."""
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        self.process = process
        lines = queue.Queue()
        threading.Thread(target=read_lines, args=(process.stdout, lines), daemon=True).start()
        end = time.monotonic() + seconds
        try:
            while True:
                try:
                    line = lines.get(timeout=max(0.0, end - time.monotonic()))
                except queue.Empty:
                    self.log.write("guest: out of time\n")
                    yield None
                    return
                if line is None:
                    return
                self.log.write(line + "\n")
                self.log.flush()
                yield line
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()


def read_lines(stream, lines):
    for line in stream:
        lines.put(line.decode(errors="replace").rstrip("\r\n"))
    lines.put(None)


def accelerator(qemu, kernel, initramfs, log):
    """KVM if a guest boots on it, emulation otherwise: the device may be there and not work."""
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return "tcg"
    with open("/proc/sys/kernel/random/boot_id") as file:
        boot = file.read()
    # What was found out holds until the machine is booted anew.
    known = f"{os.path.dirname(initramfs)}/accelerator.json"
    if os.path.exists(known):
        with open(known) as file:
            found = json.load(file)
        if found["boot"] == boot:
            return found["accelerator"]
    probe = Machine(qemu, "kvm", log)
    command = probe.command(kernel, initramfs, "phase=probe", [])
    boots = any(line and line.startswith("PROBED") for line in probe.run(command, 8))
    found = {"boot": boot, "accelerator": "kvm" if boots else "tcg"}
    with open(known, "w") as file:
        json.dump(found, file)
    return found["accelerator"]
