# Shared by the training tests: short jobs of the example specs under mpirun. Source it after setting DFRUN and WORK.
set -euo pipefail

if [ "$(id -u)" = 0 ]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi
# Ranks of one host need no network, and none of them listens on it.
export OMPI_MCA_btl=self,vader OMPI_MCA_oob_tcp_if_include=lo
# The example specs with every step logged. short_spec NAME EPOCHS CHECKPOINT_EVERY: prints the path of the copy.
short_spec() {
  mkdir -p "$WORK/configs"
  cp -r "$SOURCE/configs/lib" "$SOURCE/configs/data" "$WORK/configs/"
  sed -E -e "s/epochs: [0-9]+/epochs: $2/" -e 's/log_every: [0-9]+/log_every: 1/' \
      -e "s/checkpoint: \{every: [0-9]+/checkpoint: {every: $3/" "$SOURCE/configs/$1.yaml" > "$WORK/configs/$1.yaml"
  echo "$WORK/configs/$1.yaml"
}

# train RANKS SPEC OUTPUT OPTION...
train() {
  local ranks=$1 spec=$2 output=$3
  shift 3
  timeout 120 mpirun --oversubscribe -np "$ranks" "$DFRUN" "$spec" --output "$output" "$@"
}

# The losses by step, from the first step after $2 on (default: all).
losses() {
  sed -nE 's/^\{"step": ([0-9]+), .*"loss": ([^,}]+).*/\1 \2/p' "$1/metrics.jsonl" | awk -v after="${2:-0}" '$1 > after'
}

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
