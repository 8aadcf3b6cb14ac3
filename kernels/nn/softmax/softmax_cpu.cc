#include "kernels/device/cpu_kernel.h"
#include "kernels/nn/softmax/softmax_stream.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

struct SoftmaxOp {
  template <class C>
  static C EndRow(int64_t, const softmax::RowEnd<C>& end) {
    return C(1) / end.sum;
  }
  template <class C>
  static C Result(C exponential, C term, int64_t) {
    return exponential * term;
  }
};

// The op for rows that are not in the caches.
struct StreamedLogSoftmax {
  static float EndRow(int64_t, const softmax::RowEnd<float>& end) {
    const float log_sum = std::log(end.SumOfShifted());
    float largest = 0;
    softmax::Shift(end.x, end.exponentials, 1, end.columns, &largest);
    return log_sum;
  }
  static float Result(float shifted, float log_sum, int64_t) { return shifted - log_sum; }
};

// `x` and `y` may be the same.
template <class C>
void LogSoftmaxRows(const C* x, C* y, int64_t rows, int64_t columns) {
  C largest[softmax::kMaxRows];
  softmax::Shift(x, y, rows, columns, largest);
  C sums[softmax::kMaxRows];
  softmax::SumExponentials(y, rows, columns, sums);
  for (int64_t r = 0; r < rows; ++r) {
    C* row = y + r * columns;
    const C log_sum = std::log(sums[r]);
    for (int64_t j = 0; j < columns; ++j) row[j] -= log_sum;
  }
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
    if constexpr (std::is_same_v<T, float>) {
      using Streamed = softmax::StreamedRows<std::conditional_t<kLog, StreamedLogSoftmax, SoftmaxOp>>;
      const float* const x = logits.data<float>();
      float* const y = output->data<float>();
      if (Streamed::Takes(x, y, rows, columns)) {
        Streamed::Run({}, x, y, rows, columns, ctx.pool());
        return Status();
      }
    }
    ctx.pool().ParallelFor(rows, softmax::RowsInBlock(columns), [&](int64_t begin, int64_t end) {
      RunBlock(logits.data<T>() + begin * columns, output->data<T>() + begin * columns, end - begin, columns);
    });
    return Status();
  }

 private:
  static void RunBlock(const T* x, T* y, int64_t rows, int64_t columns) {
    const softmax::Widened<T> from(x, rows * columns);
    softmax::Narrowed<T> to(y, rows * columns);
    if constexpr (kLog) {
      softmax::ForGroups(rows, columns, [&](int64_t first, int64_t count) {
        LogSoftmaxRows(from.data() + first * columns, to.data() + first * columns, count, columns);
      });
    } else {
      softmax::MakeRows(SoftmaxOp(), from.data(), to.data(), rows, columns);
    }
  }
};

struct Softmax {
  template <class T>
  using Kernel = SoftmaxKernel<T, false>;
};
struct LogSoftmax {
  template <class T>
  using Kernel = SoftmaxKernel<T, true>;
};

CPU_KERNEL("Softmax", Softmax, DF_FLOATS);
CPU_KERNEL("LogSoftmax", LogSoftmax, DF_FLOATS);

}  // namespace
}  // namespace dfrun
