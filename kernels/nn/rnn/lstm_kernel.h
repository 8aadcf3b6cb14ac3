// Forward kernels of LSTM cells, on any device: one step, and a block of steps whose inputs are multiplied all at once.
// `Cells` is the device's engine (cells_cpu.h).
#ifndef DFRUN_KERNELS_NN_RNN_LSTM_KERNEL_H_
#define DFRUN_KERNELS_NN_RNN_LSTM_KERNEL_H_

#include <algorithm>
#include <array>

#include "kernels/gemm/gemm.h"
#include "kernels/nn/rnn/lstm_sizes.h"

namespace dfrun::lstm {

inline constexpr int kStates = 7;

// Computes the states of all steps in float.
template <class Cells>
class ForwardSteps {
 public:
  ForwardSteps(KernelSetup& setup, Layout layout)
      : cells_(setup),
        layout_(layout),
        forget_bias_(setup.attrs().Has("forget_bias") ? setup.attr<float>("forget_bias") : 0.0F),
        cell_clip_(setup.attr<float>("cell_clip")),
        use_peephole_(setup.attr<bool>("use_peephole")) {}

  bool use_peephole() const { return use_peephole_; }

  // in: x, cs_prev, h_prev, w, wci, wcf, wco, b; states: i, cs, f, o, ci, co, h.
  Status Run(OpContext& ctx, const Sizes& s, const std::array<Tensor, 8>& in,
             const std::array<float*, kStates>& states) {
    const std::array<int64_t, 2> gates{std::max<int64_t>(s.rows(), s.batch), 4 * s.cells};
    DF_ASSIGN(const Shape all_gates, Shape::Create(gates));
    DF_ASSIGN(Tensor from_x, ctx.AllocateTemp(DType::kFloat, all_gates));
    DF_ASSIGN(Tensor from_h, ctx.AllocateTemp(DType::kFloat, Shape({s.batch, 4 * s.cells})));
    const float* w = in[3].data<float>();
    DF_TRY(cells_.Multiply(ctx, {s.rows(), s.inputs, 4 * s.cells}, in[0].data<float>(), w, from_x.data<float>()));
    const Forward form = FormOf(in);
    const int64_t size = s.batch * s.cells;
    const float* cs_prev = in[1].data<float>();
    const float* h_prev = in[2].data<float>();
    for (int64_t t = 0; t < s.steps; ++t) {
      DF_TRY(cells_.Multiply(ctx, {s.batch, s.cells, 4 * s.cells}, h_prev, w + s.inputs * 4 * s.cells,
                             from_h.data<float>()));
      const int64_t at = t * size;
      const States now{states[0] + at, states[1] + at, states[2] + at, states[3] + at,
                       states[4] + at, states[5] + at, states[6] + at};
      const float* const of_step = from_x.data<float>() + 4 * at;
      DF_TRY(use_peephole_ ? Step<true>(ctx, s, form, of_step, from_h.data<float>(), cs_prev, now)
                           : Step<false>(ctx, s, form, of_step, from_h.data<float>(), cs_prev, now));
      cs_prev = now.cs;
      h_prev = now.h;
    }
    return Status();
  }

 private:
  Forward FormOf(const std::array<Tensor, 8>& in) const {
    Peepholes peepholes{};
    if (use_peephole_) peepholes = {in[4].data<float>(), in[5].data<float>(), in[6].data<float>()};
    return {layout_, peepholes, forget_bias_, cell_clip_, in[7].data<float>()};
  }

  template <bool kPeepholes>
  static Status Step(OpContext& ctx, const Sizes& s, const Forward& form, const float* from_x, const float* from_h,
                     const float* cs_prev, const States& now) {
    return Cells::ForElements(ctx, s.batch, s.cells,
                              ForwardElement<kPeepholes>{form, s.cells, from_x, from_h, cs_prev, now});
  }

  Cells cells_;
  const Layout layout_;
  const float forget_bias_;
  const float cell_clip_;
  const bool use_peephole_;
};

// kOverTime: x has a time, and an input before it gives the number of steps; the states after them are zeros.
template <class Cells, bool kOverTime, int64_t kCellGate>
struct Lstm {
  template <class T>
  class Kernel : public SteppedKernel {
   public:
    explicit Kernel(KernelSetup& setup) : forward_(setup, kCellGate == kCellFirst.cell ? kCellFirst : kForgetFirst) {}

    Status Compute(OpContext& ctx) {
      constexpr int kFirst = kOverTime ? 1 : 0;
      DF_ASSIGN(const Sizes sizes, CheckInputs(ctx, kFirst, kOverTime, forward_.use_peephole()));
      DF_ASSIGN(const Shape shape, StateShape(sizes, kOverTime));
      std::array<Tensor, 8> in;
      for (int i = 0; i < 8; ++i) {
        DF_ASSIGN(in[i], Cells::template FloatInput<T>(ctx, kFirst + i));
      }
      typename Cells::template Outputs<T, kStates> outputs(ctx);
      std::array<float*, kStates> states;
      const int64_t computed = sizes.rows() * sizes.cells;
      for (int i = 0; i < kStates; ++i) {
        DF_ASSIGN(states[i], outputs.Add(i, shape));
        DF_TRY(Cells::Zero(ctx, states[i] + computed, shape.num_elements() - computed));
      }
      DF_TRY(forward_.Run(ctx, sizes, in, states));
      return outputs.Finish();
    }

   private:
    ForwardSteps<Cells> forward_;
  };
};

template <class Cells>
using Cell = Lstm<Cells, false, kCellFirst.cell>;
template <class Cells>
using Block = Lstm<Cells, true, kCellFirst.cell>;
template <class Cells>
using BlockV2 = Lstm<Cells, true, kForgetFirst.cell>;

}  // namespace dfrun::lstm

#endif  // DFRUN_KERNELS_NN_RNN_LSTM_KERNEL_H_
