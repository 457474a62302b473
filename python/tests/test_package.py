"""The package as a whole: what importing it costs, what it ships, and that every public thing explains itself."""

import inspect
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import plackett

IMPORT = """
import time
import numpy
start = time.process_time()
import plackett
print(time.process_time() - start)
"""


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_importing_is_quick():
    # numpy itself takes about 0.12 s; together they stay below 0.2 s.
    assert min(float(run(IMPORT)) for _ in range(3)) < 0.08


def test_importing_imports_nothing_heavy():
    loaded = run("import sys, plackett; print(*sys.modules)").split()
    heavy = {"narwhals", "pandas", "polars", "networkx", "sklearn", "scipy", "distributed", "tqdm", "asyncio"}
    assert not heavy & set(loaded)


def test_errors_are_value_errors_of_the_package():
    assert issubclass(plackett.PlackettError, ValueError)
    assert plackett.PlackettError.__module__ == "plackett"


def test_versions_agree():
    assert plackett.__version__ == metadata.version("plackett")


def test_types_are_shipped():
    folder = Path(plackett.__file__).parent
    assert (folder / "py.typed").exists() and (folder / "_plackett.pyi").exists()


def test_everything_public_has_documentation_with_an_example():
    silent = []
    modules = [plackett, plackett.critics, plackett.metrics]
    things = {id(thing): (name, thing) for module in modules for name in module.__all__ for thing in [getattr(module, name)]}
    for name, thing in things.values():
        if inspect.ismodule(thing) or inspect.isclass(thing) and issubclass(thing, Exception | tuple):
            assert thing.__doc__, name
            continue
        is_result = name in ("Cpdag", "Estimate", "Optimum")
        if not is_result and ">>>" not in (thing.__doc__ or ""):
            silent.append(name)
        for member, value in vars(thing).items() if inspect.isclass(thing) and not is_result else ():
            if member.startswith("_") or not isinstance(value, property | classmethod) and not inspect.isfunction(value):
                continue
            inherited = any(">>>" in (getattr(getattr(base, member, None), "__doc__", "") or "") for base in thing.__mro__)
            if not inherited:
                silent.append(f"{name}.{member}")
    assert silent == []
