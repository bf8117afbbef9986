"""Builds the site of this repository's pages with MkDocs. A link that leads nowhere ends it with exit code 1.

The pages are those that are read in the repository: they are copied as they are, next to the files that they link to.
"""

import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, f"{ROOT}/tests/docs")
sys.dont_write_bytecode = True
import links  # noqa: E402

# Pages link to directories in these; the site has a list of the pages there.
LISTED = {"docs/design": "Design", "docs/spec": "Specifications"}
MORE = "More"
# make studies draws these. The gallery shows them where they are there.
STUDIES = "out/studies"
GALLERY = "docs/gallery.md"


def listed():
    """Groups of pages, in their order. Each page stands in one."""
    with open(f"{ROOT}/site/pages.toml", "rb") as file:
        groups = tomllib.load(file)
    seen = set()
    for group, patterns in groups.items():
        pages = []
        for pattern in patterns:
            found = sorted(glob.glob(pattern, root_dir=ROOT))
            # Directories of pages may be empty.
            if not found and "*" not in pattern:
                sys.exit(f"site/pages.toml: {group}: found {pattern}, expected a page that is there")
            pages += [page for page in found if page not in seen]
            seen.update(found)
        groups[group] = pages
    rest = sorted(set(glob.glob("docs/**/*.md", root_dir=ROOT, recursive=True)) - seen)
    return {group: pages for group, pages in (groups | {MORE: rest}).items() if pages}


def title(page):
    return links.read(f"{ROOT}/{page}").splitlines()[0].removeprefix("# ").replace("`", "")


def copy(pages, place):
    """Copies pages, and what they link to, into a directory."""
    for page in pages:
        text = links.read(f"{ROOT}/{page}")
        # A heading ends a table on GitHub, but not here.
        text = re.sub(r"^(\|.*)\n(?=#)", r"\1\n\n", text, flags=re.MULTILINE)
        for directory in LISTED:
            text = text.replace(f"]({directory})", f"]({directory}/index.md)")
        os.makedirs(os.path.dirname(f"{place}/{page}"), exist_ok=True)
        with open(f"{place}/{page}", "w", encoding="utf-8") as file:
            file.write(text)
        for _, target in links.links(text):
            path = os.path.normpath(os.path.join(os.path.dirname(page), target.partition("#")[0]))
            if not path.endswith(".md") and os.path.isfile(f"{ROOT}/{path}"):
                os.makedirs(os.path.dirname(f"{place}/{path}") or place, exist_ok=True)
                shutil.copyfile(f"{ROOT}/{path}", f"{place}/{path}")
    for directory, name in LISTED.items():
        below = [page for page in pages if os.path.dirname(page) == directory]
        rows = [f"- [{title(page)}]({os.path.basename(page)})" for page in below]
        with open(f"{place}/{directory}/index.md", "w", encoding="utf-8") as file:
            file.write("\n".join([f"# {name}", "", *rows, ""]))


def show_studies(place):
    """Puts the pictures that make studies has drawn at the end of the gallery."""
    pictures = sorted(glob.glob("*/*.svg", root_dir=f"{ROOT}/{STUDIES}"))
    lines = ["", "## Studies", "", f"All that the last `make studies` has drawn into `{STUDIES}`."]
    shown = None
    for picture in pictures:
        study, name = os.path.split(picture)
        if study != shown:
            lines += ["", f"### {study}"]
            shown = study
        there = f"{place}/docs/images/studies/{picture}"
        os.makedirs(os.path.dirname(there), exist_ok=True)
        shutil.copyfile(f"{ROOT}/{STUDIES}/{picture}", there)
        name = name.removesuffix(".svg")
        lines += ["", f"![{study}: {name}](images/studies/{picture})", "", f"`{study}`, `{name}`"]
    if pictures:
        with open(f"{place}/{GALLERY}", "a", encoding="utf-8") as page:
            page.write("\n".join([*lines, ""]))


def lacking(site):
    """What the search needs where pages are opened from a disk, and is not there; and what pages would fetch from elsewhere."""
    if not os.path.isfile(f"{site}/search/search_index.js"):
        yield "search/search_index.js: found no file, expected the index as a script"
    for page in sorted(glob.glob("**/*.html", root_dir=site, recursive=True)):
        text = links.read(f"{site}/{page}")
        for tag in re.findall(r"<(?:script|link|img|iframe)\b[^>]*>", text):
            if re.search(r"\b(?:src|href)=[\"']?(?:https?:)?//", tag):
                yield f"{page}: found {tag}, expected nothing of other sites"
        if "iframe-worker.js" not in text:
            yield f"{page}: found no script that lets the search run from a disk"


def navigation(groups):
    """The groups in MkDocs' form; a list of pages comes before the first page of its directory."""
    shown = []
    for group, pages in groups.items():
        entries = []
        for page in pages:
            directory = os.path.dirname(page)
            index = {LISTED.get(directory): f"{directory}/index.md"}
            if directory in LISTED and index not in entries:
                entries.append(index)
            entries.append({title(page): page})
        shown.append({group: entries})
    return shown


def main():
    arguments = argparse.ArgumentParser(description="Builds the site.")
    arguments.add_argument("--work", required=True, help="a directory for pages on their way")
    arguments.add_argument("--out", required=True, help="the directory that gets the site")
    given = arguments.parse_args()
    work = os.path.abspath(given.work)
    shutil.rmtree(work, ignore_errors=True)
    groups = listed()
    copy([page for pages in groups.values() for page in pages], f"{work}/pages")
    show_studies(f"{work}/pages")
    shutil.copytree(f"{ROOT}/site/assets", f"{work}/pages/assets")
    more = {
        "INHERIT": f"{ROOT}/site/mkdocs.yml",
        "docs_dir": f"{work}/pages",
        "site_dir": os.path.abspath(given.out),
        "nav": navigation(groups),
    }
    with open(f"{work}/mkdocs.yml", "w", encoding="utf-8") as file:
        json.dump(more, file)
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--clean", "--config-file", f"{work}/mkdocs.yml"]
    built = subprocess.run(command, capture_output=True, text=True)
    if built.returncode != 0:
        told = re.sub(r"\x1b\[[0-9;]*m", "", built.stderr).strip().splitlines()
        complaints = [line for line in told if line.startswith(("WARNING", "ERROR"))]
        print("\n".join(f"site: {line}" for line in complaints or told), file=sys.stderr)
        return 1
    wrong = list(lacking(given.out))
    if wrong:
        print("\n".join(f"site: {line}" for line in wrong), file=sys.stderr)
        return 1
    print(f"{given.out}/index.html: {sum(map(len, groups.values()))} pages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
