#!/usr/bin/python3
"""The CUDA runtime's answers about occupancy against what the machine says about the same launches.

usage: check_occupancy.py RADDLE SHAPES.cu MACHINE STEP    of the sizes of blocks, every STEPth is tried
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

raddle, program, machine, step = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    result = pathlib.Path(folder) / "result.json"
    run = subprocess.run([raddle, "run", program, "-m", machine, "--json", str(result), "-o", folder, "--", step],
                         capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"status {run.returncode}\n{run.stdout[-2000:]}\n{run.stderr[-2000:]}")
    launches = json.loads(result.read_text())["launches"]
answers = re.findall(r"^(\d+) threads, (\d+) bytes: (\d+) blocks, launched$", run.stdout, re.M)
if len(answers) != len(launches) or len(answers) < 50:
    sys.exit(f"{len(answers)} answers for {len(launches)} launches")
differences = 0
for (threads, dynamic, blocks), launch in zip(answers, launches):
    shape = launch["kernel_launch"]
    if [shape["block"][0], shape["dynamic_shared_bytes"]] != [int(threads), int(dynamic)]:
        sys.exit(f"{shape['block'][0]} threads were launched, not {threads}")
    if shape["occupancy"]["blocks_per_core"] != int(blocks):
        differences += 1
        print(f"{launch['kernel']}, {threads} threads, {dynamic} bytes: the runtime says {blocks} blocks, "
              f"{machine} {shape['occupancy']['blocks_per_core']}")
print(f"{len(answers)} shapes, {differences} differ")
sys.exit(differences != 0)
