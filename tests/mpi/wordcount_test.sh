#!/usr/bin/env bash
# The words of a text, counted on 1, 2, 4 and 8 ranks, are those of  tr -cs A-Za-z '\n' | sort | uniq -c
#   wordcount_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"
export LC_ALL=C

# Lines "count word" in the order of the words, from the two datasets.
counted() {
  h5dump -A 0 -y -w 0 -d /words "$1" | sed -nE '/DATA \{/,/\}/p' | grep -oE '"[^"]*"' | tr -d '"' > "$WORK/words"
  h5dump -A 0 -y -w 0 -d /counts "$1" | sed -nE '/DATA \{/,/\}/p' | grep -oE '[0-9]+' > "$WORK/counts"
  paste -d ' ' "$WORK/counts" "$WORK/words"
}

# A text that begins within a line of other bytes, one word for many ranks, bytes that are no text, one long line, and a
# real one.
printf '  12 -- the a b the\n' > "$WORK/short.txt"
printf 'word' > "$WORK/one.txt"
printf '\0\377a\0b\r\nna\303\257ve a\r@[`{z' > "$WORK/bytes.txt"
for _ in $(seq 300); do printf 'abc de-f; gh '; done > "$WORK/line.txt"
cat "$SOURCE"/docs/*.md "$SOURCE/LICENSE" > "$WORK/real.txt"

for text in short one bytes line real; do
  tr -cs A-Za-z '\n' < "$WORK/$text.txt" | sort | uniq -c | sed -E 's/^ *//' > "$WORK/expected"
  for ranks in 1 2 4 8; do
    train "$ranks" "$SOURCE/configs/wordcount.yaml" "$WORK/$text-$ranks" --set text="$WORK/$text.txt" > "$WORK/log" 2>&1 ||
      { cat "$WORK/log"; fail "$text on $ranks ranks"; }
    counted "$WORK/$text-$ranks/wordcount.h5" > "$WORK/seen"
    diff "$WORK/expected" "$WORK/seen" > "$WORK/diff" || { head "$WORK/diff"; fail "$text on $ranks ranks differs"; }
  done
  echo "$text.txt: $(wc -l < "$WORK/expected") words on 1, 2, 4, 8 ranks"
done
