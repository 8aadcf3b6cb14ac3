// The element-wise parts of an LSTM's step over a batch, between its matrix products; written once for host and device.
// Source: TensorFlow's lstm_ops; Zaremba, Sutskever, Vinyals: Recurrent neural network regularization, 2014.
#ifndef DFRUN_KERNELS_NN_RNN_LSTM_STEP_H_
#define DFRUN_KERNELS_NN_RNN_LSTM_STEP_H_

#include <cstdint>
#include <limits>

#include "kernels/math/functions/elementary.h"

namespace dfrun::lstm {

// The order of the four gates in a row of 4 * cells: input, cell, forget, output, or forget before cell.
struct Layout {
  int64_t cell;
  int64_t forget;
};
constexpr Layout kCellFirst{1, 2};
constexpr Layout kForgetFirst{2, 1};
constexpr int64_t kOutputGate = 3;

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

// Elements that one thread of a CPU takes: five exponentials each, some 10 us.
inline constexpr int64_t kBlock = 2048;

struct Forward {
  Layout layout;
  Peepholes peepholes;
  float forget_bias;
  float cell_clip;    // the cell is held within +-cell_clip; not where it is 0 or less
  const float* bias;  // [4 * cells]
};

DF_HOST_DEVICE inline float Clip(float x, float limit) {
  return x < -limit ? -limit : x > limit ? limit : x;
}

// The forward step of an element. `from_x` and `from_h`, [batch, 4 * cells]: the contributions of the input and of the
// state before to the gates.
template <bool kPeepholes>
struct ForwardElement {
  static constexpr int64_t kBlock = lstm::kBlock;
  Forward form;
  int64_t cells;
  const float* from_x;
  const float* from_h;
  const float* cs_prev;
  States s;

  [[gnu::always_inline]] DF_HOST_DEVICE inline void operator()(int64_t row, int64_t j) const {
    const fn::Sigmoid sigmoid;
    const fn::Tanh tanh;
    const int64_t at = row * cells;
    const float* x = from_x + 4 * at;
    const float* h = from_h + 4 * at;
    const int64_t c_gate = form.layout.cell * cells;
    const int64_t f_gate = form.layout.forget * cells;
    const int64_t o_gate = kOutputGate * cells;
    const float* bias = form.bias;
    const float limit = form.cell_clip > 0 ? form.cell_clip : std::numeric_limits<float>::infinity();
    const float before = cs_prev[at + j];
    float gate_i = x[j] + h[j] + bias[j];
    float gate_f = x[f_gate + j] + h[f_gate + j] + bias[f_gate + j] + form.forget_bias;
    float gate_o = x[o_gate + j] + h[o_gate + j] + bias[o_gate + j];
    if constexpr (kPeepholes) {
      gate_i += before * form.peepholes.input[j];
      gate_f += before * form.peepholes.forget[j];
    }
    const float i = sigmoid(gate_i);
    const float f = sigmoid(gate_f);
    const float ci = tanh(x[c_gate + j] + h[c_gate + j] + bias[c_gate + j]);
    const float cs = Clip(ci * i + f * before, limit);
    if constexpr (kPeepholes) gate_o += cs * form.peepholes.output[j];
    const float o = sigmoid(gate_o);
    const float co = tanh(cs);
    s.i[at + j] = i;
    s.cs[at + j] = cs;
    s.f[at + j] = f;
    s.o[at + j] = o;
    s.ci[at + j] = ci;
    s.co[at + j] = co;
    s.h[at + j] = o * co;
  }
};

struct Backward {
  Layout layout;
  Peepholes peepholes;
  float cell_clip;  // a cell that it holds passes nothing on; NaN: none does
};

// The gradients of the step's results, and those from the step after it, or null. Of the gates, [batch, 4 * cells], and
// of cs_prev, which may be cs_next.
struct Gradients {
  const float* cs;
  const float* cs_next;
  const float* h;
  const float* h_next;
  float* gates;
  float* cs_prev;
};

template <bool kPeepholes, bool kNext>
struct BackwardElement {
  static constexpr int64_t kBlock = lstm::kBlock;
  Backward form;
  int64_t cells;
  ConstStates s;
  const float* cs_prev;
  Gradients g;

  [[gnu::always_inline]] DF_HOST_DEVICE inline void operator()(int64_t row, int64_t j) const {
    const int64_t at = row * cells;
    float* gates = g.gates + 4 * at;
    const int64_t c_gate = form.layout.cell * cells;
    const int64_t f_gate = form.layout.forget * cells;
    const int64_t o_gate = kOutputGate * cells;
    const float i = s.i[at + j], f = s.f[at + j], o = s.o[at + j], ci = s.ci[at + j], co = s.co[at + j];
    float dh = g.h[at + j];
    float dcs = g.cs[at + j];
    if constexpr (kNext) {
      dh += g.h_next[at + j];
      dcs += g.cs_next[at + j];
    }
    const float d_o = o * (1 - o) * dh * co;
    dcs += (1 - co * co) * dh * o;
    if constexpr (kPeepholes) dcs += d_o * form.peepholes.output[j];
    const float cs = s.cs[at + j];
    if (cs >= form.cell_clip || cs <= -form.cell_clip) dcs = 0;
    const float d_i = i * (1 - i) * dcs * ci;
    const float d_f = f * (1 - f) * dcs * cs_prev[at + j];
    float before = dcs * f;
    if constexpr (kPeepholes) before += d_i * form.peepholes.input[j] + d_f * form.peepholes.forget[j];
    gates[j] = d_i;
    gates[c_gate + j] = (1 - ci * ci) * dcs * i;
    gates[f_gate + j] = d_f;
    gates[o_gate + j] = d_o;
    g.cs_prev[at + j] = before;
  }
};

}  // namespace dfrun::lstm

#endif  // DFRUN_KERNELS_NN_RNN_LSTM_STEP_H_
