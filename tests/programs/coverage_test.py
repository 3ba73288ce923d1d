"""coverage.toml and the programs beside it name each other. Usage: coverage_test.py FOLDER"""
import pathlib
import sys
import tomllib

TABLES = {"runtime api", "driver api", "device feature", "newer feature", "libraries", "source compatibility", "execution hazard", "not supported"}


def main(folder):
    with open(folder / "coverage.toml", "rb") as file:
        rows = tomllib.load(file)["row"]
    faults = []
    named = set()
    for row in rows:
        feature = row["feature"]
        supported = row["status"] == "supported"
        if row["table"] not in TABLES:
            faults.append(f"{feature}: there is no table '{row['table']}'")
        if not supported and not row["status"].startswith("not supported: "):
            faults.append(f"{feature}: the status is neither 'supported' nor 'not supported: why'")
        if supported == (row["table"] == "not supported"):
            faults.append(f"{feature}: table and status contradict each other")
        if supported and not row["programs"]:
            faults.append(f"{feature}: no program shows it")
        for program in row["programs"]:
            named.add(program)
            if not (folder / program).exists():
                faults.append(f"{feature}: {program} does not exist")
    present = {str(path.relative_to(folder)) for path in folder.glob("*.cu")}
    present |= {str(path.relative_to(folder)) for path in folder.glob("libraries/*.cu")}
    present |= {str(path.relative_to(folder)) for path in folder.glob("not_supported/*.cu")} | {"project"}
    faults += [f"{program} shows no feature of the table" for program in sorted(present - named)]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


sys.exit(main(pathlib.Path(sys.argv[1])))
