#!/usr/bin/env python3
"""Looks at the program's pages and at the site in a real browser, at 400 and 1,400 pixels, light and dark; and takes pictures.

A page fails where something is cut at its right edge, where words are hard to read on what is behind them, where a plot is
empty, where a script complains, and where maps over time do not zoom with plots. Exit codes: 0 when every page is well, 1 when one is not, 3 when no browser can be had.
"""

import argparse
import os
import shutil
import sys

import chromium
import pages

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTHS = [400, 1400]
SCHEMES = ["light", "dark"]
# What checks.js looks for, and how it is said.
KINDS = {
    "cut": "cut at its right edge",
    "faint": "hard to read",
    "tiny": "too small to read",
    "colourless": "without a colour",
    "empty": "empty",
}
# Pictures end here; nobody looks at more.
MOST_HIGH = 12_000


def script(name):
    """A script of this folder."""
    with open(f"{HERE}/{name}.js") as file:
        return file.read()


def faults(tab, name):
    """What is wrong with a page, a line each."""
    lines = [f"a script complains: {line}" for line in tab.complaints()]
    if name.endswith(".svg"):
        return lines
    told = tab.value(script("checks"))
    return lines + [f"{said}: {line}" for kind, said in KINDS.items() for line in told[kind]]


def look(browser, all_pages, out):
    """Looks at each page; how many faults there are."""
    count = 0
    for name, path in all_pages.items():
        for width in WIDTHS:
            for scheme in SCHEMES:
                with chromium.Tab(browser, path, width, scheme) as tab:
                    found = faults(tab, path)
                    with open(f"{out}/{name}-{width}-{scheme}.png", "wb") as file:
                        file.write(tab.picture(MOST_HIGH))
                    if name in pages.OVER_TIME:
                        found += [f"zoomed: {line}" for line in tab.value(f"({script('zoom')})()")]
                for line in found:
                    print(f"looks: {name}, {width} pixels, {scheme}: {line}")
                count += len(found)
    return count


# A page with one fault of each kind: whoever finds nothing here looks at nothing.
WRONG = """<!doctype html><html lang="en"><head><title>wrong</title><style>:root { color-scheme: light dark }</style></head>
<body style="margin: 0"><p style="color: #999; background: #fff">faint</p><div style="width: 450px; background: #ddd">wide</div>
<canvas width="30" height="30"></canvas><p><span class="swatch" style="display: inline-block; width: 9px; height: 9px"></span>line</p>
<svg width="50" height="20"><text y="9" font-size="6">small</text></svg><script>nothing.there()</script></body></html>
"""


def check_itself(browser, folder):
    """Whether each fault of a page that has them is found."""
    with open(f"{folder}/wrong.html", "w") as file:
        file.write(WRONG)
    with chromium.Tab(browser, f"{folder}/wrong.html", 400, "light") as tab:
        found = " ".join(faults(tab, "wrong.html"))
    missing = [said for said in ("a script complains", *KINDS.values()) if said not in found]
    if missing:
        sys.exit(f"looks: wrong.html: found only {found or 'nothing'}, expected {', '.join(missing)} as well")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--firmament", required=True, help="the program that makes the pages")
    parser.add_argument("--target", default="target/looks", help="where the browser and the pages are kept")
    parser.add_argument("--site", default="out/site", help="a site that make site has built; without one its pages are left out")
    parser.add_argument("--out", default="out/looks", help="where the pictures go")
    options = parser.parse_args()
    folder = os.path.abspath(f"{options.target}/pages")
    shutil.rmtree(folder, ignore_errors=True)
    for path in (folder, options.out):
        os.makedirs(path, exist_ok=True)
    try:
        with chromium.Browser(options.target) as browser:
            check_itself(browser, folder)
            site = pages.of_site(options.site)
            if not site:
                print(f"looks: found no site in {options.site}: make site builds one")
            all_pages = pages.made(options.firmament, folder) | site
            count = look(browser, all_pages, options.out)
    except chromium.CannotRun as reason:
        print(f"looks: not looked at: {reason}")
        sys.exit(3)
    pictures = len(all_pages) * len(WIDTHS) * len(SCHEMES)
    print(f"looks: {len(all_pages)} pages, {pictures} pictures in {options.out}, {count} faults")
    sys.exit(bool(count))


if __name__ == "__main__":
    main()
