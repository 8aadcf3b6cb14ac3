#include "kernels/math/elementwise.h"
#include "kernels/nn/softmax.h"
#include "src/framework/kernel.h"

namespace dfrun {
namespace {

// A few rows. `x` and `y` may be the same.
template <class C>
void SoftmaxRows(const C* x, C* y, int64_t rows, int64_t columns) {
  C largest[softmax::kMaxRows];
  C sums[softmax::kMaxRows];
  softmax::ExpRows(x, y, rows, columns, largest, sums);
  for (int64_t r = 0; r < rows; ++r) softmax::ScaleRow(y + r * columns, columns, C(1) / sums[r]);
}

// Rows whose exponentials wait in the cache for their sum.
constexpr int64_t kMaxStreamedRow = 4096;

// Whether the rows of y are to be written around the caches: large, and in whole lines.
bool Streams(const float* x, const float* y, int64_t elements, int64_t columns) {
  return x != y && static_cast<size_t>(elements) * sizeof(float) >= kStreamBytes && columns >= softmax::kLongRow &&
         columns <= kMaxStreamedRow && columns % 16 == 0 && IsLineAligned(y);
}

void StreamSoftmaxRows(const float* x, float* y, int64_t rows, int64_t columns) {
  alignas(64) float exps[kMaxStreamedRow];
  for (int64_t r = 0; r < rows; ++r, x += columns, y += columns) {
    float largest = 0;
    const float factor = 1.0F / softmax::ExpRow(x, exps, columns, &largest);
    for (int64_t j = 0; j < columns; j += 16) {
      alignas(64) float line[16];
      for (int64_t l = 0; l < 16; ++l) line[l] = exps[j + l] * factor;
      StreamLine(y + j, line);
    }
  }
  StreamFence();
}

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
    if constexpr (std::is_same_v<T, float> && !kLog) {
      const float* const x = logits.data<float>();
      float* const y = output->data<float>();
      if (Streams(x, y, logits.num_elements(), columns)) {
        ctx.pool().ParallelFor(rows, softmax::RowsInBlock(columns), [&](int64_t begin, int64_t end) {
          StreamSoftmaxRows(x + begin * columns, y + begin * columns, end - begin, columns);
        });
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
    softmax::ForGroups(rows, columns, [&](int64_t first, int64_t count) {
      const auto* in = from.data() + first * columns;
      auto* out = to.data() + first * columns;
      if constexpr (kLog) {
        LogSoftmaxRows(in, out, count, columns);
      } else {
        SoftmaxRows(in, out, count, columns);
      }
    });
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

CPU_KERNEL("Softmax", Softmax, bfloat16, float16, float, double);
CPU_KERNEL("LogSoftmax", LogSoftmax, bfloat16, float16, float, double);

}  // namespace
}  // namespace dfrun
