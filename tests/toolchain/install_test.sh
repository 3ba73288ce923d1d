#!/usr/bin/env bash
# `make install` gives a tree that works from anywhere, also after it was moved, without the source folder.
. "$(dirname "$0")/testing.sh" "$@"

cmake --install "$build" --prefix "$work/prefix" >"$work/log" || fail "cmake --install: $(cat "$work/log")"
mv "$work/prefix" "$work/moved"
raddle=$work/moved/bin/raddle

for part in bin/raddle share/raddle/machines/ref.toml share/raddle/include/raddle/cuda/cuda_runtime.h; do
  [ -e "$work/moved/$part" ] || fail "$part is not installed"
done

cd "$work"
env -u RADDLE_HOME "$raddle" machines >machines.out
expect_text "ref" machines.out
# A changed copy of the table shows which one was read.
sed -i 's/^description = .*/description = "the moved reference machine"/' "$work/moved/share/raddle/machines/ref.toml"
env -u RADDLE_HOME "$raddle" machines >machines.out
expect_text "the moved reference machine" machines.out

env -u RADDLE_HOME XDG_CACHE_HOME="$work/cache" "$raddle" cc "$source/tests/toolchain/vector_sum.cu" -o sum
env -u RADDLE_HOME ./sum >sum.out
expect_text "sum 1999000, wrong 0" sum.out
ldd ./sum | grep libraddle-cudart >libraries
expect_text "$work/moved" libraries
