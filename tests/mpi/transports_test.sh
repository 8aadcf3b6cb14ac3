#!/usr/bin/env bash
# The losses of the digits jobs have the same bits over each transport that can connect ranks: 2 and 4 of them, and where the
# network is UCX's also over TCP.
#   transports_test.sh SOURCE_DIR DFRUN TRANSPORT...
SOURCE=$1 DFRUN=$2
shift 2
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"

for name in digits_mlp digits_cnn digits_rnn; do
  spec=$(short_spec "$name" 1 1000)
  grep -q 'replicas:' "$spec" || sed -i 's/^train: {/train: {replicas: 4, /' "$spec"
  for ranks in 2 4; do
    for transport in "$@" "${@: -1}:tcp"; do
      tls=${transport#*:}
      [ "$tls" = "$transport" ] || export UCX_TLS=$tls
      output=$WORK/$name-$ranks-$transport
      train "$ranks" "$spec" "$output" --transport "${transport%:*}" > "$WORK/log" 2>&1 ||
        { cat "$WORK/log"; fail "$name on $ranks ranks over $transport"; }
      unset UCX_TLS
      losses "$output" > "$output.losses"
      [ -s "$output.losses" ] || fail "no losses of $name on $ranks ranks over $transport"
      cmp "$WORK/$name-2-$1.losses" "$output.losses" || fail "losses of $name on $ranks ranks over $transport differ"
    done
  done
done
echo "the same losses over $* and TCP"
