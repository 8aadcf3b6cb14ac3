// The kernels of a gated recurrent unit's step and of its gradient, on any device. `Cells` is the device's engine
// (cells_cpu.h). Source: TensorFlow's gru_ops; Cho et al.: Learning phrase representations using RNN encoder-decoder,
// 2014.
#ifndef DFRUN_KERNELS_NN_RNN_GRU_KERNEL_H_
#define DFRUN_KERNELS_NN_RNN_GRU_KERNEL_H_

#include <array>

#include "kernels/gemm/gemm.h"
#include "kernels/nn/rnn/gru_sizes.h"
#include "kernels/nn/rnn/gru_step.h"

namespace dfrun::gru {

template <class Cells>
class CellKernel final : public Kernel {
 public:
  explicit CellKernel(KernelSetup& setup) : cells_(setup) {}
  bool IsExpensive() const override { return true; }

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const Sizes s, CheckInputs(ctx));
    std::array<float*, 4> out;
    for (int i = 0; i < 4; ++i) {
      Tensor* output = nullptr;
      DF_TRY(ctx.AllocateOutput(i, Shape({s.batch, s.cells}), &output));
      out[i] = output->data<float>();
    }
    const float* const h_prev = ctx.input(1).data<float>();
    // The parts that x and h_prev give to the gates, and later to the candidate.
    DF_ASSIGN(Tensor x_part, ctx.AllocateTemp(DType::kFloat, Shape({s.batch, 2 * s.cells})));
    DF_ASSIGN(Tensor h_part, ctx.AllocateTemp(DType::kFloat, Shape({s.batch, 2 * s.cells})));
    float* const from_x = x_part.data<float>();
    float* const from_h = h_part.data<float>();
    DF_TRY(Products(ctx, s, 2, h_prev, from_x, from_h));
    float* const reset_h = out[3];  // until h itself is computed
    DF_TRY(Cells::ForElements(
        ctx, s.batch, s.cells,
        GateElement{s.cells, from_x, from_h, ctx.input(4).data<float>(), h_prev, out[0], out[1], reset_h}));
    DF_TRY(Products(ctx, s, 3, reset_h, from_x, from_h));
    return Cells::ForElements(
        ctx, s.batch, s.cells,
        ResultElement{s.cells, from_x, from_h, ctx.input(5).data<float>(), h_prev, out[1], out[2], out[3]});
  }

 private:
  // x and h times the upper and lower rows of the weights of input `weights`.
  Status Products(OpContext& ctx, const Sizes& s, int weights, const float* h, float* from_x, float* from_h) {
    const int64_t columns = ctx.input(weights).shape()[1];
    const float* w = ctx.input(weights).data<float>();
    DF_TRY(cells_.Multiply(ctx, {s.batch, s.inputs, columns}, ctx.input(0).data<float>(), w, from_x));
    return cells_.Multiply(ctx, {s.batch, s.cells, columns}, h, w + s.inputs * columns, from_h);
  }

  Cells cells_;
};

// Inputs after those of the cell.
enum In { kR = 6, kU, kC, kDh };

template <class Cells>
class CellGradKernel final : public Kernel {
 public:
  explicit CellGradKernel(KernelSetup& setup) : cells_(setup) {}
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
    DF_ASSIGN(Tensor h_part, ctx.AllocateTemp(DType::kFloat, Shape({s.batch, s.cells})));
    float* const d_hr = h_part.data<float>();
    const auto input = [&](int i) { return ctx.input(i).data<float>(); };
    DF_TRY(Cells::ForElements(ctx, s.batch, s.cells,
                              CandidateGradient{s.cells, input(kU), input(kC), input(kDh), d_c_bar->data<float>()}));
    DF_TRY(Products(ctx, s, 3, d_c_bar->data<float>(), x_part.data<float>(), d_hr));
    DF_TRY(Cells::ForElements(
        ctx, s.batch, s.cells,
        GateGradients{s.cells, input(1), input(kR), input(kU), input(kC), input(kDh), d_hr, d_gates->data<float>()}));
    DF_TRY(Products(ctx, s, 2, d_gates->data<float>(), d_x->data<float>(), d_h_prev->data<float>()));
    DF_TRY(
        Cells::ForElements(ctx, s.batch, s.inputs, AddInputPart{s.inputs, x_part.data<float>(), d_x->data<float>()}));
    return Cells::ForElements(ctx, s.batch, s.cells,
                              AddStatePart{s.cells, input(kR), input(kU), input(kDh), d_hr, d_h_prev->data<float>()});
  }

 private:
  // d times the transposes of the upper and lower rows of the weights of input `weights`.
  Status Products(OpContext& ctx, const Sizes& s, int weights, const float* d, float* to_x, float* to_h) {
    const int64_t columns = ctx.input(weights).shape()[1];
    const float* w = ctx.input(weights).data<float>();
    DF_TRY(cells_.Multiply(ctx, {s.batch, columns, s.inputs, false, true}, d, w, to_x));
    return cells_.Multiply(ctx, {s.batch, columns, s.cells, false, true}, d, w + s.inputs * columns, to_h);
  }

  Cells cells_;
};

}  // namespace dfrun::gru

#endif  // DFRUN_KERNELS_NN_RNN_GRU_KERNEL_H_
