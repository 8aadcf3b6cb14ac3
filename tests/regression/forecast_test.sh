#!/usr/bin/env bash
# The forecast of memory that `check` gives is never below what a run then measures, on any device of the specs that are
# here, and at the median no more than 1.3 times as much.
SOURCE=$1
DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"
cp -r "$SOURCE/configs" . && cp -r "$SOURCE/tests/regression/recompute" .
sed -i 's#../../../configs#../configs#' recompute/*.yaml

cat > compare.py <<'END_OF_SCRIPT'
import json, os, re, statistics, subprocess, sys

UNITS = {'bytes': 1, 'KiB': 1 << 10, 'MiB': 1 << 20, 'GiB': 1 << 30}
LINE = re.compile(r'memory: ([0-9.]+) (\w+) of variables and slots, about ([0-9.]+) (\w+) of values in a step, on (\S+)')
CASES = [line.split() for line in open('cases.txt') if line.strip()]

def output_of(command):
    ran = subprocess.run(command, capture_output=True, text=True, timeout=100)
    if ran.returncode != 0:
        sys.exit(f'{" ".join(command)}: {ran.stdout}{ran.stderr}')
    return ran.stdout

def ratios_of(dfrun, number, spec, ranks, sets):
    options = [word for text in sets for word in ('--set', text)]
    forecast = {}
    for found in LINE.finditer(output_of([dfrun, 'check', spec, '--ranks', ranks] + options)):
        forecast[found[5]] = float(found[1]) * UNITS[found[2]] + float(found[3]) * UNITS[found[4]]
    launch = ['mpirun', '--oversubscribe', '-np', ranks] if ranks != '1' else []
    output_of(launch + [dfrun, spec, '--output', f'run{number}'] + options)
    for memory in json.load(open(f'run{number}/run.json'))['memory']:
        measured, expected = memory['peak_bytes'], forecast.get(memory['device'], 0)
        if measured == 0:
            continue
        print(f'{expected / measured:6.2f}  {spec} {" ".join(sets)} on {ranks}: {memory["device"]} forecast '
              f'{expected:.0f}, measured {measured}', flush=True)
        yield expected / measured

ratios = [ratio for number, (spec, ranks, *sets) in enumerate(CASES)
          for ratio in ratios_of(sys.argv[1], number, spec, ranks, sets)]
print(f'median {statistics.median(ratios):.2f}, least {min(ratios):.2f} of {len(ratios)} devices')
sys.exit(0 if min(ratios) >= 1 and statistics.median(ratios) <= 1.3 else 'the forecast is not what it is to be')
END_OF_SCRIPT
cat > cases.txt <<'END_OF_CASES'
configs/digits_mlp.yaml 1 train.epochs=2 eval.every=10
configs/digits_mlp.yaml 2 train.epochs=2 eval.every=10
configs/digits_mlp.yaml 1 train.epochs=2 eval.every=10 hidden=1024
configs/digits_cnn.yaml 1 train.epochs=1 eval.every=10
configs/digits_cnn.yaml 1 train.epochs=2 eval.every=2 batch=256
configs/digits_cnn.yaml 4 train.epochs=1 eval.every=10
configs/digits_rnn.yaml 1 train.epochs=1 eval.every=10
configs/digits_rnn.yaml 2 train.epochs=1 eval.every=10
configs/digits_async.yaml 2 train.epochs=2 eval.every=10
configs/digits_backup.yaml 4 train.epochs=2 eval.every=10
configs/digits_local.yaml 2 train.epochs=4 eval.every=10
configs/figure1.yaml 2
recompute/deep_mlp.yaml 1
recompute/deep_mlp.yaml 1 recompute=auto
recompute/dropout.yaml 1
recompute/dropout.yaml 1 recompute=auto
recompute/batch_norm.yaml 1
recompute/batch_norm.yaml 1 recompute=auto
END_OF_CASES
python3 compare.py "$DFRUN"
echo "passed"
