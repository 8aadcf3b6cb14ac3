#!/usr/bin/env bash
# Trainings whose variables, loop and layers are on the tests' own device, beside CPUs, have the bits that they have on
# CPUs alone, over a resumption too; and so have runs that feed and fetch.
#   training_test.sh SOURCE_DIR DFRUN DEVICE_LIBRARY
SOURCE=$1 DFRUN=$2 LIBRARY=$3
source "$SOURCE/tests/preload.sh"
preload_name LIBRARY
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"

on_device() {  # on_device SPEC TASK COPY: the spec with some of its nodes on the device of that task
  local device="\\/job:worker\\/task:$2\\/device:sealed:0"
  sed -E -e "s/device: \/job:ps\}/device: \/job:ps\/device:sealed:0}/" \
      -e "/device:/!s/^( *)(W|U|b): ( *)\{op: Variable(.*)\}$/\1\2: \3{op: Variable\4, device: $device}/" \
      -e "s/^( *)op: While$/\1op: While\n\1device: $device/" \
      -e "s/^( *)logits: +dense\((.*), units=10\)$/\1logits: {op: dense, x: \2, units: 10, device: $device}/" \
      -e "s/^( *)(C: +\{op: Mean.*), colocate_with: W\}$/\1\2, device: $device}/" "$1" > "$3"
  grep -q sealed "$3" || fail "nothing of $1 was put on the device"
}

with_device() {  # with_device RANKS SPEC OUTPUT OPTION...
  local ranks=$1 spec=$2 output=$3
  shift 3
  timeout 120 mpirun --oversubscribe -x "LD_PRELOAD=$LIBRARY" -np "$ranks" "$DFRUN" "$spec" --output "$output" "$@"
}

same_losses() {  # same_losses EXPECTED SEEN WHAT
  losses "$WORK/$1" > "$WORK/expected"
  losses "$WORK/$2" > "$WORK/seen"
  [ -s "$WORK/expected" ] || fail "no losses"
  cmp "$WORK/expected" "$WORK/seen" || fail "$3 has other losses than CPUs"
}

short=$(short_spec digits_rnn 1 10)
cp "$short" "$WORK/configs/one_epoch.yaml"
long=$(short_spec digits_rnn 2 10)
for spec in "$WORK/configs/one_epoch.yaml" "$long"; do echo 'checkpoint: {every: 10, keep: 3}' >> "$spec"; done
train 1 "$long" "$WORK/cpu" > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "the job on CPUs"; }

for ranks in 1 2; do
  on_device "$WORK/configs/one_epoch.yaml" $((ranks - 1)) "$WORK/configs/one_epoch_on_device.yaml"
  on_device "$long" $((ranks - 1)) "$WORK/configs/on_device.yaml"
  with_device "$ranks" "$WORK/configs/on_device.yaml" "$WORK/whole$ranks" > "$WORK/log" 2>&1 \
    || { cat "$WORK/log"; fail "the job with the device on $ranks ranks"; }
  same_losses cpu "whole$ranks" "the device on $ranks ranks"
  with_device "$ranks" "$WORK/configs/one_epoch_on_device.yaml" "$WORK/cut$ranks" > "$WORK/log" 2>&1 \
    || { cat "$WORK/log"; fail "one epoch with the device on $ranks ranks"; }
  with_device "$ranks" "$WORK/configs/on_device.yaml" "$WORK/cut$ranks" --resume > "$WORK/log" 2>&1 \
    || { cat "$WORK/log"; fail "the resumption with the device on $ranks ranks"; }
  grep -q 'resuming at step' "$WORK/log" || { cat "$WORK/log"; fail "it did not say that it resumed"; }
  same_losses cpu "cut$ranks" "a resumption with the device on $ranks ranks"
done

spec=$SOURCE/configs/figure1.yaml
on_device "$spec" 0 "$WORK/figure1.yaml"
train 2 "$spec" "$WORK/fed" > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "figure 1 on CPUs"; }
with_device 2 "$WORK/figure1.yaml" "$WORK/fed_device" > "$WORK/log" 2>&1 \
  || { cat "$WORK/log"; fail "figure 1 with the device"; }
values() { sed -E 's/"(wall_s|samples_per_s|waiting\/[a-z]+|memory[^"]*)": [^,]+, //g' "$1/metrics.jsonl"; }
[ -s "$WORK/fed/metrics.jsonl" ] || fail "figure 1 fetches nothing"
diff <(values "$WORK/fed") <(values "$WORK/fed_device") || fail "figure 1 has other values on the device"
echo "$(wc -l < "$WORK/seen") losses with the same bits"
