#!/usr/bin/env bash
# Installs the data-driven library to an empty folder and builds a project against it: by find_package, with the static and the
# shared library, and by pkg-config. The installed files must not mention the build tree.
# Usage: installed_tree.sh BUILD SOURCE COMPILER
set -euo pipefail
build=$1 source=$2 compiler=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cmake --install "$build" --component ddm --prefix "$folder/tree" > /dev/null
if grep -rIl --exclude-dir=include "$build" "$folder/tree"; then
  echo "these files name the build tree" >&2
  exit 1
fi
cmake -S "$source/examples/ddm/project" -B "$folder/project" -DCMAKE_PREFIX_PATH="$folder/tree" -DCMAKE_CXX_COMPILER="$compiler" > /dev/null
cmake --build "$folder/project" > /dev/null
"$folder/project/squares"
"$folder/project/squares_shared"
ldd "$folder/project/squares_shared" | grep -q "$folder/tree/.*/libraddle-ddm.so.0"
if command -v pkg-config > /dev/null; then
  export PKG_CONFIG_PATH=$(dirname "$(find "$folder/tree" -name raddle-ddm.pc)")
  flags=$(pkg-config --define-prefix --cflags --libs raddle-ddm)
  library=$(pkg-config --define-prefix --variable=libdir raddle-ddm)
else
  library=$(dirname "$(find "$folder/tree" -name libraddle-ddm.so)")
  flags="-I$folder/tree/include -L$library -lraddle-ddm -pthread"
fi
"$compiler" -std=c++20 "$source/examples/ddm/project/squares.cpp" $flags -o "$folder/squares"
LD_LIBRARY_PATH=$library "$folder/squares"
