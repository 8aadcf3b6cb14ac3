#!/usr/bin/env bash
# A file that is given as a graph is told by its content, whatever its name; what is no graph is named, with what to do.
set -euo pipefail
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

graph='node { name: "a" op: "NoOp" }'
echo "$graph" > text.pb
{ printf '# a comment\n\n'; echo "$graph"; } > comment.txt
printf '\x0a\x09\x0a\x01a\x12\x04NoOp' > binary.pbtxt
printf '\x0a\x08\x2a\x061.15.0\x12\x0b\x0a\x09\x0a\x01a\x12\x04NoOp' > meta.pb
printf '\x08\x01\x12\x17\x0a\x08\x2a\x061.15.0\x12\x0b\x0a\x09\x0a\x01a\x12\x04NoOp' > saved.pb
echo "meta_info_def { tensorflow_version: '1.15.0' stripped_op_list { op { name: 'NoOp' } } } graph_def { $graph }" > meta.txt
mkdir model
echo "saved_model_schema_version: 1 meta_graphs { graph_def { $graph } }" > model/saved_model.pbtxt
for file in text.pb comment.txt binary.pbtxt meta.pb saved.pb meta.txt model; do
  timeout 60 "$DFRUN" eval "$file" --target a || fail "$file is not read"
done

# other NAME BYTES TEXT: not read, exit 65, named so.
other() {
  printf "$2" > "$1"
  for command in eval check graph; do expect 65 "$3" "$DFRUN" "$command" "$1"; done
}
other empty.pb '' 'this is empty'
other lfs.pb 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n' 'git lfs pull'
other model.gz '\x1f\x8b\x08\x00\x00' 'a gzip archive'
other model.zip 'PK\x03\x04\x14\x00saved_model.pb' 'a zip archive of a SavedModel'
other model.keras 'PK\x03\x04\x14\x00metadata.json config.json model.weights.h5' 'a Keras model file'
other model.pt 'PK\x03\x04\x14\x00archive/data.pkl' 'a PyTorch model'
other keras.h5 '\x89HDF\r\n\x1a\nxxmodel_config' 'a Keras model file'
other data.h5 '\x89HDF\r\n\x1a\nxx' 'an HDF5 file'
other model.tflite '\x1c\x00\x00\x00TFL3\x00' 'a TensorFlow Lite model'
other model.onnx '\x08\x07\x12\x07pytorch\x1a\x05' 'an ONNX model'
other image.pb '\x89PNG\r\n\x1a\n' 'a PNG image'
other photo.pb '\xff\xd8\xff\xe0' 'a JPEG image'
other page.pb '<!DOCTYPE html>' 'an HTML page'
other state 'model_checkpoint_path: "model.ckpt-3"\n' 'newest checkpoint'
other model.ckpt-3.index 'abc\x57\xfb\x80\x8b\x24\x75\x47\xdb' 'index of a TensorFlow checkpoint'
other model.ckpt-3.data-00000-of-00001 '\x00\x00\x80\x3f' 'values of a TensorFlow checkpoint'
printf 'dfrun: 1\ngraph: {}\n' > spec.pb
expect 65 'a spec of dfrun' "$DFRUN" eval spec.pb
other array.npy '\x93NUMPY\x01\x00' 'a NumPy array'
other pickle.pb '\x80\x04\x95' 'a Python pickle'
other cut.pb '\x0a\x09\x0a\x01a\x12\x04No' 'damaged, cut short, or of another kind'
expect 65 'the name of a TensorFlow checkpoint' "$DFRUN" eval model.ckpt-3
mkdir empty checkpoints
expect 65 'a directory without saved_model.pb' "$DFRUN" eval empty
touch checkpoints/checkpoint
expect 65 'a directory of TensorFlow checkpoints' "$DFRUN" eval checkpoints
mkfifo pipe
expect 65 'not a regular file' "$DFRUN" eval pipe
expect 74 'No such file' "$DFRUN" eval nothing.pb --fetch y
# Nor is it a spec.
expect 65 'this is a SavedModel, no spec' "$DFRUN" model
expect 65 'this is a graph, no spec' "$DFRUN" text.pb
expect 65 'this is a gzip archive, no spec' "$DFRUN" model.gz
