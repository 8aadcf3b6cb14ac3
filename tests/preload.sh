# shellcheck shell=bash
# Libraries that tests have the loader load before a program's own. LD_PRELOAD splits its value at blanks, so it gets the
# name of a library, and LD_LIBRARY_PATH the folder.

# preload_name VARIABLE: its value, the path of a library, becomes the name; the loader looks in the folder from now on.
preload_name() {
  local -n library_path=$1
  LD_LIBRARY_PATH=$(dirname "$library_path")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export LD_LIBRARY_PATH
  library_path=$(basename "$library_path")
}
