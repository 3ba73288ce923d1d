#!/usr/bin/env bash
# Runs one program and expects exit 0 and `ok` as the last line that the program itself prints. Raddle's summary follows the
# program's own output, so the program is told apart by --json, which prints the result alone.
# A line `// compiled with: FLAGS` of the program gives the compiler's flags.
# RADDLE_SET is a parameter of the machine, KEY=VALUE.
# Usage: run_program.sh RADDLE PROGRAM.cu WORK_FOLDER [MACHINE]
set -euo pipefail
mkdir -p "$3"
cd "$3"
status=0
flags=$(sed -n 's|^// compiled with: ||p' "$2")
setting=${RADDLE_SET:+--set=$RADDLE_SET}
"$1" run "$2" -m "${4:-ref}" $setting --cc "$flags" --json >result.json 2>output || status=$?   # with --json the program's own output goes to stderr
if [ "$status" -ne 0 ] || [ "$(tail -n 1 output)" != ok ]; then
  cat output >&2
  echo "FAILED: exit code $status, last line '$(tail -n 1 output)'" >&2
  exit 1
fi
