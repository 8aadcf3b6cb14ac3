#!/usr/bin/env bash
# What scripts/gpu-check says of a bundle: that all passed, that something failed, that something was not reached in its
# time, and of which GPU. The programs of the bundle are stand-ins with planted faults; gpu/gpu_check runs the true ones.
#   gpu_check_test.sh SOURCE_DIR DFRUN
SOURCE=$1
source "$SOURCE/tests/regression/lib.sh"
export WORK

mkdir -p bundle/bin programs
# FAULT says what is wrong, with commas between, and GPU the name of the GPU.
cat > bundle/bin/dfrun <<'SH'
#!/usr/bin/env -S python3 -SE
import json, os, pathlib, sys, time
faults = os.environ.get("FAULT", "").split(",")
if sys.argv[1] == "info":
    print("dfrun        0.1\nCUDA         built with 13.0 for sm_90")
    gpu = f"/job:worker/task:0/device:gpu:0: {os.environ['GPU']}, GPU 0 at 0000:65:00, 81079 MiB of its own"
    print("device       none of type gpu: no driver" if "no gpu" in faults else f"device       {gpu}")
    sys.exit()
words = sys.argv[2:]
given = dict(word.split("=", 1) for word in words if "=" in word)
steps, log, net = int(given["steps"]), int(given["log"]), pathlib.Path(words[0]).stem
if "slow net" in faults and net == "vgg_a":
    time.sleep(600)
if "slow nets" in faults and net != "alexnet":
    time.sleep(600)
if "net fails" in faults and net == "gpt2":
    sys.exit("dfrun: no memory")
if "KERNELS" in os.environ:
    pathlib.Path(os.environ["KERNELS"]).write_text(str(steps))
output = pathlib.Path(words[words.index("--output") + 1])
output.mkdir(parents=True)
ms = 1 + (net == "resnet50")
lines = [{"step": step, "wall_s": step * ms / 1e3, "loss": 1 / step} for step in range(log, steps + 1, log)]
if "other losses" in faults and net == "lstm":
    lines[-1]["loss"] = time.time()
(output / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
SH
cat > bundle/bin/test_gpu_device <<'SH'
#!/usr/bin/env bash
printf '[       OK ] GpuDeviceTest.First\n'
case ,$FAULT, in
  *,"test fails",*) printf '[  FAILED  ] GpuDeviceTest.Second, where (double) is wrong\n'; exit 1 ;;
  *,"test crashes",*) exit 139 ;;
  *,hangs,*) trap '' TERM
             (echo $BASHPID > "$WORK/child"; while :; do sleep 0.1; done) &
             while :; do sleep 0.1; done ;;
esac
SH
cat > bundle/bin/test_executor <<'SH'
#!/usr/bin/env bash
[[ ,$FAULT, = *",no test,"* ]] && printf '[  SKIPPED ] Executor.ControlFlow\n' || printf '[       OK ] Executor.ControlFlow\n'
SH
cat > bundle/bin/conformance_kernels <<'SH'
#!/usr/bin/env bash
printf '[       OK ] math.Tanh_%s\n3 of 4 golden cases ran on gpu\n' "$GTEST_SHARD_INDEX"
SH
cat > bundle/run-trainings <<'SH'
#!/usr/bin/env bash
[[ ,$FAULT, = *",training fails,"* ]] && { echo "FAIL digits_mlp: other losses the second time"; exit 1; }
echo "pass $2-gpu 3 s: accuracy 0.97"
SH
# Profilers, as they print: the times of kernels grow with the steps of the run that they profile.
cat > programs/nsys <<'SH'
#!/usr/bin/env bash
if [ "$1" = stats ]; then
  steps=$(cat "$WORK/steps")
  printf 'Processing [x.sqlite] with [cuda_gpu_kern_sum.py]...\n\n'
  printf 'Time (%%),Total Time (ns),Instances,Avg (ns),Name\n'
  printf '90.0,%d,%d,9000.0,"void gemm<float, 2>(int)"\n10.0,%d,%d,1000.0,start\n' $((9000 * steps)) "$steps" 1000 1
else
  while [[ $1 = profile || $1 = --* ]]; do shift; done
  KERNELS=$WORK/steps exec "$@"
fi
SH
cat > programs/ncu <<'SH'
#!/usr/bin/env bash
while [[ $1 != */dfrun ]]; do shift; done
KERNELS=$WORK/steps "$@" || exit
echo '==PROF== Connected to process 1'
echo '"ID","Process ID","Kernel Name","Metric Name","Metric Unit","Metric Value"'
for i in $(seq $(($(cat "$WORK/steps") + 1))); do echo "\"$i\",\"1\",\"void conv(int, int)\",\"gpu__time_duration.sum\",\"us\",\"1,250.5\""; done
SH
chmod +x bundle/bin/* bundle/run-trainings programs/*
export PATH=$WORK/programs:$PATH GPU="NVIDIA TEST 80GB"

# checked STATUS OPTION...: of the bundle with $FAULT; what it says is in $WORK/out.
checked() {
  local status=$1 seen=0
  shift
  timeout 100 "$SOURCE/scripts/gpu-check" bundle --out out-of-it --results figures.json "$@" > "$WORK/out" 2>&1 || seen=$?
  [ "$seen" = "$status" ] || { cat "$WORK/out" >&2; fail "status $seen, not $status, with fault '${FAULT:-}'"; }
}
# row PART NAME RESULT [TEXT]: the table has it.
row() {
  grep -qE "^$1 +$2 +$3 .*${4:-}" "$WORK/out" ||
    { cat "$WORK/out" >&2; fail "no row '$1 $2 $3 ${4:-}' with fault '${FAULT:-}'"; }
}
says() { grep -qE -- "$1" "$WORK/out" || { cat "$WORK/out" >&2; fail "it does not say '$1' with fault '${FAULT:-}'"; }; }

checked 0
says '^GPU NVIDIA TEST 80GB$'
row correctness gpu pass '1 tests passed'
row correctness golden pass 'cases on the GPU'
row correctness 'control flow' pass
row correctness 'training digits_cnn' pass 'accuracy 0.97 and more'
row start 'first step of the mlp' pass
for net in alexnet overfeat vgg_a googlenet resnet50 gpt2 lstm mlp; do
  for precision in tf32 bfloat16; do row nets "$net $precision" pass 'ms a step of .* 8 equal losses'; done
done
# 9 us of one kernel a step; what does not grow with the steps is the start.
row kernels 'of resnet50 tf32' pass '1 kernels, 0.009 ms of a step, by nsys'
says '^ +9.0 100.0% +1 +void gemm<float, 2>\(int\)$'
says ' s of at most 360:$'

# The figures of another GPU are a column beside.
GPU="NVIDIA H200" checked 0
diff - <(sed -n '1p; /^| resnet50.*tf32/p' out-of-it/results.md) <<'TABLE' || fail "the table of figures by GPU"
| figure | NVIDIA TEST 80GB | NVIDIA H200 |
| resnet50 b64, tf32 | 2 ms | 2 ms |
TABLE

# A profiler that fails gives way to the next.
printf '#!/bin/sh\nexit 1\n' > programs/nsys
FAULT="test fails,no test,training fails,other losses,net fails" checked 1
row correctness gpu FAIL '1 tests passed, failed: GpuDeviceTest.Second$'
row correctness golden pass
row correctness 'control flow' FAIL 'no test ran: 1 were skipped'
row correctness 'training digits_mlp' FAIL 'other losses the second time'
row nets 'lstm tf32' FAIL 'other losses the second time'
row nets 'mlp bfloat16' pass
row nets 'gpt2 tf32' FAIL 'no memory'
row kernels 'of resnet50 tf32' pass '1 kernels, 1.25 ms of a step, by ncu'
printf '#!/bin/sh\necho none\n' > programs/ncu
FAULT="test crashes" checked 1
row correctness gpu FAIL 'ended with 139$'
row kernels 'of resnet50 tf32' 'left out' 'nsys ended with 1, see .*; ncu gave no kernels'
FAULT="no gpu" checked 1
says '^gpu-check: no GPU to check: no driver$'

# Where time is over, what was not reached is named, and nothing stays behind.
from=$SECONDS
FAULT="hangs,slow net" checked 2 --seconds 18
row correctness gpu 'not reached' '1 tests passed, and its time was over'
row correctness golden pass
row nets 'vgg_a tf32' 'not reached' 'its time was over'
row nets 'mlp tf32' pass
[ $((SECONDS - from)) -le 26 ] || fail "a check of 18 s took $((SECONDS - from)) s"
[[ "$(ps -o stat= -p "$(cat child)")" =~ ^(Z.*)?$ ]] || fail "a process of a test whose time was over is still there"

FAULT="slow nets" checked 2 --seconds 9
row nets 'alexnet tf32' 'not reached' 'ms a step .*, and its second run was not reached'
row nets 'mlp bfloat16' 'not reached' 'no time was left'

# A Python that can import neither peer.
printf '#!/bin/sh\nexec python3 -S "$@"\n' > programs/python-alone
chmod +x programs/python-alone
DFRUN_PEER_PYTHON=$WORK/programs/python-alone checked 0 --peers
row peers PyTorch 'left out' 'has no module torch'
row peers 'resnet50 bfloat16' pass 'ms a step'
row racecheck test_gpu_device 'left out' 'the bundle has no sanitizer'
mkdir bundle/sanitizer
printf '#!/bin/sh\necho "[       OK ] GpuDeviceTest.First"; [ "$FAULT" != race ] || exit 9\n' > bundle/sanitizer/compute-sanitizer
chmod +x bundle/sanitizer/compute-sanitizer
DFRUN_PEER_PYTHON=$WORK/programs/python-alone checked 0 --peers
row racecheck test_gpu_device pass '4 tests without a race'
FAULT=race DFRUN_PEER_PYTHON=$WORK/programs/python-alone checked 1 --peers
row racecheck test_gpu_device FAIL 'ended with 9'

DFRUN_DEVICE_PARTS=$WORK expect 64 'has no emulated GPU' "$SOURCE/scripts/gpu-check" bundle --dry-run
expect 64 'is no bundle with tests' "$SOURCE/scripts/gpu-check" programs
echo "gpu-check: what passes, fails, is left out or not reached is said, by GPU"
