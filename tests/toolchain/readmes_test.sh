#!/usr/bin/env bash
# Every folder of src/ has a README.md of a few lines, and the files it names are there.
. "$(dirname "$0")/testing.sh" "$@"

# Prints what is wrong with the READMEs of a tree.
faults() {
  local folder name
  while read -r folder; do
    if [ ! -f "$folder/README.md" ]; then
      echo "$folder has no README.md"
      continue
    fi
    [ "$(wc -l <"$folder/README.md")" -le 30 ] || echo "$folder/README.md is longer than 30 lines"
    while read -r name; do
      [ -e "$folder/$name" ] || echo "$folder/README.md names $name, which is not there"
    done < <(grep -oE '`[A-Za-z0-9_./]+\.(h|cpp|def)`' "$folder/README.md" | tr -d '`')
  done < <(find "$1" -type d | sort)
}

found=$(faults "$source/src")
[ -z "$found" ] || fail "$found"

# … and the check can fail.
mkdir -p "$work/src/bare" "$work/src/stale"
echo '# Source' >"$work/src/README.md"
echo 'Start with `gone.h`.' >"$work/src/stale/README.md"
faults "$work/src" >"$work/out"
expect_text "src/bare has no README.md" "$work/out"
expect_text "src/stale/README.md names gone.h, which is not there" "$work/out"
