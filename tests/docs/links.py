"""Links between the pages of this repository: each file is there, and each heading that a link names.

Anchors are made of headings as GitHub does. Links to other sites are not followed.
"""

import os
import re
import sys
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# What others wrote, or what builds leave.
LEFT_OUT = {".git", "node_modules", "out", "target"}
# Of the tests: pages with links that lead nowhere.
CASES = "tests/docs/cases"

FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\](?:\([^)]*\))?)*\]\(\s*<?([^)\s>]*)>?(?:\s+\"[^\"]*\")?\s*\)")
INNER = re.compile(r"!\[[^\]]*\]\(\s*([^)\s]+)\s*\)")
HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$")


def lines_outside_blocks(text):
    """The page with the lines of its code blocks left empty, so that numbers of lines stay."""
    fence = None
    for line in text.splitlines():
        found = FENCE.match(line)
        if fence:
            if found and found.group(1).startswith(fence) and line.strip() == found.group(1):
                fence = None
            yield ""
        elif found:
            fence = found.group(1)
            yield ""
        else:
            yield line


def anchor(heading):
    """The anchor of a heading: its plain text in lower case, without punctuation, with hyphens for spaces."""
    plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")
    return re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")


def anchors(text):
    """All anchors of a page; the second of a name gets -1, the third -2."""
    seen, found = {}, set(re.findall(r'<a (?:id|name)="([^"]+)"', text))
    for line in lines_outside_blocks(text):
        heading = HEADING.match(line)
        if heading:
            name = anchor(heading.group(1))
            times = seen.get(name, 0)
            seen[name] = times + 1
            found.add(f"{name}-{times}" if times else name)
    return found


def links(text):
    """Each link outside code, with the number of its line."""
    plain = "\n".join(lines_outside_blocks(text))
    # Code may hold brackets; a link's text may be code.
    plain = CODE.sub(lambda code: re.sub(r"[^\n]", "x", code.group()), plain)
    for pattern in [LINK, INNER]:
        for found in pattern.finditer(plain):
            yield plain.count("\n", 0, found.start()) + 1, found.group(1)


def pages(root):
    """Paths of all pages below a directory, from there."""
    for directory, directories, files in os.walk(root):
        directories[:] = sorted(name for name in directories if name not in LEFT_OUT)
        for file in sorted(files):
            if file.endswith(".md"):
                yield os.path.relpath(os.path.join(directory, file), root)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def wrong(root):
    """One line for each link that leads nowhere; and how many links there are."""
    complaints, count, known = [], 0, {}
    for page in pages(root):
        if page.startswith(CASES):
            continue
        for number, target in sorted(set(links(read(f"{root}/{page}")))):
            if re.match(r"[a-z][a-z0-9+.-]*:", target):
                continue
            count += 1
            path, _, name = target.partition("#")
            path = os.path.normpath(os.path.join(os.path.dirname(page), urllib.parse.unquote(path))) if path else page
            if path.startswith("..") or not os.path.exists(f"{root}/{path}"):
                complaints.append(f"{page}:{number}: found a link to {target}, expected a file that is there")
            elif name and path.endswith(".md"):
                if path not in known:
                    known[path] = anchors(read(f"{root}/{path}"))
                if name not in known[path]:
                    complaints.append(f"{page}:{number}: found a link to {target}, expected a heading of {path}")
    return complaints, count


def main():
    # The check itself: what it must find in pages that are wrong, and only that.
    expected = read(f"{ROOT}/{CASES}/expected.txt").splitlines()
    found, _ = wrong(f"{ROOT}/{CASES}")
    if found != expected:
        print(f"{CASES}: found {found}, expected {expected}", file=sys.stderr)
        return 1
    complaints, count = wrong(ROOT)
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    if not complaints:
        print(f"docs: {count} links between pages lead where they say")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
