// Keys of the parts of a tensor in TensorFlow's checkpoints.
#ifndef DFRUN_SRC_CHECKPOINT_TENSORFLOW_SLICE_KEY_H_
#define DFRUN_SRC_CHECKPOINT_TENSORFLOW_SLICE_KEY_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace dfrun {

struct SliceExtent {
  int64_t start = 0;
  int64_t length = -1;  // -1: all of the dimension
};

// The key of the part of tensor `name`, as EncodeTensorNameSlice of tensorflow/core/util/saved_tensor_slice_util.cc
// writes it: OrderedCode of 0, the name, the rank, and the extent in each dimension.
std::string SliceKey(std::string_view name, std::span<const SliceExtent> extents);

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_TENSORFLOW_SLICE_KEY_H_
