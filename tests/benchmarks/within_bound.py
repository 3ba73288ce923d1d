"""Expects that no launch of a result on a dataflow fabric takes fewer cycles than its bound. Usage: within_bound.py RESULT"""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    launches = json.load(file)["launches"]
bounds = 0
for launch in launches:
    for stat in launch.get("stats", []):
        if (stat["component"], stat["name"]) != ("bound", "cycles"):
            continue
        bounds += 1
        if launch["cycles"] < stat["value"]:
            sys.exit(f"{launch['kernel']}: {launch['cycles']} cycles, bound {stat['value']}")
if bounds != len(launches):
    sys.exit(f"{len(launches)} launches, {bounds} bounds")
