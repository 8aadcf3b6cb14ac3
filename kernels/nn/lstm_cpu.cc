// LSTM cells forward: one step, and a block of steps whose inputs are multiplied all at once.
#include <algorithm>
#include <array>

#include "kernels/device/cpu_kernel.h"
#include "kernels/nn/cell_products.h"
#include "kernels/nn/float_io.h"
#include "kernels/nn/lstm_sizes.h"

namespace dfrun {
namespace {

constexpr int kStates = 7;

// What computes the states of all steps in float.
class LstmForward {
 public:
  LstmForward(KernelSetup& setup, lstm::Layout layout)
      : layout_(layout),
        forget_bias_(setup.attrs().Has("forget_bias") ? setup.attr<float>("forget_bias") : 0.0F),
        cell_clip_(setup.attr<float>("cell_clip")),
        use_peephole_(setup.attr<bool>("use_peephole")) {}

  bool use_peephole() const { return use_peephole_; }

  // in: x, cs_prev, h_prev, w, wci, wcf, wco, b; states: i, cs, f, o, ci, co, h.
  Status Run(OpContext& ctx, const lstm::Sizes& s, const std::array<Tensor, 8>& in,
             const std::array<float*, kStates>& states) {
    const std::array<int64_t, 2> gates{std::max<int64_t>(s.rows(), s.batch), 4 * s.cells};
    DF_ASSIGN(const Shape all_gates, Shape::Create(gates));
    DF_ASSIGN(Tensor from_x, ctx.AllocateTemp(DType::kFloat, all_gates));
    DF_ASSIGN(Tensor from_h, ctx.AllocateTemp(DType::kFloat, Shape({s.batch, 4 * s.cells})));
    const float* w = in[3].data<float>();
    DF_TRY(MultiplyOfCell(ctx, {s.rows(), s.inputs, 4 * s.cells}, in[0].data<float>(), w, from_x.data<float>()));
    const lstm::Forward step = StepOf(in);
    const int64_t size = s.batch * s.cells;
    const float* cs_prev = in[1].data<float>();
    const float* h_prev = in[2].data<float>();
    for (int64_t t = 0; t < s.steps; ++t) {
      DF_TRY(MultiplyOfCell(ctx, {s.batch, s.cells, 4 * s.cells}, h_prev, w + s.inputs * 4 * s.cells,
                            from_h.data<float>()));
      const int64_t at = t * size;
      const lstm::States now{states[0] + at, states[1] + at, states[2] + at, states[3] + at,
                             states[4] + at, states[5] + at, states[6] + at};
      step.Run(ctx.pool(), s.step(), from_x.data<float>() + 4 * at, from_h.data<float>(), cs_prev, now);
      cs_prev = now.cs;
      h_prev = now.h;
    }
    return Status();
  }

 private:
  lstm::Forward StepOf(const std::array<Tensor, 8>& in) const {
    lstm::Peepholes peepholes{};
    if (use_peephole_) peepholes = {in[4].data<float>(), in[5].data<float>(), in[6].data<float>()};
    return {layout_, peepholes, forget_bias_, cell_clip_, in[7].data<float>()};
  }

  const lstm::Layout layout_;
  const float forget_bias_;
  const float cell_clip_;
  const bool use_peephole_;
};

// kOverTime: x has a time, and an input before it gives the number of steps; the states after them are zeros.
template <bool kOverTime, int64_t kCellGate>
struct Lstm {
  template <class T>
  class Kernel : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup& setup)
        : forward_(setup, kCellGate == lstm::kCellFirst.cell ? lstm::kCellFirst : lstm::kForgetFirst) {}
    bool IsExpensive() const override { return true; }

    Status Compute(OpContext& ctx) {
      constexpr int kFirst = kOverTime ? 1 : 0;
      DF_ASSIGN(const lstm::Sizes sizes, lstm::CheckInputs(ctx, kFirst, kOverTime, forward_.use_peephole()));
      DF_ASSIGN(const Shape shape, lstm::StateShape(sizes, kOverTime));
      std::array<Tensor, 8> in;
      for (int i = 0; i < 8; ++i) {
        DF_ASSIGN(in[i], FloatInput<T>(ctx, kFirst + i));
      }
      FloatOutputs<T, kStates> outputs(ctx);
      std::array<float*, kStates> states;
      const int64_t computed = sizes.rows() * sizes.cells;
      for (int i = 0; i < kStates; ++i) {
        DF_ASSIGN(states[i], outputs.Add(i, shape));
        std::fill(states[i] + computed, states[i] + shape.num_elements(), 0.0F);
      }
      DF_TRY(forward_.Run(ctx, sizes, in, states));
      outputs.Finish();
      return Status();
    }

   private:
    LstmForward forward_;
  };
};

using LstmCell = Lstm<false, lstm::kCellFirst.cell>;
using LstmBlock = Lstm<true, lstm::kCellFirst.cell>;
using LstmBlockV2 = Lstm<true, lstm::kForgetFirst.cell>;
CPU_KERNEL("LSTMBlockCell", LstmCell, float16, float);
CPU_KERNEL("BlockLSTM", LstmBlock, float16, float);
CPU_KERNEL("BlockLSTMV2", LstmBlockV2, float16, float);

}  // namespace
}  // namespace dfrun
