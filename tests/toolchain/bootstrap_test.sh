#!/usr/bin/env bash
# scripts/bootstrap: quiet when all is there, installs exactly what is missing, as root or through sudo, and says what to
# do where it cannot. apt-get, dpkg-query, id and sudo are stand-ins, so that nothing is installed here.
. "$(dirname "$0")/testing.sh" "$@"

tools=$work/tools
mkdir "$tools"
for tool in bash env cut sed cat; do ln -s "$(command -v "$tool")" "$tools/$tool"; done
stand_in() {
  printf '#!/usr/bin/env bash\n%s\n' "$2" >"$tools/$1"
  chmod +x "$tools/$1"
}
# Installed is everything but what $MISSING names.
stand_in dpkg-query 'for name in $MISSING; do if [ "${!#}" = "$name" ]; then exit 1; fi; done; echo "ii "'
stand_in apt-get 'echo "apt-get $*" >>"$LOG"; if [ -n "${APT_FAILS:-}" ]; then exit 100; fi'
stand_in sudo 'echo "sudo" >>"$LOG"; "$@"'
stand_in id 'echo "${FAKE_ID:-0}"'

export LOG=$work/log
bootstrap() {
  : >"$LOG"
  env -u RADDLE_SKIP_BOOTSTRAP PATH="$tools" "$@" bash "$source/scripts/bootstrap" >"$work/out" 2>&1
}

bootstrap MISSING="" || fail "all there: $(cat "$work/out")"
[ ! -s "$LOG" ] || fail "apt-get was called though nothing is missing"
[ ! -s "$work/out" ] || fail "it is not quiet: $(cat "$work/out")"

bootstrap MISSING="cmake ccache" || fail "as root: $(cat "$work/out")"
expect_text "cmake                  configures the build" "$work/out"
expect_text "install -y --no-install-recommends cmake ccache" "$LOG"
expect_no_text "sudo" "$LOG"

bootstrap MISSING="cmake" FAKE_ID=1000 || fail "with sudo: $(cat "$work/out")"
expect_text "sudo" "$LOG"
expect_text "install -y --no-install-recommends cmake" "$LOG"

if bootstrap MISSING="cmake" APT_FAILS=1; then fail "a failing apt-get is passed over"; fi
expect_text "bootstrap: apt-get update failed" "$work/out"

rm "$tools/sudo"
if bootstrap MISSING="cmake" FAKE_ID=1000; then fail "neither root nor sudo, and yet no error"; fi
expect_text "there is no sudo; as root run: apt-get install cmake" "$work/out"

rm "$tools/apt-get"
if bootstrap MISSING="cmake"; then fail "not Debian, and yet no error"; fi
expect_text "bootstrap: this is not Debian" "$work/out"
expect_text "  clang-19: compiles CUDA to PTX" "$work/out"
