#!/usr/bin/env bash
# An NVIDIA toolkit on the machine changes nothing. A poisoned one is put first in every variable that its installer sets:
# its headers do not compile, its libraries are not libraries, its tools leave a trace. A program compiled and run with it
# around prints the same and counts the same as one without.
. "$(dirname "$0")/testing.sh" "$@"
raddle=$build/raddle
program=$source/tests/toolchain/vector_sum.cu

toolkit=$work/cuda
mkdir -p "$toolkit/bin" "$toolkit/include/crt" "$toolkit/lib64/stubs" "$toolkit/nvvm/libdevice" "$toolkit/targets"
for tool in nvcc ptxas fatbinary cicc cudafe++ nvlink clang clang++; do
  printf '#!/bin/sh\necho "$0 $*" >>"%s/called"\nexit 99\n' "$work" >"$toolkit/bin/$tool"
  chmod +x "$toolkit/bin/$tool"
done
for header in cuda_runtime.h cuda.h cuda_runtime_api.h device_launch_parameters.h crt/host_defines.h; do
  echo '#error "a header of the toolkit was included"' >"$toolkit/include/$header"
done
for library in libcudart.so libcuda.so libcudart_static.a libcudadevrt.a; do
  echo 'not a library' >"$toolkit/lib64/$library"
  echo 'not a library' >"$toolkit/lib64/stubs/$library"
done
echo 'not bitcode' >"$toolkit/nvvm/libdevice/libdevice.10.bc"
echo '{"cuda": {"version": "12.3.0"}}' >"$toolkit/version.json"

# run NAME VARIABLE=VALUE…: compiles afresh and runs in a folder of its own.
run() {
  local name=$1
  shift
  mkdir -p "$work/$name"
  (cd "$work/$name" &&
    env -u CUDA_HOME -u CUDA_PATH -u LIBRARY_PATH -u CPATH -u RADDLE_MACHINE XDG_CACHE_HOME="$work/$name/cache" "$@" \
      "$raddle" run "$program" --json result.json >out 2>err) || fail "$name: $(cat "$work/$name/err")"
}
run without
run with PATH="$toolkit/bin:$PATH" CUDA_HOME="$toolkit" CUDA_PATH="$toolkit" CUDA_ROOT="$toolkit" \
  LIBRARY_PATH="$toolkit/lib64:$toolkit/lib64/stubs" CPATH="$toolkit/include"

[ ! -e "$work/called" ] || fail "a tool of the toolkit was called: $(cat "$work/called")"
expect_text "sum 1999000, wrong 0" "$work/without/out"
# All but the line that says how long it took.
for name in without with; do grep -v '^simulated in ' "$work/$name/out" >"$work/$name/lasting"; done
cmp "$work/without/lasting" "$work/with/lasting" || fail "the output differs"

# `host` holds wall time and memory, which differ from run to run.
python3 - "$work/without/result.json" "$work/with/result.json" <<'END' || fail "the results differ"
import json, sys
def load(name):
    with open(name) as file:
        result = json.load(file)
    result.pop("host", None)
    return result
without, with_toolkit = load(sys.argv[1]), load(sys.argv[2])
assert without == with_toolkit, (without, with_toolkit)
assert without["launches"], "no launch was counted"
END

# Neither what we build nor what we compile refers to a library of theirs.
(cd "$work/with" && env PATH="$toolkit/bin:$PATH" LIBRARY_PATH="$toolkit/lib64" CUDA_HOME="$toolkit" \
  XDG_CACHE_HOME="$work/with/cache" "$raddle" cc "$program" -o vector_sum)
for binary in "$raddle" "$build/lib/libraddle-cudart.so" "$work/with/vector_sum"; do
  ldd "$binary" >"$work/libraries"
  if grep -E 'libcuda|libcudart\.so|libnv|/cuda' "$work/libraries" | grep -v 'libraddle-cudart'; then
    fail "$binary uses a library of the toolkit"
  fi
done
if grep -aqE '/usr/local/cuda|libcuda\.so' "$build/compile_commands.json"; then fail "the build names the toolkit"; fi
