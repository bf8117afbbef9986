"""What of the sources may only become less: long files and functions, tuples of parameters, comments that repeat a name, circles, arrows upward, public
items that nobody names.

`tidy.py check` counts, and fails where a count is above the least that best.csv has. `tidy.py list NAME` prints what is counted.
`tidy.py update` writes counts that fell. Also fails where ARCHITECTURE.md and the manifests of crates differ in which crates there are and
what each of them uses; `tidy.py arrows` writes the latter into the page. So it does where a small crate has no reason there, and where README.md
is too long for a first page.
Sources are formatted by rustfmt, so that a function ends at the first closing brace as far in as it began.
"""

import collections
import csv
import os
import re
import subprocess
import sys
import tomllib

from modules import uses_of

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BEST = f"{HERE}/best.csv"
MOST_LINES = {".rs": 500, ".sv": 300}
MOST_FUNCTION_LINES = 70
MOST_WORDS = 3
# Folders of crates, from the lowest floor on.
FLOORS = ["ground", "drive", "bodies", "hosts", "tools"]
PAGE = "ARCHITECTURE.md"
# A crate with fewer lines has its reason on this page, below a line that begins so.
LEAST_CRATE_LINES, REASONS = 1000, "No room has fewer than 1,000 lines without a reason:"
FIRST_PAGE, MOST_BYTES = "README.md", 7 * 1024

# Where the tests of a file begin, which others may see.
TESTS_BELOW = re.compile(r"#\[cfg\(test\)\]\n(?:pub(?:\([a-z ]+\))? )?mod tests")
FUNCTION = re.compile(r"^( *)(?:pub(?:\([a-z ]+\))? )?(?:const )?(?:unsafe )?(?:extern \"C\" )?fn (\w+)")
ITEM = re.compile(r"^ *(?:pub(?:\([a-z ]+\))? )?(?:const |static |unsafe |async )*(?:fn |struct |enum |type |trait |const |static |mod )?(\w+)")
# A parameter whose name is a pattern of names: `(first, second): (u32, u32)`.
TUPLE = re.compile(r"[(,]\s*\((?:mut )?\w+(?:, (?:mut )?\w+)+,?\s*\)\s*:\s*&?(?:mut )?\(")


def tracked(*ends):
    """Sources in the repository, by their names from its root."""
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return [name for name in names if name.endswith(ends) and os.path.exists(f"{ROOT}/{name}")]


def lines_of(name):
    """A source's lines."""
    with open(f"{ROOT}/{name}") as file:
        return file.read().splitlines()


def is_test(name):
    """Whether a source is no part of a program."""
    return "/tests/" in name or name.endswith("/tests.rs")


def long_files():
    """Files over their length. What is made of SystemRDL, and tops of tests, are no rooms."""
    for name in tracked(*MOST_LINES):
        most = MOST_LINES[os.path.splitext(name)[1]]
        made = name.startswith("drive/registers/src/") or name.endswith("_register_block.sv") or "/tops/" in name
        count = len(lines_of(name))
        if count > most and not made and not is_test(name):
            yield f"{name}: {count} lines"


def functions(lines):
    """Functions: name, number of the first line, text of the lines from the first to the last."""
    for nth, line in enumerate(lines):
        found = FUNCTION.match(line)
        if not found or line.rstrip().endswith(";"):
            continue
        end = f"{found[1]}}}"
        last = next((at for at in range(nth, len(lines)) if lines[at] == end), nth)
        yield found[2], nth + 1, lines[nth:last + 1]


def long_functions():
    """Functions over their length."""
    for name in tracked(".rs"):
        for function, nth, lines in functions(lines_of(name)):
            if len(lines) > MOST_FUNCTION_LINES:
                yield f"{name}:{nth}: {function}: {len(lines)} lines"


def tuple_parameters():
    """Functions that take parameters as a tuple, as they have more than three otherwise."""
    for name in tracked(".rs"):
        for function, nth, lines in functions(lines_of(name)):
            head = " ".join(lines).split("{")[0]
            if TUPLE.search(head):
                yield f"{name}:{nth}: {function}"


def words(text):
    """Words of a name or of a sentence, less what has no meaning."""
    split = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text).replace("_", " ").lower()
    return [word.rstrip("s") for word in re.findall(r"[a-z0-9]+", split) if word not in ("a", "an", "the", "of", "its", "it")]


def repeating_comments():
    """Comments of few words that say what the name of the item says."""
    for name in tracked(".rs"):
        lines = lines_of(name)
        for nth, line in enumerate(lines[:-1]):
            text = line.strip()
            alone = text.startswith("/// ") and (nth == 0 or not lines[nth - 1].strip().startswith("///"))
            if not alone or lines[nth + 1].strip().startswith("///"):
                continue
            item = next((later for later in lines[nth + 1:nth + 4] if not later.strip().startswith("#[")), "")
            found = ITEM.match(item)
            told = words(text.removeprefix("/// "))
            if found and 0 < len(told) <= MOST_WORDS and set(told) <= set(words(found[1])):
                yield f"{name}:{nth + 1}: {text}"


def modules(package):
    """Modules of a crate by their paths, and the modules that each of them names."""
    texts = {}
    for name in tracked(".rs"):
        if not name.startswith(f"{package}/src/") or is_test(name):
            continue
        path = name.removeprefix(f"{package}/src/").removesuffix(".rs").removesuffix("/mod")
        if not path.startswith("bin/"):
            text = TESTS_BELOW.split("\n".join(line.split("//")[0] for line in lines_of(name)))[0]
            texts[() if path in ("lib", "main") else tuple(path.split("/"))] = text
    return uses_of(texts)


def circles(uses):
    """Sets of modules each of which reaches each other one (Tarjan, 1972)."""
    order, low, stack, found = {}, {}, [], []

    def visit(path):
        order[path] = low[path] = len(order)
        stack.append(path)
        for other in uses[path]:
            if other not in order:
                visit(other)
            if other in stack:
                low[path] = min(low[path], low[other])
        if low[path] == order[path]:
            at = stack.index(path)
            found.append(stack[at:])
            del stack[at:]

    for path in uses:
        if path not in order:
            visit(path)
    return [circle for circle in found if len(circle) > 1]


def manifests():
    """Folders of crates, and the manifest of each."""
    for name in tracked("Cargo.toml"):
        if name != "Cargo.toml" and not name.startswith("fuzz/"):
            with open(f"{ROOT}/{name}", "rb") as file:
                yield os.path.dirname(name), tomllib.load(file)


def packages():
    """Folders of the crates of the workspace, and the name of each."""
    return [(folder, manifest["package"]["name"]) for folder, manifest in manifests()]


def used_by(manifest, folders):
    """Folders of crates of this repository that a crate uses, apart from what only its tests use."""
    tables = [manifest, *manifest.get("target", {}).values()]
    names = {name for table in tables for kind in ("dependencies", "build-dependencies") for name in table.get(kind, {})}
    return sorted(folders[name] for name in names if name in folders)


def arrows():
    """What each crate uses: folders by folder."""
    all_manifests = list(manifests())
    folders = {manifest["package"]["name"].removeprefix("firmament-"): folder for folder, manifest in all_manifests}
    return {folder: used_by(manifest, folders) for folder, manifest in all_manifests}


def floor_of(folder):
    """The floor of a crate, from the lowest on; examples stand beside the floors."""
    first = folder.split("/")[0]
    return FLOORS.index("drive" if first == "firmware" else first) if first in (*FLOORS, "firmware") else None


def upward_arrows():
    """Crates that use a crate of a higher floor."""
    for folder, used in arrows().items():
        for other in used:
            if None not in (floor_of(folder), floor_of(other)) and floor_of(other) > floor_of(folder):
                yield f"{folder}: uses {other}"


def with_arrows(text, found):
    """A page whose rows of crates tell what each uses."""
    def row(match):
        folder = match[1].rstrip("/")
        if folder not in found:
            return match[0]
        names = ", ".join(f"`{other.split('/')[-1]}`" for other in found[folder])
        return f"| `{match[1]}` | {match[2]} | {names or 'nothing'} |"

    return re.sub(r"^\| `([^`]+)` \| (.*?) \| ([^|]*)\|$", row, text, flags=re.MULTILINE)


def files_in_circles():
    """Modules that lie in a circle of their crate."""
    for folder, _ in packages():
        for circle in circles(modules(folder)):
            for path in sorted(circle):
                yield f"{folder}/src/{'/'.join(path)}: in a circle of {len(circle)}"


def largest_circle_of_the_firmware():
    """Modules of the largest circle of the firmware."""
    for path in sorted(max(circles(modules("firmware")), key=len, default=[])):
        yield f"firmware/src/{'/'.join(path)}"


def crate_of(name):
    """The folder of the crate that a source belongs to."""
    folder = os.path.dirname(name)
    while folder and not os.path.exists(f"{ROOT}/{folder}/Cargo.toml"):
        folder = os.path.dirname(folder)
    return folder


# What names a module: itself, and the file of one that stands elsewhere.
NAMES_A_MODULE = re.compile(r"\bmod\s+(\w+)\s*;|\b(\w+)\.rs\"")
# A macro that makes the modules of a folder, of the rows of a file.
MADE_BY_A_MACRO, ROWS = "_policies!(", "drive/contract/src/policies.rs"


def named_modules(text):
    """Modules that the text of a crate names."""
    return {name for pair in NAMES_A_MODULE.findall(text) for name in pair if name}


def uncompiled_sources():
    """Sources that no module names, so that nobody compiles them: tests above all, whose loss nothing else tells."""
    crates = {}
    rows = set(re.findall(r"\w+", "\n".join(lines_of(ROWS))))
    for name in tracked(".rs", "Cargo.toml"):
        code = "\n".join(line.split("//")[0] for line in lines_of(name))
        crates.setdefault(crate_of(name), {})[name] = code
    for folder, files in crates.items():
        named = named_modules("\n".join(files.values()))
        for name in files:
            above, module = os.path.split(name.removesuffix(".rs").removesuffix("/mod"))
            targets = ("tests", "examples", "benches", "src/bin", ".")
            is_target = os.path.relpath(above or ".", folder or ".") in targets or module in ("lib", "main")
            is_row = MADE_BY_A_MACRO in files.get(f"{above}/mod.rs", "") and module in rows
            if name.endswith(".rs") and not is_target and not is_row and module not in named:
                yield f"{name}: no module names it"


PUBLIC = re.compile(r"^ *pub (?:const |unsafe |async )*(?:fn|struct|enum|union|type|trait|const|static) (\w+)", re.MULTILINE)


def public_items_without_a_user():
    """Public items whose name stands nowhere else. Those that SystemRDL made are all there that it has."""
    texts = {name: "\n".join(line.split("//")[0] for line in lines_of(name)) for name in tracked(".rs")}
    words = collections.Counter(word for text in texts.values() for word in re.findall(r"\w+", text))
    for name, text in texts.items():
        made = name.startswith("drive/registers/src/")
        for item in [] if made or is_test(name) else PUBLIC.findall(text):
            if words[item] == 1:
                yield f"{name}: {item}"


COUNTS = {
    "long-files": long_files,
    "long-functions": long_functions,
    "tuple-parameters": tuple_parameters,
    "repeating-comments": repeating_comments,
    "files-in-circles": files_in_circles,
    "largest-circle-of-the-firmware": largest_circle_of_the_firmware,
    "upward-arrows": upward_arrows,
    "uncompiled-sources": uncompiled_sources,
    "public-items-without-a-user": public_items_without_a_user,
}


def read_best():
    """The least that was ever counted."""
    with open(BEST, newline="") as file:
        return {row["count"]: int(row["best"]) for row in csv.DictReader(file)}


def faults_of_the_page(text, found):
    """Crates that the page does not show, and rows that tell what is not so, a line each."""
    missing = [folder for folder in found if f"`{folder}/`" not in text and f"`{folder}`" not in text]
    faults = [f"{folder}: found nowhere in {PAGE}, expected a line" for folder in missing]
    right = with_arrows(text, found).splitlines()
    wrong = [line for line, expected in zip(text.splitlines(), right) if line != expected]
    return faults + [f"{PAGE}: found {line[:60]}... with other uses than its manifest has (tidy.py arrows)" for line in wrong]


def crate_lines():
    """Lines of Rust of each crate, by its folder."""
    lines = collections.Counter()
    for name in tracked(".rs"):
        lines[crate_of(name)] += len(lines_of(name))
    return {folder: lines[folder] for folder, _ in packages()}


def small_crates_without_a_reason(text, lines):
    """Crates with few lines that the page's list does not name, a line each. Firmwares of `examples/` have one reason together."""
    reasons = text.partition(REASONS)[2].partition("\n\nThree remarks")[0]
    few = [folder for folder, count in lines.items() if count < LEAST_CRATE_LINES and not folder.startswith("examples/")]
    return [f"{folder}: found {lines[folder]} lines, expected a reason in {PAGE}" for folder in few if f"`{folder}`" not in reasons]


def too_long(page, count, most):
    """A line where a page has more bytes than it may."""
    return [f"{page}: found {count} bytes, expected at most {most}"] if count > most else []


def check(counts, best):
    """What is wrong, a line each."""
    wrong = [f"{name}: found {count}, expected at most {best[name]} (tidy.py list {name})"
             for name, count in counts.items() if count > best[name]]
    wrong += too_long(FIRST_PAGE, os.path.getsize(f"{ROOT}/{FIRST_PAGE}"), MOST_BYTES)
    with open(f"{ROOT}/{PAGE}") as file:
        text = file.read()
    return wrong + small_crates_without_a_reason(text, crate_lines()) + faults_of_the_page(text, arrows())


def main():
    what = sys.argv[1] if len(sys.argv) > 1 else "check"
    if what == "list":
        print("\n".join(COUNTS[sys.argv[2]]()))
        return 0
    if what == "arrows":
        with open(f"{ROOT}/{PAGE}") as file:
            text = file.read()
        with open(f"{ROOT}/{PAGE}", "w") as file:
            file.write(with_arrows(text, arrows()))
        return 0
    counts = {name: sum(1 for _ in count()) for name, count in COUNTS.items()}
    if what == "update":
        before = read_best() if os.path.exists(BEST) else {}
        with open(BEST, "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["count", "best"])
            writer.writerows((name, min(count, before.get(name, count))) for name, count in counts.items())
        return 0
    best = read_best()
    wrong = check(counts, best)
    for line in wrong:
        print(f"tidy: {line}", file=sys.stderr)
    told = ", ".join(f"{count} {name}" for name, count in counts.items())
    fell = [name for name, count in counts.items() if count < best[name]]
    print(f"tidy: {told}{'; tidy.py update takes in what fell: ' + ', '.join(fell) if fell else ''}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
