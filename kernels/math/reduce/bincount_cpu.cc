#include <algorithm>

#include "kernels/device/cpu_kernel.h"
#include "kernels/math/functions/functors.h"
#include "kernels/math/reduce/bincount.h"

namespace dfrun {
namespace {

Status CheckNotNegative(const Tensor& values) {
  int64_t least = 0;
  VisitDType<int32_t, int64_t>(values.dtype(), [&](auto tag) {
    for (const auto value : values.values<typename decltype(tag)::type>()) least = std::min<int64_t>(least, value);
  });
  return least == 0 ? Status() : InvalidArgument("the values to count must not be negative: ", least);
}

// Sums go from the first element to the last, each row by itself.
template <class T, class Value>
void CountRow(const Value* values, const T* weights, bool binary, int64_t per_row, int64_t size, T* bins) {
  for (int64_t i = 0; i < per_row; ++i) {
    if (values[i] >= size) continue;
    T& bin = bins[values[i]];
    bin = binary ? T(1) : fn::Add()(bin, weights != nullptr ? weights[i] : T(1));
  }
}

template <class T>
void Count(const Tensor& values, const Tensor& weights, bool binary, int64_t rows, Tensor& bins) {
  const int64_t size = rows == 0 ? 0 : bins.num_elements() / rows;
  const int64_t per_row = rows == 0 ? 0 : values.num_elements() / rows;
  const T* const weighted = weights.num_elements() > 0 && !binary ? weights.data<T>() : nullptr;
  std::fill_n(bins.data<T>(), bins.num_elements(), T(0));
  VisitDType<int32_t, int64_t>(values.dtype(), [&](auto tag) {
    using Value = typename decltype(tag)::type;
    for (int64_t row = 0; row < rows; ++row) {
      CountRow(values.data<Value>() + row * per_row, weighted == nullptr ? nullptr : weighted + row * per_row, binary,
               per_row, size, bins.data<T>() + row * size);
    }
  });
}

struct Bincount {
  template <class T>
  class Kernel : public BincountBase {
   public:
    explicit Kernel(KernelSetup&) {}
    Status Compute(OpContext& ctx) {
      DF_ASSIGN(const int64_t size, ReadBins(ctx));
      DF_TRY(CheckNotNegative(ctx.input(0)));
      Tensor* bins = nullptr;
      DF_TRY(ctx.AllocateOutput(0, Shape({size}), &bins));
      Count<T>(ctx.input(0), ctx.input(2), false, 1, *bins);
      return Status();
    }
  };
};

struct DenseBincount {
  template <class T>
  class Kernel : public DenseBincountBase {
   public:
    using DenseBincountBase::DenseBincountBase;
    Status Compute(OpContext& ctx) {
      DF_ASSIGN(const Rows rows, ReadRows(ctx));
      DF_TRY(CheckNotNegative(ctx.input(0)));
      Tensor* bins = nullptr;
      DF_TRY(ctx.AllocateOutput(0, rows.counted, &bins));
      Count<T>(ctx.input(0), ctx.input(2), binary_, rows.count, *bins);
      return Status();
    }
  };
};

CPU_KERNEL("Bincount", Bincount, int32_t, int64_t, float, double);
CPU_KERNEL("DenseBincount", DenseBincount, int32_t, int64_t, float, double);

}  // namespace
}  // namespace dfrun
