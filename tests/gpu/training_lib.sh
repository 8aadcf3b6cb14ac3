# on_gpu SPEC COPY: a spec of the digits with its layers and its loss on the GPU of the task. Source it after
# tests/mpi/training_lib.sh.
on_gpu() {
  local device='device: \/device:gpu:0'
  sed -E -e "s/^( +)(\w+): +(dense|conv2d|max_pool|flatten)\((\w+(\/\w+)?), (.*)\)/\1\2: {op: \3, x: \4, \6, $device}/" \
      -e "s/^( +)(\w+): +(dense|conv2d|max_pool|flatten)\((\w+(\/\w+)?)\)/\1\2: {op: \3, x: \4, $device}/" \
      -e '/\{op: (dense|conv2d|max_pool)/s/(\w)=/\1: /g' -e '/\{op: (dense|conv2d)/s/: (\$\{\w+\})/: "\1"/g' \
      -e "s/^( +)loss: +Mean\((\w+)\((.*)\)\)/\1losses: {op: \2, inputs: [\3], $device}\n\1loss: Mean(losses)/" \
      -e "s/^( +)logits: +dense\(flatten\(pool2\), units=10\)/\1flat: {op: flatten, x: pool2, $device}\n\1logits: {op: dense, x: flat, units: 10, $device}/" \
      "$1" > "$2"
  grep -q 'gpu:0' "$2" || fail "nothing of $1 was put on the GPU"
}
# The same with the loss, so that all that is trained is there.
all_on_gpu() {
  on_gpu "$1" "$2"
  sed -i -E "s/^( +)loss: +Mean\(losses\)/\1loss: {op: Mean, inputs: [losses], device: \/device:gpu:0}/" "$2"
  grep -q 'op: Mean.*gpu:0' "$2" || fail "the loss of $1 was not put on the GPU"
}
