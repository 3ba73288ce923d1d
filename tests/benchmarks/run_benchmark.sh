#!/usr/bin/env bash
# Runs one bundled benchmark under --check and expects exit 0 and its line `NAME: …, 0 of N wrong`; then once more with an
# argument that is no number, and expects that it is refused with the usage line.
# RADDLE_MACHINE says on which machine; a dataflow fabric must not beat its bound; on another than ref the second part is left out, and the checks of memory as well.
# RADDLE_SET is a parameter of it, KEY=VALUE.
# Usage: run_benchmark.sh RADDLE WORK_FOLDER NAME [ARGUMENT …]
set -euo pipefail
raddle=$1 work=$2 name=$3
shift 3
mkdir -p "$work"
cd "$work"

fail() {
  cat output >&2
  echo "FAILED: $name: $1" >&2
  exit 1
}

machine=${RADDLE_MACHINE:-ref}
check=--check
# It reads a level that atomics change at the same time: a race that docs/machines/ref.md lists.
[ "$name" != bfs_queue ] || check=--check=memory,barrier
[ "$machine" = ref ] || check=
setting=${RADDLE_SET:+--set=$RADDLE_SET}
"$raddle" run "$name" -m "$machine" $setting $check -- "$@" >output 2>&1 || fail "exit status $?"
grep -qE "^$name: .*max error .*, 0 of [1-9][0-9]* wrong\$" output || fail "no line that says that nothing is wrong"
case $machine in
  *cgra) python3 "$(dirname "$0")/within_bound.py" "$(sed -n 's/^result: //p' output)" 2>bound || fail "$(cat bound)" ;;
esac
[ "$machine" = ref ] || exit 0

if "$raddle" run "$name" -- many >output 2>&1; then fail "took 'many' for a number"; fi
grep -q "^usage: $name " output || fail "no usage line for an argument that is no number"
