#!/usr/bin/env bash
# Numbers, strings and enums of HDF5 files that lie otherwise than dfrun writes them: of another order of bytes, of fewer
# bits than their bytes, floats of other exponents. They are what h5py reads, or are refused with the layout's name.
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

layouts() { /usr/bin/python3 "$SOURCE/tests/regression/hdf5/layouts.py" "$@"; }

layouts make > refused.txt
"$DFRUN" all.yaml --output run
layouts check run/out.h5

while IFS='|' read -r name text; do
  expect 66 "$text" "$DFRUN" check "$name.yaml"
done < refused.txt

# A dataset that is fed, and a field of one.
cat > y.pbtxt <<'END'
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_BFLOAT16 } } attr { key: "shape" value { shape { unknown_rank: true } } } }
node { name: "y" op: "Identity" input: "x" attr { key: "T" value { type: DT_BFLOAT16 } } }
END
for pair in bfloat16_big=bfloat16_big table:b=table_b; do
  "$DFRUN" eval y.pbtxt --feed "x=layouts.h5:/${pair%=*}" --fetch y --out fed.h5
  /usr/bin/python3 - "${pair#*=}" <<'END'
import sys
import h5py
with h5py.File("fed.h5") as fed, h5py.File("run/out.h5") as read:
    assert (fed["y"][...] == read["in/" + sys.argv[1]][...]).all()
END
done
expect 74 "15 exponent bits" "$DFRUN" eval y.pbtxt --feed x=refused.h5:/f64_of_15 --fetch y
