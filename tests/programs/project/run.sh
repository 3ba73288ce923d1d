#!/usr/bin/env bash
# Builds a copy of the project in a folder of the build tree and runs it: once with NVCC='raddle cc', once through an `nvcc`
# in PATH. Usage: run.sh RADDLE WORK_FOLDER
set -euo pipefail
raddle=$(realpath "$1")
work=$2
source=$(realpath "$(dirname "$0")")

rm -rf "$work"
mkdir -p "$work/by_variable" "$work/by_name" "$work/bin"
cp "$source"/{Makefile,*.h,*.c,*.cpp,*.cu} "$work/by_variable"
cp "$source"/{Makefile,*.h,*.c,*.cpp,*.cu} "$work/by_name"
ln -s "$raddle" "$work/bin/nvcc"

run() {
  local last
  last=$("$1" | tail -n 1)
  [ "$last" = ok ] || { echo "$1: the last line is '$last'" >&2; exit 1; }
}

make -C "$work/by_variable" NVCC="$raddle cc" program single >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
run "$work/by_variable/program"
run "$work/by_variable/single"
PATH=$work/bin:$PATH make -C "$work/by_name" program >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
run "$work/by_name/program"
# No flag that is harmless is warned about.
if grep -i warning "$work/log"; then exit 1; fi
echo ok
