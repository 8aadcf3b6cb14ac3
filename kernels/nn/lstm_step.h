// One step of an LSTM over a batch, element by element: what stands between its matrix products.
// Source: TensorFlow's lstm_ops; Zaremba, Sutskever, Vinyals: Recurrent neural network regularization, 2014.
#ifndef DFRUN_KERNELS_NN_LSTM_STEP_H_
#define DFRUN_KERNELS_NN_LSTM_STEP_H_

#include <cstdint>

#include "src/base/threads.h"

namespace dfrun::lstm {

// The order of the four gates in a row of 4 * cells: input, cell, forget, output, or forget before cell.
struct Layout {
  int64_t cell;
  int64_t forget;
};
constexpr Layout kCellFirst{1, 2};
constexpr Layout kForgetFirst{2, 1};
constexpr int64_t kOutputGate = 3;

struct Size {
  int64_t batch;
  int64_t cells;
};

// Weights [cells] from the cell to the gates; all null where the cell has none.
struct Peepholes {
  const float* input;
  const float* forget;
  const float* output;
};

// [batch, cells] each, of one step.
struct States {
  float* i;
  float* cs;
  float* f;
  float* o;
  float* ci;
  float* co;
  float* h;
};
struct ConstStates {
  const float* i;
  const float* cs;
  const float* f;
  const float* o;
  const float* ci;
  const float* co;
};

struct Forward {
  Layout layout;
  Peepholes peepholes;
  float forget_bias;
  float cell_clip;    // the cell is held within +-cell_clip; not where it is 0 or less
  const float* bias;  // [4 * cells]

  // `from_x` and `from_h`, [batch, 4 * cells]: what input and state of the step before give to the gates.
  void Run(ThreadPool& pool, const Size& size, const float* from_x, const float* from_h, const float* cs_prev,
           const States& states) const;
};

struct Backward {
  Layout layout;
  Peepholes peepholes;

  // cs_grad and h_grad: the gradients of the step's results; cs_next and h_next: those from the step after it, or null.
  // Gives those of the gates, [batch, 4 * cells], and of cs_prev, which may be cs_next.
  void Run(ThreadPool& pool, const Size& size, const ConstStates& states, const float* cs_prev, const float* cs_grad,
           const float* cs_next, const float* h_grad, const float* h_next, float* gates_grad,
           float* cs_prev_grad) const;
};

}  // namespace dfrun::lstm

#endif  // DFRUN_KERNELS_NN_LSTM_STEP_H_
