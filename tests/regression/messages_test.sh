#!/usr/bin/env bash
# Control characters from names and files never reach the terminal, and names of any length stay readable.
#   messages_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

escape=$'\e[2J'
clean() {  # clean TEXT: the last output has no control character but line ends, and holds the text
  if LC_ALL=C grep -q '[[:cntrl:]]' <(tr -d '\n' < out); then fail "control characters: $(cat -v out)"; fi
  if LC_ALL=C grep -q $'\xc2[\x80-\x9f]' out; then fail "C1 control characters: $(cat -v out)"; fi
  grep -qF -- "$1" out || fail "no '$1' in: $(cat out)"
}

# The name of a file, of a param, and of an option.
expect 64 '' "$DFRUN" "none$escape.yaml"
clean 'none\x1b[2J.yaml'
expect 64 '' "$DFRUN" check --ranks "1${escape}"
clean '\x1b[2J'
printf 'dfrun: 1\n' > "odd$escape.yaml"
expect 65 '' "$DFRUN" "odd$escape.yaml"
clean 'odd\x1b[2J.yaml'

# Names within a spec and within a graph.
printf 'dfrun: 1\nname: m\ngraph:\n  x: "Nothing\\x1b[2J(1.0)"\n  y: {op: "No\\x9bsuch\\u202eop"}\nrun: {steps: 1, fetch: [x]}\n' > m.yaml
expect 65 'm.yaml:' "$DFRUN" check m.yaml
clean 'm.yaml:'
printf 'node { name: "x" op: "Bad\\033[2J\\nforged: 1" }\n' > g.pbtxt
expect 65 '' "$DFRUN" eval g.pbtxt --fetch x
clean 'Bad\x1b[2J'
if grep -q '^forged' out; then fail "a name made a line of its own"; fi

# A name of 100,000 characters.
long=$(printf 'x%.0s' $(seq 100000))
printf 'node { name: "x" op: "%s" }\n' "$long" > long.pbtxt
expect 65 'bytes left out' "$DFRUN" eval long.pbtxt --fetch x
[ "$(wc -c < out)" -lt 4000 ] || fail "a message of $(wc -c < out) bytes"

# Values: a fetched string, and a scalar's name on the progress line.
cat > strings.pbtxt <<'GRAPH'
node { name: "s" op: "Const"
       attr { key: "dtype" value { type: DT_STRING } }
       attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape {} string_val: "a\033[31mb" } } } }
GRAPH
"$DFRUN" eval strings.pbtxt --fetch s > out 2>&1 || fail "eval: $(cat out)"
clean 'a\x1b[31mb'
echo "clean"
