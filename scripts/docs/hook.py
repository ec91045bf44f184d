"""Makes HTML of docs/: README.md is its first page, and the files beyond docs/ that pages link to
(cases, notebooks, folders of them) become pages, too. Links are those of the repository, where they
work as they are; here they are turned to the pages."""

from __future__ import annotations

import json
import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?(\))")
FENCE = re.compile(r"^( *```.*?^ *```[^\n]*$)", re.MULTILINE | re.DOTALL)
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

# Where the text of a page stands in the repository, and which page a path of the repository is.
repo_of: dict[str, str] = {}
page_of: dict[str, str] = {}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The foot of each page names the version that it describes."""
    config.copyright = "lbmsim " + (ROOT / "VERSION").read_text(encoding="utf-8").strip()
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    repo_of.clear()
    page_of.clear()
    for file in files:
        known(file.src_uri, "docs/" + file.src_uri)
    for name in ASSETS:
        files.append(File.generated(config, "assets/" + name, content=(HERE / name).read_text(encoding="utf-8")))

    def add(uri: str, path: str, text: str) -> None:
        known(uri, path)
        files.append(File.generated(config, uri, content=text))

    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    add("index.md", "README.md", "---\nhide: [navigation, toc]\n---\n" + readme)
    todo = [("README.md", readme)]
    todo += [("docs/" + f.src_uri, f.content_string) for f in list(files) if f.is_documentation_page()]
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
                raise PluginError(f"{source} links to {target}, which is not there")
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    uri = page.file.src_uri
    source = repo_of[uri]
    base = source if uri.endswith("/index.md") else posixpath.dirname(source)

    def turn(link: re.Match[str]) -> str:
        before, target, anchor, after = link.groups()
        if outside(target):
            return link[0]
        path = posixpath.normpath(posixpath.join(base, target))
        to = page_of.get(path)
        if to is None:
            return link[0]  # strict mode names it
        return f"{before}{posixpath.relpath(to, posixpath.dirname(uri) or '.')}{anchor or ''}{after}"

    return "".join(part if FENCE.match(part) else LINK.sub(turn, part) for part in FENCE.split(markdown))


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Short commands stay on one line, in tables, which scroll, longer ones, too; 512^3 is a power."""

    def whole(html: str, length: int) -> str:
        return re.sub(rf"(?<!<pre>)<code>(?=[^<]{{1,{length}}}</code>)", '<code class="whole">', html)

    html = re.sub(r"<table>.*?</table>", lambda table: whole(table[0], 44), html, flags=re.DOTALL)
    html = whole(html, 30)
    parts = re.split(r"(<pre.*?</pre>|<code.*?</code>|<[^>]*>)", html, flags=re.DOTALL)
    return "".join(p if p.startswith("<") else re.sub(r"(?<=[\w)])\^(-?\d+)\b", r"<sup>\1</sup>", p) for p in parts)


def known(uri: str, path: str) -> None:
    repo_of[uri] = path
    page_of[path] = uri


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
