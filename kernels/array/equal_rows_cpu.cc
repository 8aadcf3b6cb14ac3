// Rows of equal keys are added up in the order in which they lie, on any number of threads.
#include <algorithm>
#include <numeric>
#include <vector>

#include "kernels/array/different_slices.h"
#include "src/framework/kernel_of.h"

namespace dfrun {
namespace {

DifferentSlices FindDifferentKeys(const Tensor& keys) {
  const Tensor flat = keys.Reshaped(Shape({keys.num_elements()}));
  return keys.dtype() == DType::kInt64 ? FindDifferent(SlicesOfTensor<uint64_t>(flat, 0))
                                       : FindDifferent(SlicesOfTensor<uint32_t>(flat, 0));
}

// Rows by key, those of one key in their order.
struct RowsByKey {
  explicit RowsByKey(const DifferentSlices& keys) : begin(keys.counts.size() + 1), rows(keys.place_of.size()) {
    std::partial_sum(keys.counts.begin(), keys.counts.end(), begin.begin() + 1);
    std::vector<int64_t> next(begin.begin(), begin.end() - 1);
    for (size_t row = 0; row < rows.size(); ++row) rows[next[keys.place_of[row]]++] = static_cast<int64_t>(row);
  }
  std::vector<int64_t> begin;  // of a key's among `rows`, and the end of all
  std::vector<int64_t> rows;
};

template <class T>
class SumEqualRowsKernel final : public Kernel {
 public:
  explicit SumEqualRowsKernel(KernelSetup& setup) : axis_(setup.attr<int64_t>("axis")) {}
  bool IsExpensive() const override { return true; }

  Status Compute(OpContext& ctx) {
    const Tensor& keys = ctx.input(0);
    const Shape& part = ctx.input(1).shape();
    const int64_t count = ctx.num_inputs() - 1;
    for (int i = 1; i <= count; ++i) {
      const Shape& shape = ctx.input(i).shape();
      if (shape.rank() != 2 || !(shape == part)) {
        return InvalidArgument("rows are added up of matrices of one shape, not of ", part, " and ", shape);
      }
    }
    const int64_t rows = part.dim(0);
    const int64_t columns = part.dim(1);
    if (keys.num_elements() != count * rows) {
      return InvalidArgument("there are keys of shape ", keys.shape(), " for ", count, " matrices of shape ", part);
    }
    const DifferentSlices different = FindDifferentKeys(keys);
    const auto sums = static_cast<int64_t>(different.counts.size());
    Tensor* y = nullptr;
    Tensor* taken = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape({sums, columns}), &y));
    DF_TRY(ctx.AllocateOutput(1, Shape({sums}), &taken));
    TakeKeys(keys, different.firsts, *taken);
    const RowsByKey by_key(different);
    const auto row_at = [&](int64_t row) {
      const int64_t matrix = axis_ == 0 ? row / rows : row % count;
      const int64_t at = axis_ == 0 ? row % rows : row / count;
      return ctx.input(static_cast<int>(matrix + 1)).data<T>() + at * columns;
    };
    constexpr int64_t kBlock = 32768;  // elements worth handing to another thread
    ctx.pool().ParallelFor(sums, kBlock / std::max<int64_t>(1, columns) + 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        T* const to = y->data<T>() + i * columns;
        const int64_t* row = by_key.rows.data() + by_key.begin[i];
        const int64_t* const last = by_key.rows.data() + by_key.begin[i + 1];
        std::copy_n(row_at(*row), columns, to);
        while (++row < last) AddTo(row_at(*row), columns, to);
      }
    });
    return Status();
  }

 private:
  static void TakeKeys(const Tensor& keys, const std::vector<int64_t>& places, Tensor& taken) {
    const auto take = [&](auto* to, const auto* from) {
      for (int64_t place : places) *to++ = from[place];
    };
    if (keys.dtype() == DType::kInt64) {
      take(taken.data<int64_t>(), keys.data<int64_t>());
    } else {
      take(taken.data<int32_t>(), keys.data<int32_t>());
    }
  }

  static void AddTo(const T* from, int64_t columns, T* to) {
    for (int64_t j = 0; j < columns; ++j) to[j] += from[j];
  }

  const int64_t axis_;
};

CPU_KERNEL("_SumEqualRows", KernelOf<SumEqualRowsKernel>, float, double);

}  // namespace
}  // namespace dfrun
