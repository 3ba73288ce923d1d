# Helpers of the script tests: source this. Each test works in $work, which is removed at the end.
set -euo pipefail
build=$(realpath "$1")
source=$(realpath "$2")
work=$(mktemp -d "${TMPDIR:-/tmp}/raddle-test-XXXXXX")
trap 'rm -rf "$work"' EXIT

fail() {
  echo "FAILED: $1" >&2
  exit 1
}

# expect_text TEXT FILE: the file contains the text.
expect_text() {
  grep -qF -- "$1" "$2" || fail "'$1' is not in $2: $(cat "$2")"
}

expect_no_text() {
  if grep -qF -- "$1" "$2"; then fail "'$1' is in $2: $(cat "$2")"; fi
}
