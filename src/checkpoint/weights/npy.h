// Headers of NumPy's .npy files.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#ifndef DFRUN_SRC_CHECKPOINT_WEIGHTS_NPY_H_
#define DFRUN_SRC_CHECKPOINT_WEIGHTS_NPY_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "src/base/status.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

struct NpyHeader {
  DType dtype = DType::kInvalid;  // kInvalid: `type` is none of ours
  std::string type;               // the text of the file: "<f4"
  bool is_swapped = false;        // bytes of a number come in the other order
  bool is_fortran = false;        // the first index runs fastest
  Shape shape;
  size_t bytes = 0;  // the header's size, in front of the values
};

// The bytes of a header are at most this many.
inline constexpr size_t kMaxNpyHeader = size_t{1} << 20;

// The bytes that a file's header has, by its first 12 bytes; DataLoss where they begin no .npy file.
Result<size_t> NpyHeaderBytes(std::string_view begin);
// Reads a header. DataLoss where it is none.
Result<NpyHeader> ParseNpyHeader(std::string_view header);

// Brings values as a file has them into this machine's order of bytes and of indices. `raw` has the bytes of a tensor
// of the header's dtype and shape.
Result<Tensor> TensorOfNpy(const NpyHeader& header, std::string_view raw);

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_WEIGHTS_NPY_H_
