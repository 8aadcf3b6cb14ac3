#!/usr/bin/env bash
# Where there is no memory for something that is no tensor, dfrun says so and ends with 74: large specs, graphs, and
# compressed files that stand for more than there is.
#   no_memory_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

# A spec of 60,000 nodes and a graph of them.
awk 'BEGIN { print "dfrun: 1\nname: large\ngraph:\n  n0: Placeholder(dtype=float32, shape=[2])"
             for (i = 1; i < 60000; ++i) printf "  n%d: Add(n%d, n0)\n", i, i - 1
             print "run: {steps: 1, feed: {n0: \"RandomUniform(shape=[2])\"}, fetch: [n59999]}" }' > large.yaml
expect 0 ok "$DFRUN" check large.yaml
"$DFRUN" graph large.yaml --pb --out large.pb > out 2>&1 || fail "graph: $(cat out)"

# limited KIB COMMAND...: with this much address space.
limited() {
  local kib=$1
  shift
  (ulimit -v "$kib" && exec "$@")
}
# The least memory in which the program starts at all, in steps of 32 MiB.
least=65536
until limited "$least" "$DFRUN" info > out 2>&1; do
  least=$((least + 32768))
  [ "$least" -lt 4000000 ] || fail "dfrun info takes more than 4 GB of address space"
done
export -f limited
expect 74 memory bash -c "limited $((least + 16384)) '$DFRUN' check large.yaml"
expect 74 memory bash -c "limited $((least + 16384)) '$DFRUN' graph large.pb --text"

# Some hundred KB that stand for 1.25 GiB of zeros: refused by their ratio. 640 MiB: by the memory that there is.
head -c 16777216 /dev/zero | gzip -1 > part.gz
for _ in $(seq 80); do cat part.gz; done > huge.gz
for _ in $(seq 40); do cat part.gz; done > large.gz
for name in huge large; do
  cat > $name.yaml <<SPEC
dfrun: 1
name: $name
inputs: {line: {text: $name.gz, compression: gzip, batch: 1}}
graph: {n: StringLength(line)}
run: {steps: 1, fetch: [n]}
SPEC
done
expect 66 'unpack it first' "$DFRUN" huge.yaml --output huge.run
expect 74 'unpack it first' bash -c "limited $((least + 400000)) '$DFRUN' large.yaml --output large.run"

# No thread to be had: said too, by the number of processes that a user may have.
if [ "$(id -u)" = 0 ] && command -v setpriv > /dev/null; then
  chmod 755 "$WORK"
  mkdir -m 777 open
  expect 74 thread setpriv --reuid=54321 --clear-groups --regid=54321 \
    bash -c "ulimit -u 4 && exec '$DFRUN' run '$SOURCE/configs/digits_mlp.yaml' --output open/run --threads 64"
fi
echo "74 each time"
