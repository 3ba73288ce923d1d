#!/usr/bin/env bash
# Runs bundled benchmarks on a fabric and on one with twice as many units of every class, and expects that the larger one does
# not take more cycles. Of a hundred cycles one is allowed for: where copies of a kernel have no more threads to run, it makes
# its mapping shorter and tokens of different copies meet at banks in another order.
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

doubled=(--set units.alu=64 --set units.fpu=64 --set units.special=24 --set units.load_store=64
         --set units.split_join=32 --set units.control=32)
status=0
for program in "$@"; do
  read -r -a words <<<"$program"
  name=${words[0]}
  small=$(cycles small.json "$name" -m "$machine" -- "${words[@]:1}")
  large=$(cycles large.json "$name" -m "$machine" "${doubled[@]}" -- "${words[@]:1}")
  echo "$name: $small cycles, $large with twice the units"
  if [ $((large * 100)) -gt $((small * 101)) ]; then
    echo "FAILED: $name takes longer on the larger grid" >&2
    status=1
  fi
done
exit $status
