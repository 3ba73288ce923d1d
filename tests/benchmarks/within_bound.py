"""Expects that no launch of a result on a dataflow fabric takes fewer cycles than its bound. Usage: within_bound.py RESULT"""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    launches = json.load(file)["launches"]
for launch in launches:
    bound = launch["fabric"]["bound_cycles"]
    if not 0 < bound <= launch["cycles"]:
        sys.exit(f"{launch['kernel']}: {launch['cycles']} cycles, bound {bound}")
