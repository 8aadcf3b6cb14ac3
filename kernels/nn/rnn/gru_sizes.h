// The sizes of a gated recurrent unit's tensors.
#ifndef DFRUN_KERNELS_NN_RNN_GRU_SIZES_H_
#define DFRUN_KERNELS_NN_RNN_GRU_SIZES_H_

#include <array>

#include "src/framework/kernel/kernel.h"

namespace dfrun::gru {

struct Sizes {
  int64_t batch;
  int64_t inputs;
  int64_t cells;
};

// InvalidArgument unless input i has a shape of the last `rank` of these.
Status CheckShape(const OpContext& ctx, int i, std::array<int64_t, 2> dims, int rank);

// Checks the inputs x, h_prev, w_ru, w_c, b_ru and b_c.
Result<Sizes> CheckInputs(const OpContext& ctx);

}  // namespace dfrun::gru

#endif  // DFRUN_KERNELS_NN_RNN_GRU_SIZES_H_
