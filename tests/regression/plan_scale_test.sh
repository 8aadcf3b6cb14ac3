#!/usr/bin/env bash
# A plan of 50,000 nodes on 1,024 ranks takes less than 2 GB.
#   plan_scale_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

/usr/bin/python3 "$SOURCE/tests/regression/plan/make_spec_of_ranks.py" 50176 1024 > wide.yaml
/usr/bin/python3 - "$DFRUN" <<'P' || fail "a plan of 50,000 nodes"
import json
import resource
import subprocess
import sys

run = subprocess.run([sys.argv[1], 'plan', 'wide.yaml', '--ranks', '1024', '--json'], capture_output=True, check=False)
assert run.returncode == 0, run.stderr.decode()
plan = json.loads(run.stdout)
# Every eighth of the 48 products of a rank has a value from another.
assert plan['links']['same_host'] == {'messages': 1024 * 6, 'bytes': 1024 * 6 * 8 * 8 * 4}, plan['links']
assert len(plan['placement']) >= 50176, len(plan['placement'])
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
assert most < 2e9, f'the plan took {most} bytes'
print(f'a plan of 50,000 nodes on 1,024 ranks: {most / 1e9:.2f} GB')
P
