# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""Checks the built HTML and what its first pages promise. Called by scripts/docs.sh.

check.py --links FOLDER        all but the blocks
check.py PROGRAM               the blocks of all pages
check.py --page PAGE PROGRAM   the blocks of one page, where the machine has what they need

- Every link within the pages leads to a file and, with #, to a place in it.
- No page loads anything from elsewhere: no fonts, scripts, styles or pictures.
- The search knows each key of cases, alone and with its table.
- Text has become lists and tables where it is meant to.
- The blocks that a page marks run with PROGRAM, in the order of the page, in an empty folder:
  `<!-- file: NAME -->` before a block writes it to NAME, `<!-- run -->` gives it to bash, and
  `<!-- run, exit code 5 -->` expects that code.
- The README has few words, and its own speeds are in docs/performance.md."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).parent.parent.parent
RUN = tuple("README.md" if page == "README" else f"docs/{page}.md" for page in (
    "README", "start", "tunnel", "body", "convection", "study", "units", "dirty_stl", "choose", "forces", "results", "run", "refine", "coming-from"))
WORDS = 450  # of the README, all that `wc -w` counts
MARKED = re.compile(r"^<!-- (?:run(?:, exit code (\d+))?|file: (\S+)) -->\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LIMIT = 240  # seconds for the blocks of a page: the longest takes 116 on two quiet cores, and CI may share them


class Html(HTMLParser):
    """The places of a page, what it links to, what it loads, and its text outside code and tables."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.text: list[str] = []
        self.depth = 0
        self.paragraph = False
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        at = dict(attributes)
        if at.get("id"):
            self.ids.add(str(at["id"]))
        if tag == "a" and at.get("href"):
            self.links.append(str(at["href"]))
        if tag in ("script", "img", "iframe", "source") and at.get("src"):
            self.loads.append(str(at["src"]))
        if tag == "link" and at.get("href") and at.get("rel") not in ("canonical", "prev", "next"):
            self.loads.append(str(at["href"]))
        if tag in ("code", "pre", "script", "style"):
            self.depth += 1
        if tag == "p":
            self.paragraph = True
            self.text.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("code", "pre", "script", "style"):
            self.depth -= 1
        if tag == "p":
            self.paragraph = False

    def handle_data(self, data: str) -> None:
        if self.paragraph and not self.depth:
            self.text[-1] += data


def links(folder: Path) -> list[str]:
    wrong = []
    pages = {path: Html(path.read_text(encoding="utf-8")) for path in folder.rglob("*.html")}
    for path, page in pages.items():
        name = path.relative_to(folder)
        for link in page.links + page.loads:
            url = urlsplit(link)
            if url.scheme or url.netloc:
                if link in page.loads and url.scheme != "data":
                    wrong.append(f"{name} loads {link}")
                continue
            if path.name == "404.html":
                continue  # its links begin at a server's root
            to = (path.parent / unquote(url.path)).resolve() if url.path else path
            if to.is_dir():
                to /= "index.html"
            if not to.is_file():
                wrong.append(f"{name} links to {link}, which is not there")
            elif url.fragment and to in pages and unquote(url.fragment) not in pages[to].ids | {"__comments"}:
                wrong.append(f"{name} links to {link}: no such place")
        for text in page.text:
            for line in text.splitlines():
                if re.match(r"\s*(- \S|\d\d?\. |\| |#+ |```|<!--)", line):
                    wrong.append(f"{name}: text that looks like a list, a table or a heading: {line.strip()[:60]}")
    for style in folder.rglob("*.css"):
        for url in re.findall(r"url\(\s*[\"']?(https?:[^\"')]*)", style.read_text(encoding="utf-8")):
            wrong.append(f"{style.relative_to(folder)} loads {url}")
    print(f"docs: {len(pages)} pages, {sum(len(p.links) for p in pages.values())} links")
    return wrong


def keys(folder: Path) -> list[str]:
    """The keys that the search would not find: it looks for words of its index that begin with those asked for."""
    index = json.loads((folder / "search" / "search_index.json").read_text(encoding="utf-8"))
    words: set[str] = set()
    for part in index["docs"]:
        words |= set(re.split(index["config"]["separator"], re.sub(r"<[^>]*>", " ", part["text"])))
    asked, table = [], ""
    for line in (ROOT / "docs" / "reference.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            table = found[1] if (found := re.match(r"### `\[(.*)\]`", line)) else ""
        elif table and (found := re.match(r"\| `(\w+)` \|", line)):
            asked += [found[1], f"{table}.{found[1]}"]
    print(f"docs: {len(asked)} names of keys")
    return [f"the search does not find {key}" for key in asked if key not in words] + ([] if asked else ["docs/reference.md has no keys"])


def blocks(page: str, program: str, limit: float = LIMIT) -> list[str]:
    marked = MARKED.findall((ROOT / page).read_text(encoding="utf-8"))
    if all(name for _, name, _ in marked):
        return [f"{page} has no block that is marked to be run"]
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(program, Path(folder, "lbmsim"))
        env = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
        work = Path(folder, "work")
        work.mkdir()
        for code, name, text in marked:
            if name:
                (work / name).write_text(text, encoding="utf-8")
                continue
            left = limit - (time.monotonic() - begin)
            try:
                done = subprocess.run(
                    ["bash", "-euo", "pipefail", "-c", text], cwd=work, env=env, timeout=max(left, 1), text=True,
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                )
            except subprocess.TimeoutExpired:
                return [f"{page}: its blocks take more than {limit} s"]
            if done.returncode != int(code or 0):
                return [f"{page}: exit code {done.returncode} of\n{text}\n{done.stdout[-2000:]}"]
    print(f"docs: {page}: {len(marked)} blocks ran in {time.monotonic() - begin:.0f} s")
    return []


def readme() -> list[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    wrong = []
    if (words := len(text.split())) > WORDS:
        wrong.append(f"README.md has {words} words, at most {WORDS}")
    measured = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    ours = re.findall(r"^\|(?:[^|]*\|){2} ([\d,]+) \|", text, re.MULTILINE)
    wrong += [f"README.md: docs/performance.md has no {n}" for n in ours if n not in measured]
    if not ours:
        wrong.append("README.md has no table of speeds")
    print(f"docs: README.md has {words} words and {len(ours)} speeds of lbmsim")
    return wrong


def main() -> int:
    if sys.argv[1] == "--page":
        wrong = blocks(sys.argv[2], sys.argv[3], 3 * LIMIT)
        print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
        return 1 if wrong else 0
    if sys.argv[1] == "--links":
        folder = Path(sys.argv[2]).resolve()
        wrong = links(folder) + keys(folder) + readme()
        print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
        return 1 if wrong else 0
    program = sys.argv[1]
    wrong: list[str] = []
    if os.access(program, os.X_OK):
        for page in RUN:
            wrong += blocks(page, program)
    else:
        wrong.append(f"there is no program {program}: make build")
    for line in wrong:
        print(f"docs: {line}", file=sys.stderr)
    print("docs: FAILED" if wrong else "docs: ok")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
