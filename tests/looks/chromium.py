"""A Chromium without windows: the machine's own, or one of Debian's packages below target/looks. Nothing is installed.

It is spoken to through its debugging pipe, in JSON that a zero byte ends, so that no package of Python is needed.
"""

import base64
import glob
import json
import os
import select
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, f"{os.path.dirname(HERE)}/guest")
import packages  # noqa: E402

CannotRun = packages.CannotRun
OWN = ["chromium-headless-shell", "chromium", "google-chrome", "chrome"]
PACKAGES = ["chromium-headless-shell", "fonts-dejavu-core"]
PROGRAM = "usr/lib/chromium/chromium-headless-shell"
# Longest wait for an answer, in seconds.
PATIENCE_S = 60
FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{root}/usr/share/fonts</dir><cachedir>{directory}/fonts</cachedir>
<alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
"""


def release():
    """The name of the Debian that runs here, whose C library the packages have to fit."""
    text = open("/etc/os-release").read() if os.path.isfile("/etc/os-release") else ""
    told = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    if told.get("ID") != "debian" or "VERSION_CODENAME" not in told:
        raise CannotRun("found no browser and no Debian, expected one of them")
    return told["VERSION_CODENAME"]


def unpacked(directory):
    """The root of the packages, fetched if they are not there."""
    root, mark = f"{directory}/root", f"{directory}/ready"
    wanted = f"{release()} {' '.join(PACKAGES)}"
    if not os.path.isfile(mark) or open(mark).read() != wanted:
        print(f"looks: fetching {PACKAGES[0]} into {directory}", flush=True)
        apt = packages.Apt(f"{directory}/apt", [release()])
        apt.update()
        packages.unpack(apt.fetch(PACKAGES), root)
        with open(mark, "w") as file:
            file.write(wanted)
    return root


def command(directory):
    """A browser as a command, and the environment that it needs."""
    environment = dict(os.environ, HOME=f"{directory}/home", LANG="C.UTF-8")
    own = next((path for path in map(shutil.which, OWN) if path), None)
    if own:
        return own, environment
    root = unpacked(directory)
    # Programs load plugins of others, as those of gconv, by themselves.
    libraries = glob.glob(f"{root}/usr/lib/x86_64-linux-gnu/**/*.so*", recursive=True) + glob.glob(f"{root}/lib/x86_64-linux-gnu/*.so*")
    places = sorted({os.path.dirname(library) for library in libraries if "gconv" not in library and "perl" not in library})
    with open(f"{directory}/fonts.conf", "w") as file:
        file.write(FONTS.format(root=root, directory=directory))
    environment |= {"LD_LIBRARY_PATH": ":".join(places), "FONTCONFIG_FILE": f"{directory}/fonts.conf"}
    return f"{root}/{PROGRAM}", environment


class Browser:
    """A browser, for as long as it is needed."""

    def __init__(self, directory):
        directory = os.path.abspath(directory)
        program, environment = command(directory)
        os.makedirs(f"{directory}/home", exist_ok=True)
        theirs_in, self.out = os.pipe()
        self.heard, theirs_out = os.pipe()

        def give():
            # It is told what to do by these two.
            first, second = os.dup(theirs_in), os.dup(theirs_out)
            os.dup2(first, 3)
            os.dup2(second, 4)

        arguments = ["--headless", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        arguments += ["--allow-file-access-from-files", f"--user-data-dir={directory}/home/profile"]
        with open(f"{directory}/browser.log", "w") as log:
            self.process = subprocess.Popen(
                [program, *arguments], env=environment, preexec_fn=give, close_fds=False, stdout=log, stderr=log
            )
        os.close(theirs_in)
        os.close(theirs_out)
        self.log = f"{directory}/browser.log"
        self.rest = b""
        self.count = 0
        self.events = []
        self.ask("Browser.getVersion")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def hear(self, until):
        """The next message."""
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.heard], [], [], max(until - time.monotonic(), 0))
            more = os.read(self.heard, 1 << 20) if ready else b""
            if not more:
                last = open(self.log).read().strip().splitlines()[-1:] or ["nothing said"]
                raise CannotRun(f"the browser does not answer: {last[0]}")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, session=None, **parameters):
        """Has the browser do something; returns what it says."""
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + PATIENCE_S
        while True:
            heard = self.hear(until)
            if heard.get("id") == self.count:
                if "error" in heard:
                    raise RuntimeError(f"{method}: found {heard['error']['message']}, expected an answer")
                return heard["result"]
            self.events.append(heard)

    def wait_for(self, method, session):
        """Waits for an event."""
        until = time.monotonic() + PATIENCE_S
        while not any(one.get("method") == method and one.get("sessionId") == session for one in self.events):
            self.events.append(self.hear(until))


class Tab:
    """A page in a browser, of a width and a scheme of colours."""

    def __init__(self, browser, path, width, scheme):
        self.browser = browser
        browser.events.clear()
        # What a site remembers, such as a choice of colours, is forgotten with the page.
        self.context = browser.ask("Target.createBrowserContext")["browserContextId"]
        target = browser.ask("Target.createTarget", url="about:blank", browserContextId=self.context)["targetId"]
        self.session = browser.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.ask(f"{domain}.enable")
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.ask("Page.navigate", url=f"file://{os.path.abspath(path)}")
        browser.wait_for("Page.loadEventFired", self.session)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.browser.ask("Target.disposeBrowserContext", browserContextId=self.context)

    def ask(self, method, **parameters):
        return self.browser.ask(method, self.session, **parameters)

    def value(self, script):
        """What a script gives, once all is drawn that is drawn with the next picture."""
        drawn = f"new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(({script})))))"
        told = self.ask("Runtime.evaluate", expression=drawn, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in told:
            raise RuntimeError(f"found {told['exceptionDetails']['exception']['description']}, expected a value")
        return told["result"].get("value")

    def picture(self, most_high):
        """The page as a PNG, from its top on."""
        width, height = self.value("[innerWidth, document.documentElement.scrollHeight]")
        clip = {"x": 0, "y": 0, "width": width, "height": min(height, most_high), "scale": 1}
        told = self.ask("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
        return base64.b64decode(told["data"])

    def complaints(self):
        """What the page's scripts have complained about."""
        lines = []
        for event in self.browser.events:
            told = event.get("params", {})
            match event.get("method"):
                case "Runtime.exceptionThrown":
                    details = told["exceptionDetails"]
                    lines.append(details.get("exception", {}).get("description", details["text"]))
                case "Runtime.consoleAPICalled" if told["type"] in ("error", "warning", "assert"):
                    lines.append(" ".join(str(one.get("value", one.get("description"))) for one in told["args"]))
                case "Log.entryAdded" if told["entry"]["level"] in ("error", "warning"):
                    lines.append(f"{told['entry']['text']} {told['entry'].get('url', '')}".strip())
        return lines
