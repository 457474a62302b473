"""What the benchmarks end with: a table to read, and the same numbers for other programs."""

import json


def give(name, text, rows, folder):
    """Prints the table, and writes it and its rows into a folder, if there is one, as NAME.md and NAME.json."""
    print(text)
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.md").write_text(text)
        (folder / f"{name}.json").write_text(json.dumps(rows, indent=1))
