// A step of a gated recurrent unit and its gradient.
// Source: TensorFlow's gru_ops; Cho et al.: Learning phrase representations using RNN encoder-decoder, 2014.
#include <array>

#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementary.h"
#include "kernels/nn/cell_products.h"

namespace dfrun {
namespace {

// Elements that one thread takes, some 10 us.
constexpr int64_t kBlock = 4096;

struct Sizes {
  int64_t batch;
  int64_t inputs;
  int64_t cells;
};

Status CheckShape(const OpContext& ctx, int i, std::array<int64_t, 2> dims, int rank) {
  DF_ASSIGN(const Shape shape, Shape::Create(std::span<const int64_t>(dims).subspan(2 - rank)));
  if (ctx.input(i).shape() == shape) return Status();
  return InvalidArgument("input ", i, " has shape ", ctx.input(i).shape(), ", but the others ask for ", shape);
}

// Of x, h_prev, w_ru, w_c, b_ru, b_c.
Result<Sizes> CheckInputs(const OpContext& ctx) {
  const Shape& x = ctx.input(0).shape();
  const Shape& h_prev = ctx.input(1).shape();
  if (x.rank() != 2 || h_prev.rank() != 2) {
    return InvalidArgument("x and h_prev have shapes ", x, " and ", h_prev, ", but must be matrices");
  }
  const Sizes s{x[0], x[1], h_prev[1]};
  constexpr int64_t kMost = INT64_MAX / 8;
  if (s.inputs > kMost || s.cells > kMost) return InvalidArgument("a cell of ", s.cells, " units is too large");
  DF_TRY(CheckShape(ctx, 1, {s.batch, s.cells}, 2));
  DF_TRY(CheckShape(ctx, 2, {s.inputs + s.cells, 2 * s.cells}, 2));
  DF_TRY(CheckShape(ctx, 3, {s.inputs + s.cells, s.cells}, 2));
  DF_TRY(CheckShape(ctx, 4, {0, 2 * s.cells}, 1));
  DF_TRY(CheckShape(ctx, 5, {0, s.cells}, 1));
  return s;
}

// Calls body(row) for each row, over the pool.
template <class Body>
void ForRows(ThreadPool& pool, const Sizes& s, const Body& body) {
  pool.ParallelFor(s.batch, kBlock / (s.cells + 1) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) body(row);
  });
}

class GruKernel final : public Kernel {
 public:
  explicit GruKernel(KernelSetup&) {}
  bool IsExpensive() const override { return true; }

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const Sizes s, CheckInputs(ctx));
    std::array<float*, 4> out;
    for (int i = 0; i < 4; ++i) {
      Tensor* output = nullptr;
      DF_TRY(ctx.AllocateOutput(i, Shape({s.batch, s.cells}), &output));
      out[i] = output->data<float>();
    }
    // The parts that x and h_prev give to the gates, and later to the candidate.
    DF_ASSIGN(Tensor from_x, ctx.AllocateTemp(DType::kFloat, Shape({s.batch, 2 * s.cells})));
    DF_ASSIGN(Tensor from_h, ctx.AllocateTemp(DType::kFloat, Shape({s.batch, 2 * s.cells})));
    DF_TRY(Products(ctx, s, 2, ctx.input(1).data<float>(), from_x.data<float>(), from_h.data<float>()));
    float* const reset_h = out[3];  // until h itself is computed
    Gates(ctx, s, from_x.data<float>(), from_h.data<float>(), out[0], out[1], reset_h);
    DF_TRY(Products(ctx, s, 3, reset_h, from_x.data<float>(), from_h.data<float>()));
    Results(ctx, s, from_x.data<float>(), from_h.data<float>(), out[1], out[2], out[3]);
    return Status();
  }

 private:
  // x and h times the upper and lower rows of the weights of input `weights`.
  Status Products(OpContext& ctx, const Sizes& s, int weights, const float* h, float* from_x, float* from_h) {
    const int64_t columns = ctx.input(weights).shape()[1];
    const float* w = ctx.input(weights).data<float>();
    DF_TRY(MultiplyOfCell(ctx, {s.batch, s.inputs, columns}, ctx.input(0).data<float>(), w, from_x));
    return MultiplyOfCell(ctx, {s.batch, s.cells, columns}, h, w + s.inputs * columns, from_h);
  }

  static void Gates(OpContext& ctx, const Sizes& s, const float* from_x, const float* from_h, float* r, float* u,
                    float* reset_h) {
    const float* h_prev = ctx.input(1).data<float>();
    const float* bias = ctx.input(4).data<float>();
    ForRows(ctx.pool(), s, [&](int64_t row) {
      const fn::Sigmoid sigmoid;
      const int64_t at = row * s.cells;
      const float* x = from_x + 2 * at;
      const float* h = from_h + 2 * at;
      const int64_t next = s.cells;
      DF_INDEPENDENT_ITERATIONS
      for (int64_t j = 0; j < s.cells; ++j) {
        const float reset = sigmoid(x[j] + h[j] + bias[j]);
        r[at + j] = reset;
        u[at + j] = sigmoid(x[next + j] + h[next + j] + bias[next + j]);
        reset_h[at + j] = h_prev[at + j] * reset;
      }
    });
  }

  static void Results(OpContext& ctx, const Sizes& s, const float* from_x, const float* from_h, const float* u,
                      float* c, float* h) {
    const float* h_prev = ctx.input(1).data<float>();
    const float* bias = ctx.input(5).data<float>();
    ForRows(ctx.pool(), s, [&](int64_t row) {
      const fn::Tanh tanh;
      const int64_t at = row * s.cells;
      DF_INDEPENDENT_ITERATIONS
      for (int64_t j = 0; j < s.cells; ++j) {
        const float candidate = tanh(from_x[at + j] + from_h[at + j] + bias[j]);
        c[at + j] = candidate;
        h[at + j] = u[at + j] * (h_prev[at + j] - candidate) + candidate;
      }
    });
  }
};

// Inputs after those of the cell.
enum In { kR = 6, kU, kC, kDh };

class GruGradKernel final : public Kernel {
 public:
  explicit GruGradKernel(KernelSetup&) {}
  bool IsExpensive() const override { return true; }

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const Sizes s, CheckInputs(ctx));
    for (int i = kR; i <= kDh; ++i) DF_TRY(CheckShape(ctx, i, {s.batch, s.cells}, 2));
    Tensor* d_x = nullptr;
    Tensor* d_h_prev = nullptr;
    Tensor* d_c_bar = nullptr;
    Tensor* d_gates = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape({s.batch, s.inputs}), &d_x));
    DF_TRY(ctx.AllocateOutput(1, Shape({s.batch, s.cells}), &d_h_prev));
    DF_TRY(ctx.AllocateOutput(2, Shape({s.batch, s.cells}), &d_c_bar));
    DF_TRY(ctx.AllocateOutput(3, Shape({s.batch, 2 * s.cells}), &d_gates));
    DF_ASSIGN(Tensor x_part, ctx.AllocateTemp(DType::kFloat, Shape({s.batch, s.inputs})));
    DF_ASSIGN(Tensor d_hr, ctx.AllocateTemp(DType::kFloat, Shape({s.batch, s.cells})));
    CandidateGradient(ctx, s, d_c_bar->data<float>());
    DF_TRY(Products(ctx, s, 3, d_c_bar->data<float>(), x_part.data<float>(), d_hr.data<float>()));
    GateGradients(ctx, s, d_hr.data<float>(), d_gates->data<float>());
    DF_TRY(Products(ctx, s, 2, d_gates->data<float>(), d_x->data<float>(), d_h_prev->data<float>()));
    AddParts(ctx, s, x_part.data<float>(), d_hr.data<float>(), d_x->data<float>(), d_h_prev->data<float>());
    return Status();
  }

 private:
  // d times the transposes of the upper and lower rows of the weights of input `weights`.
  Status Products(OpContext& ctx, const Sizes& s, int weights, const float* d, float* to_x, float* to_h) {
    const int64_t columns = ctx.input(weights).shape()[1];
    const float* w = ctx.input(weights).data<float>();
    DF_TRY(MultiplyOfCell(ctx, {s.batch, columns, s.inputs, false, true}, d, w, to_x));
    return MultiplyOfCell(ctx, {s.batch, columns, s.cells, false, true}, d, w + s.inputs * columns, to_h);
  }

  static void CandidateGradient(OpContext& ctx, const Sizes& s, float* d_c_bar) {
    const float* u = ctx.input(kU).data<float>();
    const float* c = ctx.input(kC).data<float>();
    const float* d_h = ctx.input(kDh).data<float>();
    ForRows(ctx.pool(), s, [&](int64_t row) {
      for (int64_t k = row * s.cells; k < (row + 1) * s.cells; ++k) {
        d_c_bar[k] = d_h[k] * (1 - u[k]) * (1 - c[k] * c[k]);
      }
    });
  }

  static void GateGradients(OpContext& ctx, const Sizes& s, const float* d_hr, float* d_gates) {
    const float* h_prev = ctx.input(1).data<float>();
    const float* r = ctx.input(kR).data<float>();
    const float* u = ctx.input(kU).data<float>();
    const float* c = ctx.input(kC).data<float>();
    const float* d_h = ctx.input(kDh).data<float>();
    ForRows(ctx.pool(), s, [&](int64_t row) {
      const int64_t at = row * s.cells;
      float* to = d_gates + 2 * at;
      DF_INDEPENDENT_ITERATIONS
      for (int64_t j = 0; j < s.cells; ++j) {
        const int64_t k = at + j;
        to[j] = d_hr[k] * h_prev[k] * r[k] * (1 - r[k]);
        to[s.cells + j] = d_h[k] * (h_prev[k] - c[k]) * u[k] * (1 - u[k]);
      }
    });
  }

  static void AddParts(OpContext& ctx, const Sizes& s, const float* x_part, const float* d_hr, float* d_x,
                       float* d_h_prev) {
    const float* r = ctx.input(kR).data<float>();
    const float* u = ctx.input(kU).data<float>();
    const float* d_h = ctx.input(kDh).data<float>();
    ForRows(ctx.pool(), s, [&](int64_t row) {
      for (int64_t k = row * s.inputs; k < (row + 1) * s.inputs; ++k) d_x[k] += x_part[k];
      for (int64_t k = row * s.cells; k < (row + 1) * s.cells; ++k) d_h_prev[k] += d_hr[k] * r[k] + d_h[k] * u[k];
    });
  }
};

CPU_KERNEL_ANY("GRUBlockCell", GruKernel);
CPU_KERNEL_ANY("GRUBlockCellGrad", GruGradKernel);

}  // namespace
}  // namespace dfrun
