#!/usr/bin/env bash
# Ranks whose host has little memory to share, as a container without --shm-size: over UCX the job ends with 74, names
# /dev/shm and its size; over MPI, which has other ways, it runs.
#   shared_memory_test.sh SOURCE_DIR DFRUN
# 77: /dev/shm cannot be another here, or there is no UCX.
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

unshare -m true 2> /dev/null || { echo "no mount namespace can be made here"; exit 77; }
"$DFRUN" info > info; grep -q "transport *ucx: UCX" info || { echo "there is no UCX"; exit 77; }
cat > job.yaml <<'YAML'
dfrun: 1
graph:
  w: {op: Variable, shape: [262144], init: ones, device: "/job:worker/task:0"}
  a: {op: Mul, inputs: [w, 2.0], device: "/job:worker/task:1"}
  b: {op: Sum, inputs: [a, 0], device: "/job:worker/task:0"}
run: {steps: 3, fetch: [b]}
YAML
unset OMPI_MCA_btl
cat > with_shared <<'EOF'
#!/bin/bash
exec unshare -m bash -c 'mount -t tmpfs -o size="$0" shm /dev/shm && exec "$@"' "$@"
EOF
chmod +x with_shared
expect 74 '/dev/shm, where ranks of a host share memory, has 4 MiB' \
  ./with_shared 4m mpirun --oversubscribe -np 2 "$DFRUN" job.yaml --output small --transport ucx
expect 0 'b 524288' ./with_shared 256m mpirun --oversubscribe -np 2 "$DFRUN" job.yaml --output large --transport ucx
echo "a small /dev/shm is named"
