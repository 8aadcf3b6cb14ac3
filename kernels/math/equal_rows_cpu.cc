// Rows of one place are added up in the order in which they lie, on any number of threads.
#include <algorithm>
#include <vector>

#include "kernels/array/int_values.h"
#include "kernels/math/row_groups.h"
#include "src/framework/kernel_of.h"

namespace dfrun {
namespace {

template <class T>
class SumEqualRowsKernel final : public Kernel {
 public:
  explicit SumEqualRowsKernel(KernelSetup& setup) : axis_(setup.attr<int64_t>("axis")) {}
  bool IsExpensive() const override { return true; }

  Status Compute(OpContext& ctx) {
    const Tensor& places = ctx.input(0);
    DF_ASSIGN(const int64_t sums, IntScalar(ctx.input(1), "the number of places"));
    const Shape& part = ctx.input(kFirst).shape();
    const int64_t count = ctx.num_inputs() - kFirst;
    for (int i = kFirst; i < ctx.num_inputs(); ++i) {
      const Shape& shape = ctx.input(i).shape();
      if (shape.rank() != 2 || !(shape == part)) {
        return InvalidArgument("rows are added up of matrices of one shape, not of ", part, " and ", shape);
      }
    }
    const int64_t rows = part.dim(0);
    const int64_t columns = part.dim(1);
    if (places.num_elements() != count * rows) {
      return InvalidArgument("there are places of shape ", places.shape(), " for ", count, " matrices of shape ", part);
    }
    DF_ASSIGN(const Shape shape, RowsShape(sums, part, 1));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    const std::vector<int64_t> ids = IntValues(places);
    DF_TRY(CheckRange(ids, sums, "places"));
    DF_ASSIGN(const RowGroups groups, RowGroups::FromUnsorted(ctx, ids, sums));
    const auto row_at = [&](int64_t row) {
      const int64_t matrix = axis_ == 0 ? row / rows : row % count;
      const int64_t at = axis_ == 0 ? row % rows : row / count;
      return ctx.input(static_cast<int>(matrix + kFirst)).data<T>() + at * columns;
    };
    constexpr int64_t kBlock = 32768;  // elements worth handing to another thread
    ctx.pool().ParallelFor(sums, kBlock / std::max<int64_t>(1, columns) + 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        T* const to = y->data<T>() + i * columns;
        const int64_t* row = groups.order() + groups.begin()[i];
        const int64_t* const last = groups.order() + groups.begin()[i + 1];
        if (row == last) {
          std::fill_n(to, columns, T{0});
          continue;
        }
        std::copy_n(row_at(*row), columns, to);
        while (++row < last) AddTo(row_at(*row), columns, to);
      }
    });
    return Status();
  }

 private:
  static constexpr int kFirst = 2;  // of the matrices

  static void AddTo(const T* from, int64_t columns, T* to) {
    for (int64_t j = 0; j < columns; ++j) to[j] += from[j];
  }

  const int64_t axis_;
};

CPU_KERNEL("_SumEqualRows", KernelOf<SumEqualRowsKernel>, float, double);

}  // namespace
}  // namespace dfrun
