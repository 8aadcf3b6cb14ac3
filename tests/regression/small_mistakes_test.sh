#!/usr/bin/env bash
# Mistakes that a newcomer makes in a spec or on the command line, each answered by what to write.
#   small_mistakes_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

# A param that nothing uses, a param that there is not, and a graph, which has none.
printf 'dfrun: 1\nparams: {hidden: 3, hiden: 4}\ngraph: {x: "Fill([${hidden}], 1.0)"}\nrun: {fetch: [x]}\n' > params.yaml
expect 65 "nothing in the spec uses the param 'hiden', so that --set hiden changes nothing, did you mean 'hidden'?" \
  "$DFRUN" check params.yaml --set hiden=5
expect 65 "unknown param 'hidde', did you mean 'hidden'?" "$DFRUN" check params.yaml --set hidde=5
expect 0 "float32[5]" "$DFRUN" eval params.yaml --set hidden=5

# Jobs of a cluster that get no rank.
printf 'dfrun: 1\ncluster:\n  jobs: {ps: 2, worker: rest}\ngraph: {x: "Fill([3], 1.0)"}\nrun: {fetch: [x]}\n' > cluster.yaml
expect 65 "cluster.yaml:3:17: job 'worker' gets no rank: the other jobs take all 2 ranks; start at least 3" \
  "$DFRUN" check cluster.yaml --ranks 2
expect 65 "cluster.yaml:3:9: the jobs have 2 tasks and a rest, but there is 1 rank" "$DFRUN" check cluster.yaml --ranks 1
expect 0 "ok" "$DFRUN" check cluster.yaml --ranks 3
sed 's/ps: 2/ps: 0/' cluster.yaml > zero.yaml
expect 65 "zero.yaml:3:10: job 'ps' gets no rank: give it a task, or leave it out" "$DFRUN" check zero.yaml --ranks 3
ranks 2 "$DFRUN" cluster.yaml --output c > log 2>&1 && fail "a job without a rank ran"
grep -q "cluster.yaml:3:17: job 'worker' gets no rank" log || { cat log; fail "the job without a rank is not named"; }

# Quotes within expressions.
quotes() {
  printf 'dfrun: 1\ngraph:\n  x: {op: Const, value: [1, 2], dtype: float32}\n  y: %s\nrun: {fetch: [y]}\n' "$1" > q.yaml
  expect 65 "$2" "$DFRUN" check q.yaml
}
quotes 'Relu("x")' "'x' in quotes is a text: a node is written without them"
quotes "Relu('x')" "'x' in quotes is a text: a node is written without them"
quotes 'x + "y"' "'y' is no float32: quotes make a text, nodes and numbers are written without"
quotes 'Sum(x, axis="0")' "'0' is no int32: quotes make a text"
quotes 'Relu(x")' "q.yaml:4:12: expected ',' or ')', found '\"'; quotes, ' or \" at both ends, make a text"
quotes "Relu('x)" "is never closed; quotes, ' or \" at both ends, make a text"
quotes 'Relu(“x”)' "found '“' (U+201C, a typographic quote); quotes"

# Epochs count samples: 3 of 10 samples are 8 batches of 4.
{ echo x; seq 10; } > x.csv
epochs() {
  cat > epochs.yaml << YAML
dfrun: 1
inputs: {b: {csv: x.csv, header: true, tensors: {x: ~}, batch: 4}}
graph:
  W: {op: Variable, shape: [], init: 1}
  loss: Mean(Square(b/x * W))
train: {loss: loss, learning_rate: 0.0001, epochs: $1, log_every: 1}
YAML
}
steps() { grep -c '"loss"' "$1/metrics.jsonl"; }
for case in "3 8" "1 3" "0.5 2" "0.1 1" "2 5"; do
  read -r epochs steps <<< "$case"
  epochs "$epochs"
  "$DFRUN" epochs.yaml --output "e$epochs" > log 2>&1 || { cat log; fail "$epochs epochs"; }
  [ "$(steps "e$epochs")" = "$steps" ] || fail "$epochs epochs are $(steps "e$epochs") steps, not $steps"
done
for wrong in 0 -1 many; do
  epochs $wrong
  expect 65 "'epochs' must be" "$DFRUN" check epochs.yaml
done

# dfrun ops searches.
expect 0 "HDF5Reader" "$DFRUN" ops hdf5
expect 0 "Tanh " "$DFRUN" ops "hyperbolic TANGENT"
expect 0 "Gradient: yes" "$DFRUN" ops MatMul
expect 64 "no name and no description of an op has the word" "$DFRUN" ops no_such_op_at_all
# Options and paths that are not known.
expect 64 "--ouput, did you mean '--output'?" "$DFRUN" params.yaml --ouput out
expect 64 "'--sett=a=1' is not known here, did you mean '--set'?" "$DFRUN" run --sett=a=1
expect 64 "'~/none.yaml' is neither a command nor a spec that exists; '~' is the shell's: write the whole path" "$DFRUN" '~/none.yaml'
expect 64 "'~/out' cannot become a run directory; '~' is the shell's" "$DFRUN" params.yaml --output='~/out'
expect 64 "copy or mount what is at s3://" "$DFRUN" params.yaml --output s3://bucket/out
[ ! -e '~' ] && [ ! -e s3: ] || fail "a directory was made of what is no path"
expect 66 "--restore nowhere/step-1: " "$DFRUN" eval params.yaml --restore nowhere/step-1
paths() {
  printf 'dfrun: 1\ninputs: {b: {%s: "%s", tensors: {x: "0"}, batch: 2}}\ngraph: {y: Relu(b/x)}\nrun: {fetch: [y]}\n' "$1" "$2" > paths.yaml
  expect 66 "$3" "$DFRUN" check paths.yaml
}
paths csv '~/x.csv' "; '~' is the shell's: write the whole path"
paths csv '$HOME/x.csv' "; variables of the shell are not replaced in paths; a param is written \${name}"
paths hdf5 's3://bucket/x.h5' "; files are those of file systems: copy or mount what is at s3://"
paths csv 'file:///tmp/x.csv' "; write the path without 'file://'"
printf 'dfrun: 1\ninclude: [~/lib.yaml]\ngraph: {x: "Fill([2], 1.0)"}\n' > include.yaml
expect 65 "'~' is the shell's" "$DFRUN" check include.yaml

# The first line of a table has the names of its columns.
printf 'a,b\n1,2\n3,4\n' > names.csv
paths csv names.csv "'a' is no float32; where the first line has the columns' names, 'header: true'"
sed -i 's/x: "0"/x: a/' paths.yaml
expect 66 "there is no column 'a': it is a number, or a range as 0:3; 'header: true' takes names from the first line" \
  "$DFRUN" check paths.yaml

# A batch of all, by a param.
printf 'dfrun: 1\nparams: {b: all}\ninputs: {b: {csv: x.csv, header: True, tensors: {x: x}, batch: "${b}", shuffle: False}}
graph: {y: Sum(b/x)}\nrun: {fetch: [y]}\n' > all.yaml
expect 0 "y 55" "$DFRUN" all.yaml --output all

# Numbers of 64 bits are themselves.
cat > numbers.yaml << 'YAML'
dfrun: 1
params: {id: 9007199254740993, u: 18446744073709551615}
graph:
  a: {op: Const, value: [9007199254740993, 9223372036854775807, -9223372036854775808], dtype: int64}
  b: "AddV2(a, ${id})"
  c: {op: Const, value: ["${u}"], dtype: uint64}
  d: "Cast(Equal(a, 9007199254740993), DstT=int32)"
  e: {op: Const, value: [inf, -inf, nan, .inf], dtype: float16}
  f: Cast(IsInf(e), DstT=int32)
  g: Cast(IsNan([nan, 1.0]), DstT=int32)
run: {fetch: [a, b, c, d, f, g]}
YAML
numbers() { "$DFRUN" eval numbers.yaml --fetch "$1" 2> log | tr -d '\n' || { cat log; fail "$1"; }; }
for case in 'a|9007199254740993' 'a|9223372036854775807' 'a|-9223372036854775808' 'b|18014398509481986' \
  'c|18446744073709551615' 'd|1 0 0' 'f|1 1 0 1' 'g|1 0'; do
  seen=$(numbers "${case%%|*}" | tr -s ' ')
  [[ "$seen" == *"${case#*|}"* ]] || fail "${case%%|*} is $seen, not ${case#*|}"
done
sed 's/9223372036854775807/9223372036854775808/' numbers.yaml > large.yaml
expect 65 "'value': '9223372036854775808' is no int64: it holds integers from -9223372036854775808 to" "$DFRUN" check large.yaml

# What one rank says of ranks.
expect 64 "the transport 'ucx' cannot be used on rank 0" "$DFRUN" params.yaml --transport ucx --output ucx
printf 'dfrun: 1\ngraph: {x: Const(1.0)}\n' > one.yaml
expect 0 "graph: 1 node in 1 partition on 1 rank" "$DFRUN" check one.yaml
if "$DFRUN" info | grep -q 'transport *ucx: UCX'; then
  code=0
  UCX_TLS=foo ranks 2 "$DFRUN" params.yaml --transport ucx --output ucx > log 2>&1 || code=$?
  [ $code = 64 ] || { cat log; fail "a transport of UCX that there is not ends with $code"; }
  grep -q 'UCX_TLS=foo' log || { cat log; fail "the setting is not named"; }
fi
ranks 1 "$DFRUN" info > log || fail "info under a launcher"
! grep -i 'smpi.*Open MPI v' log || fail "SimGrid's MPI is said to be Open MPI"
cat > figure.yaml << 'YAML'
dfrun: 1
cluster: {jobs: {ps: 1, worker: rest}}
graph: {W: {op: Variable, shape: [2], init: ones, device: /job:ps}, y: {op: Neg, inputs: [W], device: /job:ps}}
run: {fetch: [y]}
YAML
ranks 2 "$DFRUN" figure.yaml --output figure > log 2>&1 || { cat log; fail "figure.yaml"; }
grep -q 'have nothing to compute (rank 1): name devices of theirs' log || { cat log; fail "what to do with rank 1"; }
ranks 3 "$DFRUN" figure.yaml --output figure3 > log 2>&1 || { cat log; fail "figure.yaml on three ranks"; }
grep -q 'start fewer ranks, or name devices of theirs' log || { cat log; fail "two ranks are enough"; }
# A pipe is no terminal, whatever stands between the launcher and the program.
ranks 1 timeout 40 "$DFRUN" all.yaml --output piped 2>&1 | cat > log
! grep -q $'\x1b' log || fail "control sequences for a terminal go to a pipe"

# A resume that lacks the --set of its run.
cat > set.yaml << 'YAML'
dfrun: 1
params: {n: 2, steps: 2}
graph: {W: {op: Variable, shape: ["${n}"], init: ones}, loss: Sum(Square(W))}
train: {loss: loss, learning_rate: 0.1, steps: "${steps}"}
checkpoint: {every: 2}
YAML
"$DFRUN" set.yaml --output set --set n=3 --set 'steps=2' > log 2>&1 || { cat log; fail "set.yaml"; }
code=0; "$DFRUN" set.yaml --output set --resume --set steps=4 > log 2>&1 || code=$?
[ $code = 65 ] || { cat log; fail "a variable of another shape ends with $code"; }
grep -q 'had --set n=3 --set steps=2; this one has --set steps=4' log || { cat log; fail "the --set is not named"; }

# A function of one's own in place of the library's, and none in place of one's own.
printf 'dfrun: 1\ninclude: [lib/nn.yaml]\nfunctions: {dense: {args: [x], returns: Neg(x)}}\ngraph: {y: dense(2.0)}\nrun: {fetch: [y]}\n' > own.yaml
expect 0 "own.yaml:3:13: this function 'dense' is used in place of the library's, " "$DFRUN" own.yaml --output own
grep -q 'y -2' out || { cat out; fail "the library's function was called"; }
echo "small mistakes are answered by what to write"
