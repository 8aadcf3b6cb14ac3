#!/usr/bin/env bash
# The words of texts, counted on 1, 2, 4 and 8 ranks, are those of  tr -cs A-Za-z '\n' | sort | uniq -c  but for the empty
# one; compressed texts and several files are read too, and words of any script.
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
  tr -cs A-Za-z '\n' < "$WORK/$text.txt" | sed '/^$/d' | sort | uniq -c | sed -E 's/^ *//' > "$WORK/expected"
  for ranks in 1 2 4 8; do
    train "$ranks" "$SOURCE/configs/wordcount.yaml" "$WORK/$text-$ranks" --set text="$WORK/$text.txt" > "$WORK/log" 2>&1 ||
      { cat "$WORK/log"; fail "$text on $ranks ranks"; }
    counted "$WORK/$text-$ranks/wordcount.h5" > "$WORK/seen"
    diff "$WORK/expected" "$WORK/seen" > "$WORK/diff" || { head "$WORK/diff"; fail "$text on $ranks ranks differs"; }
  done
  echo "$text.txt: $(wc -l < "$WORK/expected") words on 1, 2, 4, 8 ranks"
done

# count NAME RANKS OPTION...: the words of a job, in $WORK/seen.
count() {
  local name=$1 ranks=$2
  shift 2
  train "$ranks" "$SOURCE/configs/wordcount.yaml" "$WORK/$name-$ranks" "$@" > "$WORK/log" 2>&1 ||
    { cat "$WORK/log"; fail "$name on $ranks ranks"; }
  counted "$WORK/$name-$ranks/wordcount.h5" > "$WORK/seen"
}
mkdir "$WORK/many"
gzip -c "$WORK/real.txt" > "$WORK/many/a.gz"
cp "$WORK/line.txt" "$WORK/many/b.txt"
printf 'last' > "$WORK/many/c.txt"
{ cat "$WORK/real.txt"; echo; cat "$WORK/line.txt"; echo; cat "$WORK/many/c.txt"; } | tr -cs A-Za-z '\n' | sed '/^$/d' |
  sort | uniq -c | sed -E 's/^ *//' > "$WORK/expected"
for ranks in 1 3; do
  for names in "$WORK/many/*" "$WORK/many/a.gz, $WORK/many/[bc].txt"; do
    count "many${#names}" "$ranks" --set text="$names"
    diff "$WORK/expected" "$WORK/seen" > "$WORK/diff" || { head "$WORK/diff"; fail "several files on $ranks ranks"; }
  done
done
printf 'Stra\303\237e, stra\303\237e; \320\264\320\260 42 \320\264\320\260' > "$WORK/unicode.txt"
count unicode 2 --set text="$WORK/unicode.txt" --set letters=unicode
grep -c . "$WORK/counts" | grep -qx 3 && sort -n "$WORK/counts" | tail -n 1 | grep -qx 2 ||
  { cat "$WORK/counts"; fail "the words of other scripts"; }
echo "several files, compressed ones and other scripts are counted"
