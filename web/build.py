"""Puts the page together: `build.py MODULE.wasm FOLDER` writes the files for any static host, and each page as one file that opens from a folder.

The scripts are plain modules; for the one file each becomes a function, its imports what other functions return.
"""

import base64
import gzip
import hashlib
import json
import re
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).parent
ASSETS = HERE.parent / "crates/plackett-report/assets"
SHARED = ["page.css", "viewer.css", "element.js", "viewer.js", "page.js"]
OWN = ["index.html", "race.html", "style.css", "main.js", "dom.js", "columns.js", "knowledge.js", "effect.js", "engine.js", "link.js", "race.js", "worker.js"]
MODULE = "plackett.wasm"
PAGES = {"index.html": "plackett.html", "race.html": "plackett-race.html"}


def bundled(entry):
    """A module and those that it imports as one script, each once, those that others need first."""
    done, parts = set(), []

    def add(name):
        if name in done:
            return
        done.add(name)
        text = (HERE / name).read_text()
        imports = re.findall(r'^import \{ (.*?) \} from "\./(.*?)";\n', text, re.MULTILINE)
        for _, other in imports:
            add(other)
        body = re.sub(r'^import .*?;\n', "", text, flags=re.MULTILINE)
        names = re.findall(r"^export (?:async )?(?:function|class|const) (\w+)", body, re.MULTILINE)
        body = re.sub(r"^export ", "", body, flags=re.MULTILINE)
        taken = "".join(f"const {{ {wanted} }} = {variable(other)};\n" for wanted, other in imports)
        parts.append(f"const {variable(name)} = (() => {{\n{taken}{body}return {{ {', '.join(names)} }};\n}})();\n")

    add(entry)
    return '"use strict";\n' + "".join(parts)


def variable(name):
    return "module_" + name.removesuffix(".js").replace("-", "_")


def digest(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def one_file(page, out):
    """A page with everything inside, under a policy that names its scripts and styles and lets it fetch nothing at all."""
    html = (out / page).read_text()
    scripts, styles = [], []

    def style(match):
        text = (out / match[1]).read_text()
        styles.append(text)
        return f"<style>{text}</style>"

    def script(match):
        name = match[2]
        text = bundled(name) if match[1] else (out / name).read_text()
        assert "</script" not in text.lower() and "<!--" not in text, name
        scripts.append(text)
        return f"<script>{text}</script>"

    html = re.sub(r'<link rel="stylesheet" href="(.*?)">', style, html)
    packed = base64.b64encode(gzip.compress((out / MODULE).read_bytes(), 9, mtime=0)).decode()
    worker = json.dumps((out / "worker.js").read_text()).replace("<", "\\u003c")
    data = (f'<script type="text/plain" id="inlined-module">{packed}</script>\n'
            f'<script type="application/json" id="inlined-worker">{worker}</script>\n')
    html = html.replace('<script src="element.js">', data + '<script src="element.js">', 1)
    html = re.sub(r'<script (type="module" )?src="(.*?)"></script>', script, html)
    policy = (f"default-src 'none'; script-src {' '.join(map(digest, scripts))} 'wasm-unsafe-eval'; style-src {' '.join(map(digest, styles))}; "
              "worker-src blob:; img-src data: blob:; base-uri 'none'; form-action 'none'")
    return re.sub(r'(<meta http-equiv="Content-Security-Policy" content=").*?(">)', lambda match: match[1] + policy + match[2], html)


def main():
    module, out = Path(sys.argv[1]), Path(sys.argv[2])
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    shutil.copy(module, out / MODULE)
    for folder, names in ((ASSETS, SHARED), (HERE, OWN)):
        for name in names:
            shutil.copy(folder / name, out / name)
    # Both pages begin alike.
    for page in PAGES:
        (out / page).write_text((HERE / page).read_text().replace("@HEAD@\n", (HERE / "head.html").read_text(), 1))
    files = sorted([*SHARED, *OWN, MODULE])
    version = "plackett-" + hashlib.sha256(b"".join((out / name).read_bytes() for name in files)).hexdigest()[:16]
    worker = (HERE / "service-worker.js").read_text().replace("@VERSION@", version).replace("@FILES@", " ".join(["./", *files]))
    (out / "service-worker.js").write_text(worker)
    sizes = {name: len(gzip.compress((out / name).read_bytes(), 9)) for name in [*files, "service-worker.js"]}
    for page, name in PAGES.items():
        (out / name).write_text(one_file(page, out))
    (out / "sizes.json").write_text(json.dumps(sizes))
    print(f"{out}: {sum(sizes.values()):,} bytes packed, of which {sizes[MODULE]:,} are the module")


main()
