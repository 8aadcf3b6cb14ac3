#include "kernels/nn/lstm_step.h"

#include "kernels/math/elementary.h"

namespace dfrun::lstm {
namespace {

// Elements that one thread takes: five exponentials each, some 10 us.
constexpr int64_t kBlock = 2048;

int64_t RowsOfBlock(int64_t cells) {
  return cells >= kBlock ? 1 : kBlock / (cells + 1) + 1;
}

float Clip(float x, float limit) {
  return x < -limit ? -limit : x > limit ? limit : x;
}

template <bool kPeepholes>
void ForwardRow(const Forward& form, int64_t cells, int64_t row, const float* from_x, const float* from_h,
                const float* cs_prev, const States& s) {
  const fn::Sigmoid sigmoid;
  const fn::Tanh tanh;
  const int64_t at = row * cells;
  const float* x = from_x + 4 * at;
  const float* h = from_h + 4 * at;
  const int64_t c_gate = form.layout.cell * cells;
  const int64_t f_gate = form.layout.forget * cells;
  const int64_t o_gate = kOutputGate * cells;
  const float* bias = form.bias;
  const float limit = form.cell_clip > 0 ? form.cell_clip : HUGE_VALF;
  DF_INDEPENDENT_ITERATIONS
  for (int64_t j = 0; j < cells; ++j) {
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
}

struct Gradients {
  const float* cs;
  const float* cs_next;
  const float* h;
  const float* h_next;
  float* gates;
  float* cs_prev;
};

template <bool kPeepholes, bool kNext>
void BackwardRow(const Backward& form, int64_t cells, int64_t row, const ConstStates& s, const float* cs_prev,
                 const Gradients& g) {
  const int64_t at = row * cells;
  float* gates = g.gates + 4 * at;
  const int64_t c_gate = form.layout.cell * cells;
  const int64_t f_gate = form.layout.forget * cells;
  const int64_t o_gate = kOutputGate * cells;
  DF_INDEPENDENT_ITERATIONS
  for (int64_t j = 0; j < cells; ++j) {
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
}

}  // namespace

void Forward::Run(ThreadPool& pool, const Size& size, const float* from_x, const float* from_h, const float* cs_prev,
                  const States& states) const {
  const auto row = peepholes.input != nullptr ? &ForwardRow<true> : &ForwardRow<false>;
  pool.ParallelFor(size.batch, RowsOfBlock(size.cells), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) row(*this, size.cells, r, from_x, from_h, cs_prev, states);
  });
}

void Backward::Run(ThreadPool& pool, const Size& size, const ConstStates& states, const float* cs_prev,
                   const float* cs_grad, const float* cs_next, const float* h_grad, const float* h_next,
                   float* gates_grad, float* cs_prev_grad) const {
  const Gradients gradients{cs_grad, cs_next, h_grad, h_next, gates_grad, cs_prev_grad};
  const auto with = cs_next != nullptr ? &BackwardRow<true, true> : &BackwardRow<true, false>;
  const auto without = cs_next != nullptr ? &BackwardRow<false, true> : &BackwardRow<false, false>;
  const auto row = peepholes.input != nullptr ? with : without;
  pool.ParallelFor(size.batch, RowsOfBlock(size.cells), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) row(*this, size.cells, r, states, cs_prev, gradients);
  });
}

}  // namespace dfrun::lstm
