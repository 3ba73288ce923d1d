#!/usr/bin/python3
"""Runs the example of the overlay's driver on a small table of numbers and computes the same here.

usage: sharpen_test.py SHARPEN WORK_FOLDER
"""
import pathlib
import subprocess
import sys

WIDTH, HEIGHT = 7, 5


def value(x, y, channel):
    x, y = min(max(x, 0), WIDTH - 1), min(max(y, 0), HEIGHT - 1)
    return ((x * 7 + y * 13 + channel * 5 + x * y) % 17) / 16


def sharper(x, y, channel, amount):
    around = sum(value(x + dx, y + dy, channel) for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)))
    here = value(x, y, channel)
    return min(max(here + amount * (here - around / 4), 0), 1)


def table(function):
    return "".join(",".join(" ".join(str(function(x, y, c)) for c in range(4)) for x in range(WIDTH)) + "\n" for y in range(HEIGHT))


def main():
    program, work = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    work.mkdir(parents=True, exist_ok=True)
    (work / "from.csv").write_text(table(value))
    problems = []
    for amount in (None, 1.5):
        run = subprocess.run([program, "from.csv", "to.csv"] + ([] if amount is None else [str(amount)]), cwd=work, capture_output=True,
                             text=True)
        if run.returncode != 0:
            sys.exit(f"exit status {run.returncode}: {run.stderr}")
        if "cycles, ALU datapath used" not in run.stdout:
            problems.append(f"it said {run.stdout!r}")
        rows = [[[float(n) for n in texel.split()] for texel in line.split(",")] for line in (work / "to.csv").read_text().splitlines()]
        for y in range(HEIGHT):
            for x in range(WIDTH):
                for c in range(4):
                    wanted = sharper(x, y, c, 1 if amount is None else amount)
                    if abs(rows[y][x][c] - wanted) > 1e-6:
                        problems.append(f"amount {amount}: ({x}, {y})[{c}] is {rows[y][x][c]}, not {wanted}")
    missing = subprocess.run([program, "nowhere.png", "to.png"], cwd=work, capture_output=True, text=True)
    if missing.returncode != 1 or "nowhere.png" not in missing.stderr:
        problems.append(f"a missing file: {missing.returncode}, {missing.stderr!r}")
    sys.exit("\n".join(problems) or 0)


main()
