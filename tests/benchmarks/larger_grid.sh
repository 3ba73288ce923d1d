#!/usr/bin/env bash
# Runs bundled benchmarks on a fabric, on one with twice as many units of every class, and on those with twice as many of one
# class, and expects that none of the larger ones takes more cycles. Of a hundred cycles two are allowed for: where copies of a
# kernel have no more threads to run, a larger grid makes its mapping shorter and tokens of different copies meet at banks in
# another order; and what a cut is expected to take is not known better than to 3%.
# Usage: larger_grid.sh RADDLE WORK_FOLDER MACHINE "NAME ARGUMENT …" …
set -euo pipefail
raddle=$1 work=$2 machine=$3
shift 3
mkdir -p "$work"
cd "$work"

cycles() {  # OUTPUT RADDLE_ARGUMENT …
  "$raddle" run --json "$1" "${@:2}" >output 2>&1 || { cat output >&2; exit 1; }
  python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["totals"]["cycles"])' "$1"
}

classes=(alu=64 fpu=64 special=24 load_store=64 split_join=32 control=32)
status=0

compare() {  # NAME OF THE LARGER GRID, SETTINGS …
  large=$(cycles large.json "$name" -m "$machine" "${@:2}" -- "${words[@]:1}")
  echo "$name: $small cycles, $large with $1"
  if [ $((large * 100)) -gt $((small * 102)) ]; then
    echo "FAILED: $name takes longer with $1" >&2
    status=1
  fi
}

for program in "$@"; do
  read -r -a words <<<"$program"
  name=${words[0]}
  small=$(cycles small.json "$name" -m "$machine" -- "${words[@]:1}")
  doubled=()
  for class in "${classes[@]}"; do
    compare "units.$class" --set "units.$class"
    doubled+=(--set "units.$class")
  done
  compare "twice the units" "${doubled[@]}"
done
exit $status
