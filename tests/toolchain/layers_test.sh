#!/usr/bin/env bash
# scripts/check_layers accepts the layers as they are and names every include that goes upwards.
. "$(dirname "$0")/testing.sh" "$@"
check=$source/scripts/check_layers

"$check" "$source" >"$work/out" || fail "the repository itself: $(cat "$work/out")"

tree=$work/tree
mkdir -p "$tree/src/base" "$tree/src/kernel" "$tree/src/machine/ref" "$tree/src/machine/simt" "$tree/src/lang/ptx" \
  "$tree/src/surprise" "$tree/src/cli" "$tree/src/driver/tpa" "$tree/src/driver/surprise"
cat >"$tree/src/kernel/good.cpp" <<'END'
#include <vector>
#include "base/error.h"
#include "kernel/type.h"
END
"$check" "$tree" >"$work/out" || fail "a downward include was refused: $(cat "$work/out")"

refuses() {
  printf '// first line\n#include "%s"\n' "$2" >"$tree/src/$1"
  if "$check" "$tree" >"$work/out"; then fail "$1 may include $2"; fi
  expect_text "$3" "$work/out"
  rm "$tree/src/$1"
}
refuses base/bad.h kernel/type.h 'src/base/bad.h:2: base must not include kernel ("kernel/type.h")'
refuses kernel/bad.cpp machine/machine.h 'src/kernel/bad.cpp:2: kernel must not include machine'
refuses lang/ptx/bad.cpp machine/machine.h 'src/lang/ptx/bad.cpp:2: lang/ptx must not include machine'
refuses lang/ptx/bad.cpp lang/cuda/driver.h 'src/lang/ptx/bad.cpp:2: lang/ptx must not include lang/cuda'
refuses machine/ref/bad.cpp machine/simt/warp.h 'src/machine/ref/bad.cpp:2: machine/ref must not include machine/simt'
refuses machine/ref/bad.cpp machine/tpa/isa.h 'src/machine/ref/bad.cpp:2: machine/ref must not include machine/tpa'
refuses machine/bad.cpp machine/ref/ref.h 'src/machine/bad.cpp:2: machine must not include machine/ref'
refuses cli/bad.cpp driver/tpa/e_loader.h 'src/cli/bad.cpp:2: cli must not include driver/tpa'
refuses driver/tpa/bad.cpp driver/ptx/ptx_arguments.h 'src/driver/tpa/bad.cpp:2: driver/tpa must not include driver/ptx'
refuses kernel/bad.cpp type.h 'src/kernel/bad.cpp:2: "type.h" is not written from src/'
refuses surprise/bad.cpp base/error.h 'src/surprise/bad.cpp:2: folder src/surprise is not in cmake/layers.txt'
refuses driver/surprise/bad.cpp base/error.h 'folder src/driver/surprise is not in cmake/layers.txt'
