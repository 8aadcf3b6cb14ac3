// Gradients of LSTM cells. Over time only the chain of states is step by step: the products with inputs and for the
// weights are made of all steps at once.
#include <algorithm>
#include <array>

#include "kernels/device/cpu_kernel.h"
#include "kernels/nn/cell_products.h"
#include "kernels/nn/column_sums.h"
#include "kernels/nn/float_io.h"
#include "kernels/nn/lstm_sizes.h"

namespace dfrun {
namespace {

// Inputs by their index after seq_len_max. The cell's gradient has no h.
enum In { kX, kCsPrev, kHPrev, kW, kWci, kWcf, kWco, kB, kI, kCs, kF, kO, kCi, kCo, kH, kMostInputs = 17 };

lstm::Peepholes PeepholesOf(bool used, const Tensor* in) {
  if (!used) return {};
  return {in[kWci].data<float>(), in[kWcf].data<float>(), in[kWco].data<float>()};
}

lstm::ConstStates StatesAt(const Tensor* in, int64_t at) {
  const auto state = [&](In i) { return in[i].data<float>() + at; };
  return {state(kI), state(kCs), state(kF), state(kO), state(kCi), state(kCo)};
}

// Gradients of the peepholes by those of the gates of all rows; zeros where the cell has none.
struct PeepholeSums {
  lstm::Layout layout;
  bool used;

  void Run(ThreadPool& pool, const lstm::Sizes& s, const float* gates, const Tensor* in, float* wci, float* wcf,
           float* wco) const {
    if (!used) {
      for (float* sums : {wci, wcf, wco}) std::fill_n(sums, s.cells, 0.0F);
      return;
    }
    const StackedRows before{in[kCsPrev].data<float>(), s.batch, in[kCs].data<float>()};
    const auto before_row = [&](int64_t r) { return before.Row(r, s.cells); };
    const auto row = [&](int64_t r) { return in[kCs].data<float>() + r * s.cells; };
    const auto sums = [&](int64_t gate) { return ColumnSums{s.rows(), s.cells, gates + gate * s.cells, 4 * s.cells}; };
    sums(0).AddProducts(pool, before_row, wci);
    sums(layout.forget).AddProducts(pool, before_row, wcf);
    sums(lstm::kOutputGate).AddProducts(pool, row, wco);
  }
};

struct CellGrad {
  template <class T>
  class Kernel : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup& setup) : use_peephole_(setup.attr<bool>("use_peephole")) {}

    Status Compute(OpContext& ctx) {
      DF_ASSIGN(const lstm::Sizes s, lstm::CheckInputs(ctx, 0, false, use_peephole_));
      const Shape state({s.batch, s.cells});
      std::array<Tensor, 16> in;
      for (int i = 0; i < 16; ++i) {
        if (i >= kI) DF_TRY(lstm::CheckShape(ctx, i, state));
        DF_ASSIGN(in[i], FloatInput<T>(ctx, i));
      }
      FloatOutputs<T, 5> outputs(ctx);
      DF_ASSIGN(float* const cs_prev_grad, outputs.Add(0, state));
      const std::array<int64_t, 2> gate_dims{s.batch, 4 * s.cells};
      DF_ASSIGN(const Shape gates_shape, Shape::Create(gate_dims));
      DF_ASSIGN(float* const gates, outputs.Add(1, gates_shape));
      std::array<float*, 3> sums;
      for (int i = 0; i < 3; ++i) {
        DF_ASSIGN(sums[i], outputs.Add(2 + i, Shape({s.cells})));
      }
      const lstm::Backward step{lstm::kCellFirst, PeepholesOf(use_peephole_, in.data())};
      step.Run(ctx.pool(), s.step(), StatesAt(in.data(), 0), in[kCsPrev].data<float>(), in[kCo + 1].data<float>(),
               nullptr, in[kCo + 2].data<float>(), nullptr, gates, cs_prev_grad);
      const PeepholeSums peepholes{lstm::kCellFirst, use_peephole_};
      peepholes.Run(ctx.pool(), s, gates, in.data(), sums[0], sums[1], sums[2]);
      outputs.Finish();
      return Status();
    }

   private:
    const bool use_peephole_;
  };
};

// Outputs of the block's gradient.
enum Out { kXGrad, kCsPrevGrad, kHPrevGrad, kWGrad, kWciGrad, kWcfGrad, kWcoGrad, kBGrad, kOutputs };

class BlockBackward {
 public:
  BlockBackward(KernelSetup& setup, lstm::Layout layout)
      : layout_(layout), use_peephole_(setup.attr<bool>("use_peephole")) {}

  Status Run(OpContext& ctx, const lstm::Sizes& s, const Tensor* in, const std::array<float*, kOutputs>& out) {
    const std::array<int64_t, 2> gate_dims{s.rows(), 4 * s.cells};
    DF_ASSIGN(const Shape gates_shape, Shape::Create(gate_dims));
    DF_ASSIGN(Tensor gates, ctx.AllocateTemp(DType::kFloat, gates_shape));
    DF_TRY(RunSteps(ctx, s, in, gates.data<float>(), out));
    DF_TRY(Products(ctx, s, in, gates.data<float>(), out));
    ColumnSums{s.rows(), 4 * s.cells, gates.data<float>(), 4 * s.cells}.Add(ctx.pool(), out[kBGrad]);
    const PeepholeSums peepholes{layout_, use_peephole_};
    peepholes.Run(ctx.pool(), s, gates.data<float>(), in, out[kWciGrad], out[kWcfGrad], out[kWcoGrad]);
    return Status();
  }

 private:
  // The gradients of all gates, and of the states before the first step.
  Status RunSteps(OpContext& ctx, const lstm::Sizes& s, const Tensor* in, float* gates,
                  const std::array<float*, kOutputs>& out) {
    const int64_t size = s.batch * s.cells;
    const lstm::Backward step{layout_, PeepholesOf(use_peephole_, in)};
    std::fill_n(out[kCsPrevGrad], size, 0.0F);
    std::fill_n(out[kHPrevGrad], size, 0.0F);
    for (int64_t t = s.steps - 1; t >= 0; --t) {
      const int64_t at = t * size;
      const bool is_last = t == s.steps - 1;
      const float* cs_prev = t == 0 ? in[kCsPrev].data<float>() : in[kCs].data<float>() + at - size;
      step.Run(ctx.pool(), s.step(), StatesAt(in, at), cs_prev, in[kH + 1].data<float>() + at,
               is_last ? nullptr : out[kCsPrevGrad], in[kH + 2].data<float>() + at, is_last ? nullptr : out[kHPrevGrad],
               gates + 4 * at, out[kCsPrevGrad]);
      DF_TRY(MultiplyOfCell(ctx, {s.batch, 4 * s.cells, s.cells, false, true}, gates + 4 * at,
                            in[kW].data<float>() + s.inputs * 4 * s.cells, out[kHPrevGrad]));
    }
    return Status();
  }

  Status Products(OpContext& ctx, const lstm::Sizes& s, const Tensor* in, const float* gates,
                  const std::array<float*, kOutputs>& out) {
    DF_TRY(
        MultiplyOfCell(ctx, {s.rows(), 4 * s.cells, s.inputs, false, true}, gates, in[kW].data<float>(), out[kXGrad]));
    std::fill(out[kXGrad] + s.rows() * s.inputs, out[kXGrad] + in[kX].num_elements(), 0.0F);
    DF_TRY(
        MultiplyOfCell(ctx, {s.inputs, s.rows(), 4 * s.cells, true, false}, in[kX].data<float>(), gates, out[kWGrad]));
    DF_ASSIGN(Tensor h_before, ctx.AllocateTemp(DType::kFloat, Shape({s.rows(), s.cells})));
    const StackedRows before{in[kHPrev].data<float>(), s.batch, in[kH].data<float>()};
    for (int64_t r = 0; r < s.rows(); ++r) {
      std::copy_n(before.Row(r, s.cells), s.cells, h_before.data<float>() + r * s.cells);
    }
    return MultiplyOfCell(ctx, {s.cells, s.rows(), 4 * s.cells, true, false}, h_before.data<float>(), gates,
                          out[kWGrad] + s.inputs * 4 * s.cells);
  }

  const lstm::Layout layout_;
  const bool use_peephole_;
};

template <int64_t kCellGate>
struct BlockGrad {
  template <class T>
  class Kernel : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup& setup)
        : backward_(setup, kCellGate == lstm::kCellFirst.cell ? lstm::kCellFirst : lstm::kForgetFirst) {}
    bool IsExpensive() const override { return true; }

    Status Compute(OpContext& ctx) {
      DF_ASSIGN(const lstm::Sizes sizes, lstm::CheckInputs(ctx, 1, true, true));
      DF_ASSIGN(const Shape state, lstm::StateShape(sizes, true));
      std::array<Tensor, kMostInputs> in;
      for (int i = 0; i < kMostInputs; ++i) {
        if (i >= kI) DF_TRY(lstm::CheckShape(ctx, 1 + i, state));
        DF_ASSIGN(in[i], FloatInput<T>(ctx, 1 + i));
      }
      FloatOutputs<T, kOutputs> outputs(ctx);
      std::array<float*, kOutputs> out;
      for (int i = 0; i < kOutputs; ++i) {
        DF_ASSIGN(out[i], outputs.Add(i, ctx.input(1 + i).shape()));
      }
      DF_TRY(backward_.Run(ctx, sizes, in.data(), out));
      outputs.Finish();
      return Status();
    }

   private:
    BlockBackward backward_;
  };
};

CPU_KERNEL("LSTMBlockCellGrad", CellGrad, float16, float);
CPU_KERNEL("BlockLSTMGrad", BlockGrad<lstm::kCellFirst.cell>, float16, float);
CPU_KERNEL("BlockLSTMGradV2", BlockGrad<lstm::kForgetFirst.cell>, float16, float);

}  // namespace
}  // namespace dfrun
