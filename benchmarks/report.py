"""What the benchmarks end with: a table to read, and the same numbers for other programs."""

import argparse
import json
import pathlib
import warnings


def give(name, text, rows, folder):
    """Prints the table, and writes it and its rows into a folder, if there is one, as NAME.md and NAME.json."""
    print(text)
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.md").write_text(text)
        (folder / f"{name}.json").write_text(json.dumps(rows, indent=1))


def arguments(name, description, sets, *, kinds=(), more=()):
    """What most of them are told: how many sets, of which kinds, from which seed on, and where the table goes. Those of `more` are flags
    with what `add_argument` takes."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two small sets of each kind, in seconds")
    parser.add_argument("--sets", type=int, help=f"[default: {sets}, or 2 with --quick]")
    if kinds:
        parser.add_argument("--kinds", nargs="*", default=list(kinds), choices=kinds)
    parser.add_argument("--first-seed", type=int, default=1000, help="development seeds are below 1000")
    parser.add_argument("--out", type=pathlib.Path, help=f"folder for {name}.md and {name}.json")
    for flag, settings in more:
        parser.add_argument(flag, **settings)
    found = parser.parse_args()
    warnings.simplefilter("ignore")
    found.sets = found.sets or (2 if found.quick else sets)
    return found
