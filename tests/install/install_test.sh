#!/usr/bin/env bash
# Installs a build into a prefix of its own and builds a program there that finds dfrun by find_package.
# Usage: install_test.sh BUILD_DIRECTORY CXX_COMPILER
set -euo pipefail
build=$1
export CXX=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cmake --install "$build" --prefix "$folder/prefix" >/dev/null
cmake -G Ninja -S "$here/consumer" -B "$folder/consumer" -DCMAKE_PREFIX_PATH="$folder/prefix" -DDFRUN_EXAMPLES="$here/../../examples"
cmake --build "$folder/consumer"
"$folder/consumer/consumer"
"$folder/consumer/example_session"
# The installed program finds its library without an environment, and the example specs are there.
env -u LD_LIBRARY_PATH "$folder/prefix/bin/dfrun" --help >/dev/null
env -u LD_LIBRARY_PATH "$folder/prefix/bin/dfrun" bench dispatch --nodes 1000 --rounds 1
test -f "$folder/prefix/share/dfrun/configs/lib/nn.yaml"
mv "$folder/prefix" "$folder/another prefix"
env -u LD_LIBRARY_PATH "$folder/another prefix/bin/dfrun" bench dispatch --nodes 1000 --rounds 1
echo "Installed, found and used."
