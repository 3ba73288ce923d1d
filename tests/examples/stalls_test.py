#!/usr/bin/python3
"""Runs every program of examples/stalls on fermi: its numbers must be right, and the wait that its first line names must take
more issue slots than any other wait. Every wait that the machine counts must have such a program.

usage: stalls_test.py RADDLE WORK_FOLDER

All of them are compiled as one program, each in a namespace of its own, because compiling takes longer than running.
"""
import json
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "stalls"


def wait_named_in(program):
    first = program.read_text().split("\n", 1)[0]
    return re.match(r"// ([^.:]+)[.:] ", first).group(1)


def write_all(programs, path):
    text = f'#include <cmath>\n#include "{FOLDER}/check.h"\n#define main run\n'
    for program in programs:
        text += f'namespace {program.stem} {{\n#include "{program}"\n}}\n'
    calls = " + ".join(f"{program.stem}::run()" for program in programs)
    path.write_text(text + f"#undef main\nint main() {{ return {calls}; }}\n")


def main():
    raddle, work = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    work.mkdir(parents=True, exist_ok=True)
    programs = sorted(FOLDER.glob("*.cu"))
    write_all(programs, work / "all.cu")
    run = subprocess.run([raddle, "run", "all.cu", "-m", "fermi", "--json", "all.json", "-o", "out", "--no-store"], cwd=work,
                         capture_output=True, text=True)
    problems = [] if run.returncode == 0 else [f"exit status {run.returncode}:\n{run.stdout}{run.stderr}"]
    launches = json.loads((work / "all.json").read_text())["launches"] if run.returncode == 0 else []
    shown = set()
    for program in programs if launches else []:
        wanted = wait_named_in(program)
        shown.add(wanted)
        slots = [launch["stalls"] for launch in launches if launch["kernel"].startswith(program.stem + "::")]
        if len(slots) != 1:
            problems.append(f"{program.name}: {len(slots)} launches instead of one")
            continue
        total = sum(use["cycles"] for use in slots[0])
        waits = {use["name"]: use["cycles"] / total for use in slots[0] if use["kind"] != "issued"}
        order = sorted(waits, key=waits.get, reverse=True)
        print(f"{program.stem:20}" + "  ".join(f"{name} {100 * waits[name]:.0f}%" for name in order[:3]))
        if order[0] != wanted:
            problems.append(f"{program.name}: {wanted!r} has {waits.get(wanted, 0):.1%}, "
                            f"{order[0]!r} leads with {waits[order[0]]:.1%}")
    for missing in {use["name"] for launch in launches for use in launch["stalls"]} - shown - {"issued"}:
        problems.append(f"no program shows {missing!r}")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
