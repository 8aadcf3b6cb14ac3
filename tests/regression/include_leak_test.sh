#!/usr/bin/env bash
# A spec may name any file as one to include; no error shows a word of what is none.
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

printf 'root:$6$TOPSECRET:19000:0:99999:7:::\ndaemon:*TOPSECRET:19000:0:99999:7:::\n' > shadow
printf 'root:x:0:0:TOPSECRET:/root:/bin/bash\nbin:x:1:1:TOPSECRET:/bin:/bin/sh\n' > passwd
printf 'password: TOPSECRET\n' > yaml
printf -- '- TOPSECRET\n' > list
printf 'TOPSECRET' > word
printf 'key: !TOPSECRET x\n' > tag
printf 'TOPSECRET: 1\nTOPSECRET: 2\n' > twice
printf 'x: *TOPSECRET\n' > anchor
printf '%%TOPSECRET\n---\nx: "\\TOPSECRET"\n' > directive
printf -- '-----BEGIN KEY-----\nTOPSECRET: a: b\n-----END KEY-----\n' > key
printf '[TOPSECRET\n' > open
printf 'x: {TOPSECRET: }}\n' > closed
for file in shadow passwd yaml list word tag twice anchor directive key open closed; do
  printf 'dfrun: 1\ninclude: [%s]\ngraph: {y: Identity(1.0)}\nrun: {fetch: [y]}\n' "$file" > job.yaml
  for command in check graph run; do
    expect 65 "$file:" "$DFRUN" "$command" job.yaml
    if grep -q TOPSECRET "$WORK/out"; then fail "$file: $(cat "$WORK/out")"; fi
  done
done
