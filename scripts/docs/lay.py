# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""Lays out the pages of the HTML documentation as a folder of Markdown, from which any generator of pages can build.

lay.py FOLDER      docs/, README.md as its first page, and as pages the files beyond docs/ that pages link to: cases,
                   notebooks, folders of them.

Links in the repository lead to files; here they are turned to the pages. 512^3 becomes a power.
A key in the table of [run] is found by run.KEY, too, as messages name it."""

from __future__ import annotations

import json
import posixpath
import re
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?(\))")
FENCE = re.compile(r"^( *```.*?^ *```[^\n]*$)", re.MULTILINE | re.DOTALL)
AS_IS = re.compile(r"^ *```.*?^ *```[^\n]*$|^ {4}[^\n]*$|(`+)(?:(?!\n\n).)+?\1|\]\([^)]*\)|<[^>\n]*>", re.MULTILINE | re.DOTALL)
POWER = re.compile(r"(?<=[\w)])\^(-?\d+)\b")
LANGUAGE = {".toml": "toml", ".py": "python", ".sh": "bash", ".json": "json"}
SHOWN = {".toml", ".ipynb"}  # of a folder
FOLDERS = {
    "cases/examples": ("Examples", "A case for each kind of flow, that tests itself. `lbmsim example NAME` writes one."),
    "cases/validation": ("Validation cases", "The cases of the validation book. Each holds its result to published values, and runs alone."),
    "cases/robustness": ("Robustness cases", "The cases that measure the stability limits of each collision model. Each runs alone."),
    "cases/demo": ("Demos", "The cases of `lbmsim demo`."),
    "cases/gallery": ("Gallery cases", "The cases of the gallery. `shapes.py` makes their bodies, `draw.py` their pictures."),
    "python/notebooks": ("Notebooks", "From a first case to a study, in Python. Jupyter opens them."),
}
ASSETS = ("style.css", "iframe-worker.js", "icon.svg")

page_of: dict[str, str] = {}  # the page of a path of the repository


def lay(to: Path) -> None:
    pages = {}  # uri: path in the repository, text
    for path in sorted((ROOT / "docs").rglob("*")):
        uri = path.relative_to(ROOT / "docs").as_posix()
        if path.is_file():
            page_of["docs/" + uri] = uri
        if path.suffix == ".md":
            pages[uri] = ("docs/" + uri, path.read_text(encoding="utf-8"))
        elif path.is_file():
            put(to / uri).write_bytes(path.read_bytes())
    for name in ASSETS:
        shutil.copyfile(HERE / name, put(to / "assets" / name))

    def add(uri: str, path: str, text: str) -> None:
        page_of[path] = uri
        pages[uri] = (path, text)

    add("index.md", "README.md", "---\nhide: [navigation, toc]\n---\n" + (ROOT / "README.md").read_text(encoding="utf-8"))
    todo = list(pages.values())
    todo += [("", f"[]({folder})") for folder in ("cases/examples", "cases/validation", "cases/robustness", "python/notebooks")]
    while todo:
        source, text = todo.pop()
        for target in targets(source, text):
            if target in page_of or target.startswith("docs/"):
                continue
            path = ROOT / target
            if path.is_dir():
                text = folder(target)
                add(f"files/{target}/index.md", target, text)
                todo.append((target + "/", text))
            elif path.suffix == ".md" and path.is_file():
                text = path.read_text(encoding="utf-8")
                add(f"files/{target}", target, text)
                todo.append((target, text))
            elif path.is_file():
                uri = f"files/{target.removesuffix(path.suffix)}.md"
                add(uri, target, notebook(path) if path.suffix == ".ipynb" else listing(path))
            else:
                sys.exit(f"lay.py: {source} links to {target}, which is not there")
    for uri, (path, text) in pages.items():
        put(to / uri).write_text(turned(uri, path, text), encoding="utf-8")


def put(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def turned(uri: str, source: str, text: str) -> str:
    """The text of a page with links to pages."""
    base = source if uri.endswith("/index.md") else posixpath.dirname(source)

    def turn(link: re.Match[str]) -> str:
        before, target, anchor, after = link.groups()
        if outside(target):
            return link[0]
        to = page_of.get(posixpath.normpath(posixpath.join(base, target)))
        if to is None:
            return link[0]  # the generator's strict mode names it
        return f"{before}{posixpath.relpath(to, posixpath.dirname(uri) or '.')}{anchor or ''}{after}"

    text = "".join(part if FENCE.match(part) else LINK.sub(turn, part) for part in FENCE.split(text))
    return powers(keyed(text) if source == "docs/reference.md" else text)


def keyed(text: str) -> str:
    """The reference with each key's whole name beside it, for the search alone."""
    lines, table = text.split("\n"), ""
    for k, line in enumerate(lines):
        if line.startswith("#"):
            found = re.match(r"### `\[(.*)\]`", line)
            table = found[1] if found else ""
        elif table:
            lines[k] = re.sub(r"^\| `(\w+)` \|", rf"| `\1` <span hidden>{table}.\1</span> |", line)
    return "\n".join(lines)


def powers(text: str) -> str:
    """Outside code, links and tags 512^3 is a power."""
    out, at = [], 0
    for part in AS_IS.finditer(text):
        out += [POWER.sub(r"<sup>\1</sup>", text[at : part.start()]), part[0]]
        at = part.end()
    return "".join([*out, POWER.sub(r"<sup>\1</sup>", text[at:])])


def outside(target: str) -> bool:
    return "://" in target or target.startswith("mailto:")


def targets(source: str, text: str) -> list[str]:
    prose = "".join(part for part in FENCE.split(text) if not FENCE.match(part))
    base = posixpath.dirname(source)
    return [posixpath.normpath(posixpath.join(base, m[2])) for m in LINK.finditer(prose) if not outside(m[2])]


def head(title: str, path: str) -> str:
    return f"---\ntitle: {json.dumps(title)}\nsearch:\n  boost: 0.5\n---\n# {title}\n\n`{path}`\n\n"


def folder(path: str) -> str:
    rows = []
    for file in sorted((ROOT / path).iterdir()):
        if file.suffix in SHOWN:
            rows.append(f"| [{file.name}]({file.name}) | {title(file)} |")
    name, about = FOLDERS.get(path, (path, ""))
    return head(name, f"{path}/") + about + "\n\n| file | |\n|---|---|\n" + "\n".join(rows) + "\n"


def title(file: Path) -> str:
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".ipynb":
        found = re.search(r"^# (.*)", "".join(json.loads(text)["cells"][0]["source"]), re.MULTILINE)
    else:
        found = re.search(r'^title = "(.*)"', text, re.MULTILINE)
    return found[1] if found else ""


def listing(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    name = path.relative_to(ROOT).as_posix()
    return head(title(path) or path.name, name) + block(LANGUAGE.get(path.suffix, "text"), text)


def block(language: str, text: str) -> str:
    return f"````{language}\n{text.rstrip()}\n````\n"


def notebook(path: Path) -> str:
    """The text and the code of a notebook; they are kept without what it showed."""
    parts = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"])
        parts.append(block("python", text) if cell["cell_type"] == "code" else text)
    first, rest = parts[0], parts[1:]
    first = re.sub(r"^# .*\n*", "", first)
    name = path.relative_to(ROOT).as_posix()
    return head(title(path), name) + "\n\n".join([first, *rest]) + "\n"


if __name__ == "__main__":
    lay(Path(sys.argv[1]))
