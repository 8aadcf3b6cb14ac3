#include "kernels/device/cpu_kernel.h"
#include "kernels/nn/softmax/cross_entropy.h"
#include "kernels/nn/softmax/softmax_stream.h"
#include "src/framework/kernel/kernel_of.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// Rows of a block: loss[r] = log(sum(exp(x))) - x[label], backprop = softmax(x), less 1 at the label.
template <class C, class Label>
struct SparseCrossEntropyOp {
  const Label* labels;
  C* loss;

  C EndRow(int64_t row, const softmax::RowEnd<C>& end) const {
    const Label label = labels[row];
    loss[row] = std::log(end.SumOfShifted()) - (end.x[label] - softmax::RowMax(end.x, end.columns));
    end.exponentials[label] -= end.sum;
    return C(1) / end.sum;
  }
  static C Result(C exponential, C term, int64_t) { return exponential * term; }
};

template <class Label>
Status CheckLabels(const Label* labels, int64_t rows, int64_t columns) {
  for (int64_t r = 0; r < rows; ++r) {
    if (labels[r] < 0 || labels[r] >= columns) {
      return InvalidArgument("labels[", r, "] = ", labels[r], " is not one of the classes [0, ", columns,
                             ") that the logits have");
    }
  }
  return Status();
}

template <class T>
class SparseCrossEntropyKernel final : public Kernel {
 public:
  explicit SparseCrossEntropyKernel(KernelSetup&) {}

  Status Compute(OpContext& ctx) {
    const Tensor& logits = ctx.input(0);
    const Tensor& labels = ctx.input(1);
    DF_TRY(CheckSparseCrossEntropy(logits.shape(), labels.shape()));
    Tensor* loss = nullptr;
    Tensor* backprop = nullptr;
    DF_TRY(ctx.AllocateOutput(0, labels.shape(), &loss));
    DF_TRY(ctx.AllocateOutput(1, logits.shape(), &backprop));
    Status status;
    VisitDType<int32_t, int64_t>(labels.dtype(), [&](auto tag) {
      using Label = typename decltype(tag)::type;
      status = Run(ctx, logits, labels.data<Label>(), loss->data<T>(), backprop->data<T>());
    });
    return status;
  }

 private:
  using C = ComputeType<T>;

  template <class Label>
  static Status Run(OpContext& ctx, const Tensor& logits, const Label* labels, T* loss, T* backprop) {
    DF_TRY(CheckLabels(labels, logits.shape()[0], logits.shape()[1]));
    const auto op_at = [&](int64_t row, C* losses) { return SparseCrossEntropyOp<C, Label>{labels + row, losses}; };
    RunRows(op_at, logits, loss, backprop, ctx.pool());
    return Status();
  }

  // op_at(first row, where its losses go) of rows from there on.
  template <class OpAt>
  static void RunRows(OpAt&& op_at, const Tensor& logits, T* loss, T* backprop, ThreadPool& pool) {
    const int64_t rows = logits.shape()[0];
    const int64_t columns = logits.shape()[1];
    if constexpr (std::is_same_v<T, float>) {
      using Streamed = softmax::StreamedRows<decltype(op_at(0, loss))>;
      if (Streamed::Takes(logits.data<float>(), backprop, rows, columns)) {
        return Streamed::Run(op_at(0, loss), logits.data<float>(), backprop, rows, columns, pool);
      }
    }
    pool.ParallelFor(rows, softmax::RowsInBlock(columns), [&](int64_t begin, int64_t end) {
      const int64_t count = end - begin;
      const softmax::Widened<T> x(logits.data<T>() + begin * columns, count * columns);
      softmax::Narrowed<T> losses(loss + begin, count);
      softmax::Narrowed<T> gradients(backprop + begin * columns, count * columns);
      softmax::MakeRows(op_at(begin, losses.data()), x.data(), gradients.data(), count, columns);
    });
  }
};

CPU_KERNEL("SparseSoftmaxCrossEntropyWithLogits", KernelOf<SparseCrossEntropyKernel>, DF_FLOATS);

}  // namespace
}  // namespace dfrun
