// A token: a share and the step that it is handed out for, as an int64 tensor of four elements.
#ifndef DFRUN_KERNELS_SHARES_SHARE_TOKEN_H_
#define DFRUN_KERNELS_SHARES_SHARE_TOKEN_H_

#include <cstdint>

#include "src/base/status.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

struct ShareToken {
  static constexpr int64_t kElements = 4;
  // The refusal of a call that gets no share: the number that gates take for a value that is not finite.
  static constexpr int64_t kNoShare = -1;

  int64_t refusal = 0;  // 0 or kNoShare
  int64_t share = 0;
  int64_t step = 0;
  int64_t position = 0;  // the share's first row in the stream of samples

  bool is_given() const { return refusal == 0; }
  Tensor ToTensor() const { return Tensor::Vector<int64_t>({refusal, share, step, position}); }
  static Result<ShareToken> Parse(const Tensor& tensor) {
    if (tensor.dtype() != DType::kInt64 || tensor.num_elements() != kElements)
      return InvalidArgument(tensor.ToString(), " is no token of a share");
    const int64_t* const e = tensor.data<int64_t>();
    return ShareToken{e[0], e[1], e[2], e[3]};
  }
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_SHARES_SHARE_TOKEN_H_
