#!/bin/sh
# Compiles SOURCE in one WAY with Raddle's CUDA headers: sm_NN (device code; the default one down to
# PTX, in which nothing may be left undefined), host (the host side of CUDA), c99, c11, c++11, c++20.
# usage: check_header.sh ROOT SOURCE WAY
set -eu
root=$1 source=$2 way=$3
unset LIBRARY_PATH CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH CUDA_HOME CUDA_PATH || true
folders="-isystem $root/include/raddle/cuda -isystem $root/include"
cuda="-x cuda -nocudainc -nocudalib --cuda-path=/nonexistent -Xclang -target-sdk-version=12.3
      $folders -include cuda_runtime.h -Werror -Wno-unused-value"

case $way in
  sm_70)
    ptx=$("$CLANGXX" $cuda --cuda-feature=+ptx75 --cuda-gpu-arch=sm_70 --cuda-device-only -O1 -S \
          "$source" -o -)
    undefined=$(printf '%s\n' "$ptx" | grep '^\.extern \.func' | grep -vw \
                -e vprintf -e __assertfail -e malloc -e free || true)
    if [ -n "$undefined" ]; then
      echo "functions without a definition:" >&2
      echo "$undefined" >&2
      exit 1
    fi ;;
  sm_*)
    "$CLANGXX" $cuda --cuda-gpu-arch="$way" --cuda-device-only -fsyntax-only "$source" ;;
  host)
    "$CLANGXX" $cuda --cuda-gpu-arch=sm_70 --cuda-host-only -fsyntax-only "$source" ;;
  c*)
    case $source in
      *.c) "$CLANG" -std="$way" -I"$root/include/raddle/cuda" -Wall -Werror -fsyntax-only "$source" ;;
      *) "$GXX" -std="$way" -I"$root/include/raddle/cuda" -Wall -Werror -fsyntax-only "$source" ;;
    esac ;;
esac
