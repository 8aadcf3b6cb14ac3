#!/usr/bin/env bash
# A job that goes on from a checkpoint of a program that computed otherwise says so in its first line, where that concerns
# it, and says nothing else of it.
#   rule_changes_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

forget_rules() {  # MANIFEST: as such a program wrote it
  /usr/bin/python3 - "$1" <<'P'
import re
import sys
def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF
text = open(sys.argv[1], "rb").read()
body = text[: text.rindex(b' "checksum"')]
body, count = re.subn(rb',\s*\{"name": "rules"[^}]*\}', b"", body)
assert count == 1, text
open(sys.argv[1], "wb").write(body + b' "checksum": "crc32c:%08x"\n}\n' % crc32c(body))
P
}
# resumed SPEC TEXT OPTION...: what is said with such a checkpoint holds the text, and with one of this program nothing is.
resumed() {
  local spec=$1 text=$2
  shift 2
  rm -rf run
  expect 0 "step 1/1" "$DFRUN" "$spec" --output run "$@"
  sed 's/steps: 1,/steps: 2,/' "$spec" > longer.yaml
  cp -r run before
  expect 0 "resuming at step 1" "$DFRUN" longer.yaml --output run --resume "$@"
  ! grep 'differ: ' out || fail "a line about a checkpoint of this program"
  forget_rules before/checkpoints/step-1/manifest.json
  expect 0 "resuming at step 1" "$DFRUN" longer.yaml --output before --resume "$@"
  if [ -n "$text" ]; then grep -qF "this job differ: $text" out || { cat out; fail "not '$text'"; }; fi
  [ -n "$text" ] || ! grep 'differ: ' out || fail "a line about a rule that does not concern $spec"
  rm -rf before
}

# spec NAME KEYS: of a training of the variable W, whose nodes are read from the standard input.
spec() {
  { printf 'dfrun: 1\nparams: {dt: float32}\ngraph:\n'; cat
    printf 'train: {loss: loss, steps: 1, %s}\ncheckpoint: {every: 1}\n' "$2"; } > "$1.yaml"
}
spec narrow "learning_rate: 0.1, clip_norm: 1" <<'Y'
  W: {op: Variable, shape: [2], dtype: "${dt}", init: ones}
  loss: Cast(Sum(W), DstT=float32)
Y
resumed narrow.yaml "gradients of 16 bits are summed, and their norm is computed, in float32, and were in 16 bits" \
  --set dt=float16
resumed narrow.yaml "a schedule's rate and the norm of gradients of float64 are float64, and were float32" \
  --set dt=float64
resumed narrow.yaml ""
sed 's/, clip_norm: 1//' narrow.yaml > constant.yaml
resumed constant.yaml "" --set dt=float16
resumed constant.yaml "" --set dt=float64
sed 's/rate: 0.1/rate: {schedule: step, initial: 0.1, factor: 0.5, steps: 2}/' constant.yaml > schedule.yaml
resumed schedule.yaml "a schedule's rate and the norm of gradients of float64" --set dt=float64

spec complex "learning_rate: 0.1" <<'Y'
  W: {op: Variable, shape: [2], dtype: "${dt}", init: ones}
  z: Complex(W, W)
  loss: Cast(Sum(Real(MulNoNan(z, z))), DstT=float32)
Y
resumed complex.yaml "gradients of MulNoNan, SquaredDifference and LogMatrixDeterminant by complex values are those of"
spec real "learning_rate: 0.1" <<'Y'
  W: {op: Variable, shape: [2], dtype: "${dt}", init: ones}
  loss: Sum(MulNoNan(W, W))
Y
resumed real.yaml ""

# Of records that are left out, and of tables whose lines have an offset.
printf '1,a\n2,b\n3,"c" d\n4,e\n' > bad.csv
spec csv "learning_rate: 0.1" <<'Y'
  W: {op: Variable, shape: [], init: ones}
  loss: Mean(in/x) * W
inputs: {in: {csv: bad.csv, on_error: skip, batch: 3, tensors: {x: {from: 0}, t: {from: 1, dtype: string}}}}
Y
resumed csv.yaml "a damaged csv record costs its own lines alone, and took others with it"
sed 's/x: {from: 0}, t: .*}}}/x: {from: 0}}}}/; s/bad.csv/good.csv/' csv.yaml > good.yaml
printf '1\n2\n3\n' > good.csv
resumed good.yaml ""
printf 'a\nb\n' > lines.txt
spec table "learning_rate: 0.1" <<'Y'
  W: {op: Variable, shape: [], init: ones}
  t: HashTableV2(key_dtype=string, value_dtype=int64)
  filled: {op: InitializeTableFromTextFileV2, inputs: [t, "'lines.txt'"], key_index: -2, value_index: -1, offset: 1}
  loss: W * W
Y
resumed table.yaml "the offset of a table's text file is added to the numbers of lines, and left out so many bytes"
sed 's/, offset: 1//' table.yaml > lines.yaml
resumed lines.yaml ""

norm() {
  cat <<Y
  W: {op: Variable, shape: [4, 2, 2, 3], dtype: "\${dt}", init: RandomUniform()}
  s: {op: Const, value: [1.0, 2.0, 3.0], dtype: float32}
  n: FusedBatchNormV3(W, s, s, s, s, is_training=$1)
  loss: Sum($2)
Y
}
norm true n:0 | spec usual "learning_rate: 0.1"
resumed usual.yaml ""
norm true "n:0) + Sum(n:1" | spec mean "learning_rate: 0.1"
resumed mean.yaml "gradients pass through every result of batch normalisation and recurrent cells, and passed through"
norm false n:0 | spec inference "learning_rate: 0.1"
resumed inference.yaml ""
spec remainder "learning_rate: 0.1" <<'Y'
  W: {op: Variable, shape: [], dtype: "${dt}", init: 0.5}
  loss: W + Mod(W * 3.0, 2.0)
Y
resumed remainder.yaml "remainders, ranges, values of OneHot and paddings have gradients, and had none"
sed 's/Mod(W/Mod(StopGradient(W)/' remainder.yaml > stopped.yaml
resumed stopped.yaml ""
spec overwritten "learning_rate: 0.1" <<'Y'
  W: {op: Variable, shape: [2], dtype: "${dt}", init: ones}
  loss: Sum(TensorScatterUpdate(W, [[0]], Slice(W, [1], [1])))
Y
resumed overwritten.yaml "rows that a later one overwrites in DynamicStitch, TensorScatterUpdate or SparseToDense get no"
spec cell "learning_rate: 0.1" <<'Y'
  W: {op: Variable, shape: [2, 4], dtype: "${dt}", init: ones}
  c: {op: LSTMBlockCell, inputs: [[[1.0]], [[0.5]], [[0.5]], W, [0.0], [0.0], [0.0], [0.0, 0.0, 0.0, 0.0]]}
  loss: Sum(c:6)
Y
resumed cell.yaml "a cell of an LSTM that cell_clip holds passes no gradient on, and did"
echo "a resumed job says what is computed otherwise"
