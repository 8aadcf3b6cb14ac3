// Softmax over the last dimension, and the losses of a classifier, on GPUs. A block of threads takes a long row, a
// thread a short one; the formulas are those of CPUs.
#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/math/functions/elementary.h"
#include "kernels/math/functions/functors.h"
#include "kernels/nn/larger_score.h"
#include "kernels/nn/softmax/cross_entropy.h"
#include "src/framework/kernel/kernel_of.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// Rows up to this length are a thread's.
constexpr int64_t kThreadColumns = 32;

// The columns of a row that belong to a thread, and the combination of the row's threads' results.
template <bool kByBlock>
struct RowPart {
  static DF_DEVICE_FUNCTION int64_t Row() { return kByBlock ? cuda::GlobalBlockId() : cuda::GlobalThreadId(); }
  static DF_DEVICE_FUNCTION int64_t First() { return kByBlock ? cuda::ThreadInBlock() : 0; }
  static constexpr int64_t kStep = kByBlock ? cuda::kBlockThreads : 1;
  template <class C, class Combine>
  static DF_DEVICE_FUNCTION C Together(C mine, Combine combine) {
    if constexpr (kByBlock) {
      return cuda::BlockReduce(mine, combine);
    } else {
      return mine;
    }
  }
};

// A row of logits, which may repeat one element (step 0).
template <class T, bool kByBlock>
struct LogitRow {
  using C = ComputeType<T>;
  using Part = RowPart<kByBlock>;
  const T* x;
  int64_t step;
  int64_t columns;

  DF_DEVICE_FUNCTION C At(int64_t j) const { return static_cast<C>(x[j * step]); }
  DF_DEVICE_FUNCTION C Largest() const {
    C mine = At(0);
    for (int64_t j = Part::First(); j < columns; j += Part::kStep) mine = LargerScore()(mine, At(j));
    return Part::Together(mine, LargerScore());
  }
  DF_DEVICE_FUNCTION C SumOfExponentials(C largest) const {
    C mine = 0;
    for (int64_t j = Part::First(); j < columns; j += Part::kStep) mine += fn::Exp()(At(j) - largest);
    return Part::Together(mine, fn::Add());
  }
};

template <class T, bool kLog, bool kByBlock>
DF_DEVICE_KERNEL void SoftmaxRows(const T* x, T* y, int64_t rows, int64_t columns) {
  using C = ComputeType<T>;
  using Part = RowPart<kByBlock>;
  const int64_t row = Part::Row();
  if (row >= rows) return;
  const LogitRow<T, kByBlock> logits = {x + row * columns, 1, columns};
  const C largest = logits.Largest();
  const C sum = logits.SumOfExponentials(largest);
  const C term = kLog ? fn::Log()(sum) : C(1) / sum;
  for (int64_t j = Part::First(); j < columns; j += Part::kStep) {
    const C shifted = logits.At(j) - largest;
    y[row * columns + j] = static_cast<T>(kLog ? shifted - term : fn::Exp()(shifted) * term);
  }
}

// A matrix, of which rows or columns may be one that repeats.
template <class T>
struct BroadcastView {
  const T* data;
  int64_t row_step;
  int64_t column_step;

  static BroadcastView Of(const Tensor& from) {
    const int rank = from.shape().rank();
    const int64_t columns = rank == 0 ? 1 : from.shape()[rank - 1];
    return {from.data<T>(), rank < 2 || from.shape()[0] == 1 ? 0 : columns, columns == 1 ? 0 : 1};
  }
};

// loss = sum(labels * (log(sum(exp(x))) - x)), backprop = softmax(x) - labels. A label of 0 adds nothing, though its
// logit be -infinity.
template <class T, bool kByBlock>
DF_DEVICE_KERNEL void CrossEntropyRows(BroadcastView<T> x, BroadcastView<T> labels, T* loss, T* backprop, int64_t rows,
                                       int64_t columns) {
  using C = ComputeType<T>;
  using Part = RowPart<kByBlock>;
  const int64_t row = Part::Row();
  if (row >= rows) return;
  const LogitRow<T, kByBlock> logits = {x.data + row * x.row_step, x.column_step, columns};
  const T* const wanted = labels.data + row * labels.row_step;
  const C largest = logits.Largest();
  const C sum = logits.SumOfExponentials(largest);
  const C log_sum = fn::Log()(sum);
  C mine = 0;
  for (int64_t j = Part::First(); j < columns; j += Part::kStep) {
    const C label = static_cast<C>(wanted[j * labels.column_step]);
    const C shifted = logits.At(j) - largest;
    mine += label == C(0) ? C(0) : label * (log_sum - shifted);
    backprop[row * columns + j] = static_cast<T>(fn::Exp()(shifted) * (C(1) / sum) - label);
  }
  const C all = Part::Together(mine, fn::Add());
  if (Part::First() == 0) loss[row] = static_cast<T>(all);
}

// loss = log(sum(exp(x))) - x[label], backprop = softmax(x), less 1 at the label.
template <class T, class Label, bool kByBlock>
DF_DEVICE_KERNEL void SparseCrossEntropyRows(const T* x, const Label* labels, T* loss, T* backprop, int64_t rows,
                                             int64_t columns, int32_t* error_flag) {
  using C = ComputeType<T>;
  using Part = RowPart<kByBlock>;
  const int64_t row = Part::Row();
  if (row >= rows) return;
  const auto label = static_cast<int64_t>(labels[row]);
  const bool is_class = label >= 0 && label < columns;
  if (!is_class) *error_flag = 1;
  const LogitRow<T, kByBlock> logits = {x + row * columns, 1, columns};
  const C largest = logits.Largest();
  const C sum = logits.SumOfExponentials(largest);
  for (int64_t j = Part::First(); j < columns; j += Part::kStep) {
    C exponential = fn::Exp()(logits.At(j) - largest);
    if (j == label) exponential -= sum;
    backprop[row * columns + j] = static_cast<T>(exponential * (C(1) / sum));
  }
  if (Part::First() == 0) {
    loss[row] = is_class ? static_cast<T>(fn::Log()(sum) - (logits.At(label) - largest)) : T();
  }
}

// Launches one of two kernels that do the same, by the length of rows.
template <class... Params, class... Args>
Status LaunchRows(OpContext& ctx, int64_t rows, int64_t columns, void (*by_block)(Params...),
                  void (*by_thread)(Params...), const Args&... args) {
  if (columns > kThreadColumns) return cuda::LaunchWithBarriers(ctx, rows, by_block, args...);
  return cuda::Launch(ctx, rows, by_thread, args...);
}

template <class T, bool kLog>
class SoftmaxKernel final : public Kernel {
 public:
  explicit SoftmaxKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& logits = ctx.input(0);
    if (logits.shape().rank() == 0) return InvalidArgument("softmax needs logits of rank 1 or more, not a scalar");
    const int64_t columns = logits.shape()[logits.shape().rank() - 1];
    Tensor* output = nullptr;
    DF_TRY(ctx.ForwardOrAllocate(0, 0, logits.shape(), &output));
    if (logits.num_elements() == 0) return Status();
    const int64_t rows = logits.num_elements() / columns;
    return LaunchRows(ctx, rows, columns, &SoftmaxRows<T, kLog, true>, &SoftmaxRows<T, kLog, false>, logits.data<T>(),
                      output->data<T>(), rows, columns);
  }
};

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
    if (shape[1] == 0) return cuda::EnqueueZeros(ctx, loss->raw(), loss->num_bytes());
    return LaunchRows(ctx, shape[0], shape[1], &CrossEntropyRows<T, true>, &CrossEntropyRows<T, false>,
                      BroadcastView<T>::Of(logits), BroadcastView<T>::Of(labels), loss->data<T>(), backprop->data<T>(),
                      shape[0], shape[1]);
  }
};

template <class T>
class SparseCrossEntropyKernel final : public Kernel {
 public:
  explicit SparseCrossEntropyKernel(KernelSetup& setup)
      : error_flag_(setup, "a label is not one of the classes that the logits have") {}
  Status Compute(OpContext& ctx) {
    const Tensor& logits = ctx.input(0);
    const Tensor& labels = ctx.input(1);
    DF_TRY(CheckSparseCrossEntropy(logits.shape(), labels.shape()));
    Tensor* loss = nullptr;
    Tensor* backprop = nullptr;
    DF_TRY(ctx.AllocateOutput(0, labels.shape(), &loss));
    DF_TRY(ctx.AllocateOutput(1, logits.shape(), &backprop));
    const int64_t rows = logits.shape()[0];
    const int64_t columns = logits.shape()[1];
    if (columns == 0)
      return rows == 0 ? Status() : InvalidArgument("labels, but no classes in logits ", logits.shape());
    Status status;
    VisitDType<int32_t, int64_t>(labels.dtype(), [&](auto tag) {
      using Label = typename decltype(tag)::type;
      status = LaunchRows(ctx, rows, columns, &SparseCrossEntropyRows<T, Label, true>,
                          &SparseCrossEntropyRows<T, Label, false>, logits.data<T>(), labels.data<Label>(),
                          loss->data<T>(), backprop->data<T>(), rows, columns, error_flag_.word());
    });
    return status;
  }

 private:
  const cuda::DeviceErrorFlag error_flag_;
};

struct Softmax {
  template <class T>
  using Kernel = SoftmaxKernel<T, false>;
};
struct LogSoftmax {
  template <class T>
  using Kernel = SoftmaxKernel<T, true>;
};

CUDA_KERNEL("Softmax", Softmax, DF_FLOATS);
CUDA_KERNEL("LogSoftmax", LogSoftmax, DF_FLOATS);
CUDA_KERNEL("SoftmaxCrossEntropyWithLogits", KernelOf<CrossEntropyKernel>, DF_FLOATS);
CUDA_KERNEL("SparseSoftmaxCrossEntropyWithLogits", KernelOf<SparseCrossEntropyKernel>, DF_FLOATS);

}  // namespace
}  // namespace dfrun
