#!/usr/bin/env bash
# Damaged csv files: a record that does not parse, or has a wrong number of fields, costs its own lines and no others, and
# every line left out is counted. The oracle of what is damaged is Python's csv.
#   csv_damage_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

# input NAME KEYS COLUMN [DTYPE]: a spec that fetches a column of NAME.csv.
input() {
  printf 'dfrun: 1\ninputs:\n  in: {csv: %s.csv, tensors: {i: {from: %s, dtype: %s}}, batch: all%s}\n' \
    "$1" "$3" "${4:-int32}" "$2" > "$1.yaml"
  printf 'graph: {i: Identity(in/i)}\nrun: {fetch: {i: i}}\n' >> "$1.yaml"
}

# A stray quote within a field costs its line.
for i in $(seq 0 99); do echo "$i,text $i"; done | sed '10s/.*/9,5" pipe/' > stray.csv
input stray '' 0
expect 66 'stray.csv:10, record 9 at byte 81: a field without quotes has a quote or a line end inside' \
  "$DFRUN" stray.yaml --output stray.run
input stray ', on_error: skip' 0
expect 0 'in/skipped 1' "$DFRUN" stray.yaml --output stray.run2
expect 0 'int32[99] 0 1 2 3 4 5 6 7' "$DFRUN" eval stray.yaml

# A row longer than the header, or than the first record, is not read shifted.
printf 'i,qty\n1000,5\n1,200,7\n30,2\n' > longer.csv
input longer ', header: true' i
expect 66 'longer.csv:3, record 1 at byte 13: it has 3 fields, but the header has 2' "$DFRUN" longer.yaml --output longer.run
input longer ', header: true, on_error: skip' i
expect 0 'in/skipped 1' "$DFRUN" longer.yaml --output longer.run2
expect 0 'int32[2] 1000 30' "$DFRUN" eval longer.yaml
printf '1000,5\n1,200,7\n30,2\n' > plain.csv
input plain '' 0
expect 66 'plain.csv:2, record 1 at byte 7: it has 3 fields, but the first record has 2' "$DFRUN" plain.yaml --output plain.run
input plain ', on_error: skip' 0
expect 0 'int32[2] 1000 30' "$DFRUN" eval plain.yaml

# What passes: one empty field after the last delimiter, and missing fields that nothing reads.
printf 'i,a,b\n1,2,3,\n4\n5,"x\ny"\n6,,\n' > passes.csv
input passes ', header: true' i
expect 0 'int32[4] 1 4 5 6' "$DFRUN" eval passes.yaml
printf 'i,a\n1,2,,\n' > empty.csv
input empty ', header: true' i
expect 66 'it has 4 fields' "$DFRUN" eval empty.yaml

# Quotes that join lines to a record of too few or too many fields join none.
printf 'i,a\n"1,2\n3,4\n5,6"\n7,"8\n9,"\n10,11\n12,"\n13,","\n14,"15\n16"\n' > joined.csv
input joined ', header: true, on_error: skip' a string
expect 0 'in/skipped 3' "$DFRUN" joined.yaml --output joined.run
expect 0 'string[5] "4" "8\n9," "11" "," "15\n16"' "$DFRUN" eval joined.yaml

# The search for a closing quote ends after 1 MiB; a field of one line may be longer.
{ echo '1,"open'; seq 30000 | sed 's,.*,2\,filled with some text that has no quote,'; echo '3,"closed"'; echo '4,"'; } > far.csv
head -c 1000000 /dev/zero | tr '\0' 'x' > million
{ printf '5,"'; cat million; printf '\n'; cat million; printf '"\n6,"'; cat million; printf '\n"\n'; } > long.csv
input far ', on_error: skip' 0
expect 0 'in/skipped 2' "$DFRUN" far.yaml --output far.run
expect 0 'int32[30001] 2 2 2' "$DFRUN" eval far.yaml
input long ', on_error: skip' 0
expect 0 'in/skipped 2' "$DFRUN" long.yaml --output long.run
expect 0 'int32[1] 6' "$DFRUN" eval long.yaml

# 1,000 damages of a byte in which Python's csv finds an error, too.
cat > damages.py <<'PY'
import csv, io, json, random, sys

random.seed(7)
LINES = 40
PLAIN = [f"{i},text {i},{i}.5" for i in range(LINES)]
QUOTED = [f'{i},"text, ""{i}""",{i}.5' for i in range(LINES)]
JOINED = [f'{i},"text {i}\nof two lines",{i}.5' if i % 5 == 2 else f'{i},"text {i}",{i}.5' for i in range(LINES)]

def has_error(text):
    try:
        list(csv.reader(io.StringIO(text, newline=""), strict=True))
        return False
    except csv.Error:
        return True

def damage(record):
    at = random.randrange(len(record) + 1)
    if random.random() < 0.3 and '"' in record:
        at = random.choice([i for i, c in enumerate(record) if c == '"'])
        return record[:at] + record[at + 1:]
    return record[:at] + '"' + record[at:]

def cases(count):
    while count:
        base = random.choice([PLAIN, QUOTED, JOINED])
        which = random.randrange(LINES)
        records = list(base)
        records[which] = damage(records[which])
        header = random.random() < 0.5
        text = "\n".join((["i,t,x"] if header else []) + records) + "\n"
        # As Python's csv has it the damaged record alone is wrong as well: it has an error, or not three fields.
        if not has_error(text) or (not has_error(records[which]) and
                                   len(list(csv.reader([records[which]]))[0]) == 3):
            continue
        kept = [i for i in range(LINES) if i != which]
        yield text, header, kept, records[which].count("\n") + 1
        count -= 1

with open("damages.yaml", "w") as spec, open("graph", "w") as graph, open("wanted", "w") as wanted:
    spec.write("dfrun: 1\ninputs:\n")
    names = []
    for n, (text, header, kept, lost) in enumerate(cases(1000)):
        with open(f"d/{n}.csv", "w", newline="") as f: f.write(text)
        spec.write(f"  b{n}: {{csv: d/{n}.csv, header: {str(header).lower()}, on_error: skip, batch: all, "
                   f"tensors: {{i: {{from: 0, dtype: int64}}, x: {{from: 2}}}}}}\n")
        graph.write(f"  n{n}: Size(b{n}/i)\n  s{n}: Sum(b{n}/i)\n  q{n}: Sum(b{n}/i * b{n}/i)\n")
        names += [f"n{n}", f"s{n}", f"q{n}"]
        wanted.write(json.dumps([n, len(kept), sum(kept), sum(i * i for i in kept), lost]) + "\n")
    spec.write("graph:\n" + open(graph.name).read() if graph.flush() is None else "")
    spec.write("run: {fetch: [" + ", ".join(names) + "]}\n")
PY
mkdir d
python3 damages.py
timeout 120 "$DFRUN" damages.yaml --output damages.run > log 2>&1 || { tail -n 5 log; fail "the damaged files are not read"; }
python3 - <<'PY'
import json, sys
seen = json.loads(open("damages.run/metrics.jsonl").readlines()[-1])
bad = 0
for line in open("wanted"):
    n, count, total, squares, lost = json.loads(line)
    got = [seen[f"n{n}"], seen[f"s{n}"], seen[f"q{n}"], seen[f"b{n}/skipped"]]
    if got != [count, total, squares, lost]:
        bad += 1
        if bad < 5: print(f"d/{n}.csv: {got}, not {[count, total, squares, lost]}\n{open(f'd/{n}.csv').read()}")
sys.exit(f"{bad} of 1000 damages cost other lines" if bad else 0)
PY
