// The element-wise parts of a gated recurrent unit's step over a batch, between its matrix products; written once for
// host and device.
#ifndef DFRUN_KERNELS_NN_RNN_GRU_STEP_H_
#define DFRUN_KERNELS_NN_RNN_GRU_STEP_H_

#include <cstdint>

#include "kernels/math/functions/elementary.h"

namespace dfrun::gru {

// Elements that one thread of a CPU takes, some 10 us.
inline constexpr int64_t kBlock = 4096;

// The gates r and u, and the state that r lets through. `from_x`, `from_h`: [batch, 2 * cells].
struct GateElement {
  static constexpr int64_t kBlock = gru::kBlock;
  int64_t cells;
  const float* from_x;
  const float* from_h;
  const float* bias;
  const float* h_prev;
  float* r;
  float* u;
  float* reset_h;

  [[gnu::always_inline]] DF_HOST_DEVICE inline void operator()(int64_t row, int64_t j) const {
    const fn::Sigmoid sigmoid;
    const int64_t at = row * cells;
    const float* x = from_x + 2 * at;
    const float* h = from_h + 2 * at;
    const float reset = sigmoid(x[j] + h[j] + bias[j]);
    r[at + j] = reset;
    u[at + j] = sigmoid(x[cells + j] + h[cells + j] + bias[cells + j]);
    reset_h[at + j] = h_prev[at + j] * reset;
  }
};

// The candidate c and the state h. `from_x`, `from_h`: [batch, cells].
struct ResultElement {
  static constexpr int64_t kBlock = gru::kBlock;
  int64_t cells;
  const float* from_x;
  const float* from_h;
  const float* bias;
  const float* h_prev;
  const float* u;
  float* c;
  float* h;

  [[gnu::always_inline]] DF_HOST_DEVICE inline void operator()(int64_t row, int64_t j) const {
    const int64_t k = row * cells + j;
    const float candidate = fn::Tanh()(from_x[k] + from_h[k] + bias[j]);
    c[k] = candidate;
    h[k] = u[k] * (h_prev[k] - candidate) + candidate;
  }
};

struct CandidateGradient {
  static constexpr int64_t kBlock = gru::kBlock;
  int64_t cells;
  const float* u;
  const float* c;
  const float* d_h;
  float* d_c_bar;

  [[gnu::always_inline]] DF_HOST_DEVICE inline void operator()(int64_t row, int64_t j) const {
    const int64_t k = row * cells + j;
    d_c_bar[k] = d_h[k] * (1 - u[k]) * (1 - c[k] * c[k]);
  }
};

// The gradients by the arguments of r and u, [batch, 2 * cells].
struct GateGradients {
  static constexpr int64_t kBlock = gru::kBlock;
  int64_t cells;
  const float* h_prev;
  const float* r;
  const float* u;
  const float* c;
  const float* d_h;
  const float* d_hr;
  float* d_gates;

  [[gnu::always_inline]] DF_HOST_DEVICE inline void operator()(int64_t row, int64_t j) const {
    const int64_t k = row * cells + j;
    float* to = d_gates + 2 * row * cells;
    to[j] = d_hr[k] * h_prev[k] * r[k] * (1 - r[k]);
    to[cells + j] = d_h[k] * (h_prev[k] - c[k]) * u[k] * (1 - u[k]);
  }
};

// Adds the candidate's part to the gradients of x and of the state.
struct AddInputPart {
  static constexpr int64_t kBlock = gru::kBlock;
  int64_t inputs;
  const float* x_part;
  float* d_x;

  [[gnu::always_inline]] DF_HOST_DEVICE inline void operator()(int64_t row, int64_t j) const {
    d_x[row * inputs + j] += x_part[row * inputs + j];
  }
};
struct AddStatePart {
  static constexpr int64_t kBlock = gru::kBlock;
  int64_t cells;
  const float* r;
  const float* u;
  const float* d_h;
  const float* d_hr;
  float* d_h_prev;

  [[gnu::always_inline]] DF_HOST_DEVICE inline void operator()(int64_t row, int64_t j) const {
    const int64_t k = row * cells + j;
    d_h_prev[k] += d_hr[k] * r[k] + d_h[k] * u[k];
  }
};

}  // namespace dfrun::gru

#endif  // DFRUN_KERNELS_NN_RNN_GRU_STEP_H_
