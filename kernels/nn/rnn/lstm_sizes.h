// The sizes of an LSTM's tensors, checked once for the cell, the block over time and their gradients.
#ifndef DFRUN_KERNELS_NN_RNN_LSTM_SIZES_H_
#define DFRUN_KERNELS_NN_RNN_LSTM_SIZES_H_

#include <string_view>

#include "kernels/nn/rnn/lstm_step.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun::lstm {

struct Sizes {
  int64_t steps;  // to compute
  int64_t time;   // length of the tensors
  int64_t batch;
  int64_t inputs;
  int64_t cells;

  int64_t rows() const { return steps * batch; }
};

// The number of steps is host memory's.
class SteppedKernel : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"seq_len_max"};
  bool IsExpensive() const override { return true; }
};

// InvalidArgument unless input i has this shape.
Status CheckShape(const OpContext& ctx, int i, const Shape& shape);

// Checks the inputs x, cs_prev, h_prev, w, wci, wcf, wco and b, which begin at `first`. x is [batch, inputs], or with
// `over_time` [time, batch, inputs] and input 0 the number of steps. A cell that has no peepholes may be given any wci,
// wcf and wco.
Result<Sizes> CheckInputs(const OpContext& ctx, int first, bool over_time, bool use_peephole);

// [batch, cells], with the time first where it is over time; InvalidArgument where that is beyond int64.
Result<Shape> StateShape(const Sizes& sizes, bool over_time);

}  // namespace dfrun::lstm

#endif  // DFRUN_KERNELS_NN_RNN_LSTM_SIZES_H_
