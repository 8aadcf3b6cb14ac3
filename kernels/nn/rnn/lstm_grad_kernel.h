// Gradients of LSTM cells, on any device. Only the chain of states goes step by step over time: the products with
// inputs and for the weights are computed for all steps at once. `Cells` is the device's engine (cells_cpu.h).
#ifndef DFRUN_KERNELS_NN_RNN_LSTM_GRAD_KERNEL_H_
#define DFRUN_KERNELS_NN_RNN_LSTM_GRAD_KERNEL_H_

#include <algorithm>
#include <array>
#include <limits>

#include "kernels/gemm/gemm.h"
#include "kernels/nn/column_sums.h"
#include "kernels/nn/rnn/lstm_sizes.h"
#include "kernels/nn/rnn/stacked_rows.h"

namespace dfrun::lstm {

// Inputs by their index after seq_len_max. The cell's gradient has no h.
enum In { kX, kCsPrev, kHPrev, kW, kWci, kWcf, kWco, kB, kI, kCs, kF, kO, kCi, kCo, kH, kMaxInputs = 17 };

// Attrs of both kinds. TensorFlow's ops know no clip and go through one; the gradient functions here give it as
// _cell_clip, which a graph of TensorFlow's does not have.
struct BackwardAttrs {
  explicit BackwardAttrs(KernelSetup& setup) : use_peephole(setup.attr<bool>("use_peephole")) {
    const AttrValue* const clip = setup.attrs().Find("_cell_clip");
    if (clip != nullptr && clip->get<float>() != nullptr) cell_clip = *clip->get<float>();
  }
  Backward Form(Layout layout, const Tensor* in) const {
    if (!use_peephole) return {layout, {}, cell_clip};
    return {layout, {in[kWci].data<float>(), in[kWcf].data<float>(), in[kWco].data<float>()}, cell_clip};
  }

  bool use_peephole;
  float cell_clip = std::numeric_limits<float>::quiet_NaN();
};

inline ConstStates StatesAt(const Tensor* in, int64_t at) {
  const auto state = [&](In i) { return in[i].data<float>() + at; };
  return {state(kI), state(kCs), state(kF), state(kO), state(kCi), state(kCo)};
}

// One step of `s.batch` rows.
template <class Cells>
Status StepBack(OpContext& ctx, const Sizes& s, const Backward& form, const ConstStates& states, const float* cs_prev,
                const Gradients& g) {
  const auto run = [&](auto peepholes, auto next) {
    return Cells::ForElements(ctx, s.batch, s.cells,
                              BackwardElement<peepholes.value, next.value>{form, s.cells, states, cs_prev, g});
  };
  using Yes = std::true_type;
  using No = std::false_type;
  if (form.peepholes.input != nullptr) return g.cs_next != nullptr ? run(Yes(), Yes()) : run(Yes(), No());
  return g.cs_next != nullptr ? run(No(), Yes()) : run(No(), No());
}

// Gradients of the peepholes by those of the gates of all rows; zeros where the cell has none.
template <class Cells>
Status SumPeepholes(OpContext& ctx, const Sizes& s, const Backward& form, const float* gates, const Tensor* in,
                    float* wci, float* wcf, float* wco) {
  if (form.peepholes.input == nullptr) {
    for (float* sums : {wci, wcf, wco}) DF_TRY(Cells::Zero(ctx, sums, s.cells));
    return Status();
  }
  const StackedRows before{in[kCsPrev].data<float>(), s.batch, in[kCs].data<float>()};
  const StackedRows now{in[kCs].data<float>(), s.rows(), nullptr};
  const auto sums = [&](int64_t gate) { return ColumnSums{s.rows(), s.cells, gates + gate * s.cells, 4 * s.cells}; };
  DF_TRY(Cells::SumProducts(ctx, sums(0), before, wci));
  DF_TRY(Cells::SumProducts(ctx, sums(form.layout.forget), before, wcf));
  return Cells::SumProducts(ctx, sums(kOutputGate), now, wco);
}

template <class Cells>
struct CellGrad {
  template <class T>
  class Kernel : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup& setup) : attrs_(setup) {}

    Status Compute(OpContext& ctx) {
      DF_ASSIGN(const Sizes s, CheckInputs(ctx, 0, false, attrs_.use_peephole));
      const Shape state({s.batch, s.cells});
      std::array<Tensor, 16> in;
      for (int i = 0; i < 16; ++i) {
        if (i >= kI) DF_TRY(CheckShape(ctx, i, state));
        DF_ASSIGN(in[i], Cells::template FloatInput<T>(ctx, i));
      }
      typename Cells::template Outputs<T, 5> outputs(ctx);
      DF_ASSIGN(float* const cs_prev_grad, outputs.Add(0, state));
      const std::array<int64_t, 2> gate_dims{s.batch, 4 * s.cells};
      DF_ASSIGN(const Shape gates_shape, Shape::Create(gate_dims));
      DF_ASSIGN(float* const gates, outputs.Add(1, gates_shape));
      std::array<float*, 3> sums;
      for (int i = 0; i < 3; ++i) {
        DF_ASSIGN(sums[i], outputs.Add(2 + i, Shape({s.cells})));
      }
      const Backward form = attrs_.Form(kCellFirst, in.data());
      const Gradients gradients{
          in[kCo + 1].data<float>(), nullptr, in[kCo + 2].data<float>(), nullptr, gates, cs_prev_grad};
      DF_TRY(StepBack<Cells>(ctx, s, form, StatesAt(in.data(), 0), in[kCsPrev].data<float>(), gradients));
      DF_TRY(SumPeepholes<Cells>(ctx, s, form, gates, in.data(), sums[0], sums[1], sums[2]));
      return outputs.Finish();
    }

   private:
    const BackwardAttrs attrs_;
  };
};

// Outputs of the block's gradient.
enum Out { kXGrad, kCsPrevGrad, kHPrevGrad, kWGrad, kWciGrad, kWcfGrad, kWcoGrad, kBGrad, kOutputs };

template <class Cells>
class BackwardSteps {
 public:
  BackwardSteps(KernelSetup& setup, Layout layout) : cells_(setup), layout_(layout), attrs_(setup) {}

  Status Run(OpContext& ctx, const Sizes& s, const Tensor* in, const std::array<float*, kOutputs>& out) {
    const std::array<int64_t, 2> gate_dims{s.rows(), 4 * s.cells};
    DF_ASSIGN(const Shape gates_shape, Shape::Create(gate_dims));
    DF_ASSIGN(Tensor gates, ctx.AllocateTemp(DType::kFloat, gates_shape));
    const Backward form = attrs_.Form(layout_, in);
    DF_TRY(RunSteps(ctx, s, form, in, gates.data<float>(), out));
    DF_TRY(Products(ctx, s, in, gates.data<float>(), out));
    DF_TRY(Cells::SumColumns(ctx, ColumnSums{s.rows(), 4 * s.cells, gates.data<float>(), 4 * s.cells}, out[kBGrad]));
    return SumPeepholes<Cells>(ctx, s, form, gates.data<float>(), in, out[kWciGrad], out[kWcfGrad], out[kWcoGrad]);
  }

 private:
  // The gradients of all gates, and of the states before the first step.
  Status RunSteps(OpContext& ctx, const Sizes& s, const Backward& form, const Tensor* in, float* gates,
                  const std::array<float*, kOutputs>& out) {
    const int64_t size = s.batch * s.cells;
    DF_TRY(Cells::Zero(ctx, out[kCsPrevGrad], size));
    DF_TRY(Cells::Zero(ctx, out[kHPrevGrad], size));
    for (int64_t t = s.steps - 1; t >= 0; --t) {
      const int64_t at = t * size;
      const bool is_last = t == s.steps - 1;
      const float* cs_prev = t == 0 ? in[kCsPrev].data<float>() : in[kCs].data<float>() + at - size;
      const Gradients gradients{in[kH + 1].data<float>() + at,
                                is_last ? nullptr : out[kCsPrevGrad],
                                in[kH + 2].data<float>() + at,
                                is_last ? nullptr : out[kHPrevGrad],
                                gates + 4 * at,
                                out[kCsPrevGrad]};
      DF_TRY(StepBack<Cells>(ctx, s, form, StatesAt(in, at), cs_prev, gradients));
      DF_TRY(cells_.Multiply(ctx, {s.batch, 4 * s.cells, s.cells, false, true}, gates + 4 * at,
                             in[kW].data<float>() + s.inputs * 4 * s.cells, out[kHPrevGrad]));
    }
    return Status();
  }

  Status Products(OpContext& ctx, const Sizes& s, const Tensor* in, const float* gates,
                  const std::array<float*, kOutputs>& out) {
    DF_TRY(
        cells_.Multiply(ctx, {s.rows(), 4 * s.cells, s.inputs, false, true}, gates, in[kW].data<float>(), out[kXGrad]));
    const int64_t computed = s.rows() * s.inputs;
    DF_TRY(Cells::Zero(ctx, out[kXGrad] + computed, in[kX].num_elements() - computed));
    DF_TRY(
        cells_.Multiply(ctx, {s.inputs, s.rows(), 4 * s.cells, true, false}, in[kX].data<float>(), gates, out[kWGrad]));
    // The states before each step.
    DF_ASSIGN(Tensor h_before, ctx.AllocateTemp(DType::kFloat, Shape({s.rows(), s.cells})));
    const int64_t size = s.batch * s.cells;
    if (s.steps > 0) DF_TRY(Cells::Copy(ctx, in[kHPrev].data<float>(), h_before.data<float>(), size));
    if (s.steps > 1) {
      DF_TRY(Cells::Copy(ctx, in[kH].data<float>(), h_before.data<float>() + size, (s.steps - 1) * size));
    }
    return cells_.Multiply(ctx, {s.cells, s.rows(), 4 * s.cells, true, false}, h_before.data<float>(), gates,
                           out[kWGrad] + s.inputs * 4 * s.cells);
  }

  Cells cells_;
  const Layout layout_;
  const BackwardAttrs attrs_;
};

template <class Cells, int64_t kCellGate>
struct BlockGrad {
  template <class T>
  class Kernel : public SteppedKernel {
   public:
    explicit Kernel(KernelSetup& setup) : backward_(setup, kCellGate == kCellFirst.cell ? kCellFirst : kForgetFirst) {}

    Status Compute(OpContext& ctx) {
      DF_ASSIGN(const Sizes sizes, CheckInputs(ctx, 1, true, true));
      DF_ASSIGN(const Shape state, StateShape(sizes, true));
      std::array<Tensor, kMaxInputs> in;
      for (int i = 0; i < kMaxInputs; ++i) {
        if (i >= kI) DF_TRY(CheckShape(ctx, 1 + i, state));
        DF_ASSIGN(in[i], Cells::template FloatInput<T>(ctx, 1 + i));
      }
      typename Cells::template Outputs<T, kOutputs> outputs(ctx);
      std::array<float*, kOutputs> out;
      for (int i = 0; i < kOutputs; ++i) {
        DF_ASSIGN(out[i], outputs.Add(i, ctx.input(1 + i).shape()));
      }
      DF_TRY(backward_.Run(ctx, sizes, in.data(), out));
      return outputs.Finish();
    }

   private:
    BackwardSteps<Cells> backward_;
  };
};

}  // namespace dfrun::lstm

#endif  // DFRUN_KERNELS_NN_RNN_LSTM_GRAD_KERNEL_H_
