#!/usr/bin/env bash
# The nets of scripts/bench/nets: each is checked at its full size for a GPU, where a step is one unit and the ops that
# run on the host, since they or what belongs to them have no kernel for GPUs, are those of the list; made small it
# trains a few steps on CPUs and on the emulated GPU, with near losses there, and equal ones the second time.
#   nets_test.sh SOURCE_DIR DFRUN PARTS_FOLDER [NET...]    NET: those that train; all without any
SOURCE=$1 DFRUN=$2
export DFRUN_DEVICE_PARTS=$3 DFRUN_EMULATED_CARD=no-libraries  # whose plain sums of many terms would take long
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"
export PYTHONPATH=$SOURCE/scripts/bench PYTHONDONTWRITEBYTECODE=1

for spec in "$SOURCE"/scripts/bench/nets/*.yaml; do
  net=$(basename "$spec" .yaml)
  [ "$net" != layers ] || continue
  timeout 60 "$DFRUN" check "$spec" --gpus 1 --explain-gpu > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "dfrun check of $net"; }
  sed -n '/^train:/,/^init:/p' "$WORK/log" | grep -q 'gpu:0: 1 unit a step; 0 nodes beside' ||
    { cat "$WORK/log"; fail "a step of $net is not one unit"; }
  timeout 60 "$DFRUN" graph "$spec" --partitioned --gpus 1 > "$WORK/graph" 2>&1 || { cat "$WORK/graph"; fail "dfrun graph of $net"; }
  awk '/^# / {on_host = /device:cpu/} on_host' "$WORK/graph" | sed -nE "s/^[^ ]+ = (\\w+)\\(.*/$net \\1/p" |
    grep -vE ' (_Recv|_Send|_Retval|_UpdateGate|Const|NoOp)$' | sort -u >> "$WORK/list" || true
done
touch "$WORK/list"
diff "$WORK/list" <(grep -v '^#' "$SOURCE/tests/gpu/nets_not_on_gpu.txt") ||
  fail "the list nets_not_on_gpu.txt differs (>) from the ops that run on the host (<)"

cat > "$WORK/train.py" <<'PYTHON'
import pathlib, sys
from gpunetlib.dfrun_side import DfrunSide
from gpunetlib.nets import NETS, params_of
side = DfrunSide(sys.argv[1], pathlib.Path(sys.argv[2]))
wanted = sys.argv[3:]
assert not wanted or len([net for net in NETS if net.name in wanted]) == len(wanted), wanted
for net in NETS:
    if wanted and net.name not in wanted:
        continue
    def losses(device, precision="float32"):
        params = {**params_of(net, precision, True, 0, device), "steps": 2, "log": 1}
        return side.measure(net, params, f"{net.name}-{precision}")[1]
    host, gpu, again = losses("/device:cpu:0"), losses("/device:gpu:0"), losses("/device:gpu:0")
    assert gpu == again, f"{net.name} has other losses the second time: {gpu} and {again}"
    near = all(abs(a - b) <= 1e-3 * max(1, abs(a)) for a, b in zip(host, gpu))
    assert len(gpu) == 2 and near, f"{net.name} has losses {gpu} on a GPU and {host} on CPUs"
    if net.name in ("alexnet", "mlp"):  # there is no library here that could use it
        assert losses("/device:gpu:0", "tf32") == gpu, f"{net.name} has other losses where TF32 may be used"
    print(net.name, *gpu, flush=True)
PYTHON
timeout 500 python3 "$WORK/train.py" "$DFRUN" "$WORK/runs" "${@:4}" || fail "a net"
echo "nets run on GPUs"
