"""A published kind of problem from its file: quadratic assignment in QAPLIB's format. `problem_file.rs` is the same in Rust.

The readers of such files are in the program, which the package installs too: `plackett optimize FILE`, or as here `python -m plackett`.
"""

# %% The file: five facilities, the distances between five places, and how much goes from one facility to another.
import json
import subprocess
import sys
import tempfile
from pathlib import Path

DISTANCES = "0 1 2 3 1\n1 0 1 2 2\n2 1 0 1 3\n3 2 1 0 4\n1 2 3 4 0\n"
FLOWS = "0 5 2 4 1\n5 0 3 0 2\n2 3 0 0 0\n4 0 0 0 5\n1 2 0 5 0\n"
TEXT = f"5\n\n{DISTANCES}\n{FLOWS}"

# %% A search by walks with the problem's own moves, and the same by the gradient.
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder, "five.dat")
    path.write_text(TEXT)

    def optimize(method: str) -> dict[str, object]:
        command = [sys.executable, "-m", "plackett", "optimize", str(path), "--method", method, "--evaluations", "2000", "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
        return dict(json.loads(done.stdout))

    found, by_gradient = optimize("default"), optimize("pl-reinforce")

print(f"kind {found['kind']}, name {found['name']}, {found['items']} items, {found['sense']}")
print(f"by walks: {found['value']:g}")
print(f"by the gradient: {by_gradient['value']:g}")
print(f"facilities by place: {found['order']}")
print(f"how the run ended: {found['status']}")

assert found["value"] == by_gradient["value"]
