#!/usr/bin/env bash
# What a graph says, and what `info` shows, moves no cursor and hides nothing on a terminal; files and pipes get the bytes.
#
#   terminal_text_test.sh SOURCE DFRUN
SOURCE=$1
DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

# `dfrun ARGUMENTS` with a terminal as its output and its error; what the terminal got goes to ./seen.
cat > terminal.py <<'P'
import os, pty, sys
seen = b""
def read(fd):
    global seen
    data = os.read(fd, 65536)
    seen += data
    return b""
stdin = os.open("/dev/null", os.O_RDONLY)
os.dup2(stdin, 0)
pty.spawn(sys.argv[1:], read, lambda fd: b"")
open("seen", "wb").write(seen.replace(b"\r\n", b"\n"))
P
on_terminal() { timeout 60 python3 terminal.py "$DFRUN" "$@" > /dev/null || true; }

node() {  # node NAME OP ATTRIBUTES
  printf "node { name: '%s' op: '%s' input: 't' %s }\n" "$1" "$2" "$3"
}
# Escapes as protobuf's text has them: a title, a colour as one C1 character and as a lone byte, a carriage return.
hostile='a\033]0;title\007\302\2331m\2331m\r\tb \303\266l\n'
{
  printf "node { name: 't' op: 'Const' attr { key: 'dtype' value { type: DT_STRING } } attr { key: 'value' value { tensor {"
  printf " dtype: DT_STRING tensor_shape { } string_val: '%s' } } } }\n" "$hostile"
  node out PrintV2 "attr { key: 'output_stream' value { s: 'stdout' } } attr { key: 'end' value { s: '' } }"
  node err PrintV2 "attr { key: 'output_stream' value { s: 'stderr' } } attr { key: 'end' value { s: '' } }"
  node print Print "input: 't' attr { key: 'message' value { s: '$hostile' } } attr { key: 'T' value { type: DT_STRING } }
    attr { key: 'U' value { list { type: DT_STRING } } }"
  printf "node { name: 'abort' op: 'Abort' attr { key: 'error_msg' value { s: '%s' } } }\n" "$hostile"
} | sed "s/'\([a-z0-9]*a\\\\033[^']*\)'/\"\1\"/" > g.pbtxt

shown='a\x1b]0;title\x07\x9b1m\x9b1m\r	b öl'
bytes=$(printf 'a\033]0;title\007\302\2331m\2331m\r\tb \303\266l')
for node in out err print abort; do
  on_terminal eval g.pbtxt --target $node
  grep -qF -- "$shown" seen || { cat -v seen >&2; fail "$node: not escaped"; }
  if LC_ALL=C grep -q $'\x1b\|\x07\|\x9b' seen; then cat -v seen >&2; fail "$node: the terminal got it"; fi
  "$DFRUN" eval g.pbtxt --target $node > piped 2>&1 || true
  LC_ALL=C grep -qF -- "$bytes" piped || { cat -v piped >&2; fail "$node: a file did not get the bytes"; }
done

# A folder of a hostile name, which `info` shows.
bad=$WORK/$(printf 'x\033[31m')
mkdir -p "$bad/dfrun"
XDG_CACHE_HOME=$bad on_terminal info
grep -q "^dfrun " seen || { cat -v seen >&2; fail "no info"; }
if LC_ALL=C grep -q $'\x1b' seen; then cat -v seen >&2; fail "info: the terminal got it"; fi
on_terminal graph g.pbtxt
if LC_ALL=C grep -q $'\x1b\|\x07' seen; then cat -v seen >&2; fail "graph: the terminal got it"; fi
echo "nothing reached the terminal"
