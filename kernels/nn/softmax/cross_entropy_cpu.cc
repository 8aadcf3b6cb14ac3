#include "kernels/device/cpu_kernel.h"
#include "kernels/nn/softmax/cross_entropy.h"
#include "kernels/nn/softmax/softmax_stream.h"
#include "src/framework/kernel/kernel_of.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

template <class C>
C LossOf(const C* logits, const C* wanted, int64_t columns, C largest, C sum) {
  const C log_sum = std::log(sum);
  return softmax::SumOf<C>(columns, [&](int64_t j) {
    const C part = wanted[j] * (log_sum - (logits[j] - largest));  // computed for all, so that the loop vectorises
    return wanted[j] == C(0) ? C(0) : part;
  });
}

// Rows of a block: loss = sum(labels * (log(sum(exp(x))) - x)), backprop = softmax(x) - labels. A label of 0 adds
// nothing, though its logit be -infinity.
template <class C>
struct CrossEntropyOp {
  const C* labels;
  int64_t columns;
  C* loss;

  C EndRow(int64_t row, const softmax::RowEnd<C>& end) const {
    const C largest = softmax::RowMax(end.x, columns);
    loss[row] = LossOf(end.x, labels + row * columns, columns, largest, end.SumOfShifted());
    return C(1) / end.sum;
  }
  C Result(C exponential, C term, int64_t at) const { return exponential * term - labels[at]; }
};

// `from`, of at most two dimensions, repeated along sides that it lacks or that are of size 1 to the matrix `shape`.
template <class T>
Result<Tensor> Spread(const Tensor& from, const Shape& shape, OpContext& ctx) {
  if (from.shape() == shape) return from;
  DF_ASSIGN(Tensor spread, ctx.AllocateTemp(DTypeOf<T>, shape));
  const int rank = from.shape().rank();
  const int64_t columns = rank == 0 ? 1 : from.shape()[rank - 1];
  const int64_t row_step = rank < 2 || from.shape()[0] == 1 ? 0 : columns;
  const int64_t column_step = columns == 1 ? 0 : 1;
  for (int64_t r = 0; r < shape[0]; ++r) {
    for (int64_t j = 0; j < shape[1]; ++j) {
      spread.data<T>()[r * shape[1] + j] = from.data<T>()[r * row_step + j * column_step];
    }
  }
  return spread;
}

template <class T>
class CrossEntropyKernel final : public Kernel {
 public:
  explicit CrossEntropyKernel(KernelSetup&) {}

  Status Compute(OpContext& ctx) {
    const Tensor& logits = ctx.input(0);
    const Tensor& labels = ctx.input(1);
    DF_ASSIGN(const Shape shape, ShapeOfCrossEntropy(logits.shape(), labels.shape()));
    Tensor* loss = nullptr;
    Tensor* backprop = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape({shape[0]}), &loss));
    DF_TRY(ctx.AllocateOutput(1, shape, &backprop));
    if (shape[1] == 0) std::fill_n(loss->data<T>(), shape[0], T(0));
    if (shape.num_elements() == 0) return Status();
    DF_ASSIGN(const Tensor x, Spread<T>(logits, shape, ctx));
    DF_ASSIGN(const Tensor wanted, Spread<T>(labels, shape, ctx));
    const auto op_at = [&](const C* labels_of_row, C* losses) {
      return CrossEntropyOp<C>{labels_of_row, shape[1], losses};
    };
    RunRows(op_at, x.data<T>(), wanted.data<T>(), shape, loss->data<T>(), backprop->data<T>(), ctx.pool());
    return Status();
  }

 private:
  using C = ComputeType<T>;

  // op_at(labels, where losses go) of rows.
  template <class OpAt>
  static void RunRows(OpAt&& op_at, const T* x, const T* wanted, const Shape& shape, T* loss, T* backprop,
                      ThreadPool& pool) {
    const int64_t columns = shape[1];
    if constexpr (std::is_same_v<T, float>) {
      using Streamed = softmax::StreamedRows<decltype(op_at(wanted, loss))>;
      if (Streamed::Takes(x, backprop, shape[0], columns))
        return Streamed::Run(op_at(wanted, loss), x, backprop, shape[0], columns, pool);
    }
    pool.ParallelFor(shape[0], softmax::RowsInBlock(columns), [&](int64_t begin, int64_t end) {
      const int64_t count = (end - begin) * columns;
      const softmax::Widened<T> logits(x + begin * columns, count);
      const softmax::Widened<T> labels(wanted + begin * columns, count);
      softmax::Narrowed<T> losses(loss + begin, end - begin);
      softmax::Narrowed<T> gradients(backprop + begin * columns, count);
      softmax::MakeRows(op_at(labels.data(), losses.data()), logits.data(), gradients.data(), end - begin, columns);
    });
  }
};

CPU_KERNEL("SoftmaxCrossEntropyWithLogits", KernelOf<CrossEntropyKernel>, DF_FLOATS);

}  // namespace
}  // namespace dfrun
