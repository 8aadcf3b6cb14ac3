#include <utility>

#include "kernels/array/index/scatter_cuda.h"
#include "kernels/math/reduce/bincount.h"
#include "src/framework/kernel/kernel_of.h"

namespace dfrun {
namespace {

// The bin of each value among those of all rows; that of a value beyond the last bin is none.
template <class Value>
DF_DEVICE_KERNEL void FindBins(const Value* values, int64_t n, int64_t per_row, int64_t size, uint64_t none,
                               uint64_t* bins, int32_t* error_flag) {
  const int64_t i = cuda::GlobalThreadId();
  if (i >= n) return;
  const auto value = static_cast<int64_t>(values[i]);
  bins[i] = value < 0 || value >= size ? none : static_cast<uint64_t>(i / per_row * size + value);
  if (value < 0) *error_flag = 1;
}

template <class T>
DF_DEVICE_KERNEL void WriteOne(T* to) {
  if (cuda::GlobalThreadId() == 0) *to = T(1);
}

// Counts, or adds up, in the order of the values.
template <class T>
Status CountValues(OpContext& ctx, bool binary, int64_t rows, int32_t* error_flag, Tensor& bins) {
  const Tensor& values = ctx.input(0);
  const Tensor& weights = ctx.input(2);
  DF_TRY(cuda::EnqueueZeros(ctx, bins.raw(), bins.num_bytes()));
  const int64_t n = values.num_elements();
  if (n == 0) return Status();
  DF_ASSIGN(Tensor numbers, ctx.AllocateTemp(DType::kUint64, Shape({n})));
  Status status;
  VisitDType<int32_t, int64_t>(values.dtype(), [&](auto tag) {
    using Value = typename decltype(tag)::type;
    status = cuda::Launch(ctx, n, &FindBins<Value>, values.data<Value>(), n, n / rows, bins.num_elements() / rows,
                          static_cast<uint64_t>(bins.num_elements()), numbers.data<uint64_t>(), error_flag);
  });
  DF_TRY(status);
  DF_ASSIGN(const cuda::UpdateGroups groups, cuda::UpdateGroups::BySlice(ctx, std::move(numbers), bins.num_elements()));
  const auto add = binary ? cuda::ReplaceLaunch(bins.dtype()) : cuda::AddLaunch(bins.dtype());
  if (weights.num_elements() > 0 && !binary) return add(ctx, groups, {weights.raw(), 1}, bins.raw(), error_flag);
  DF_ASSIGN(Tensor one, ctx.AllocateTemp(bins.dtype(), Shape()));
  DF_TRY(cuda::Launch(ctx, 1, &WriteOne<T>, one.data<T>()));
  return add(ctx, groups, {one.raw(), 1, /*one_for_all=*/true}, bins.raw(), error_flag);
}

constexpr std::string_view kRefusal = "the values to count must not be negative";

template <class T>
class BincountKernel final : public BincountBase {
 public:
  explicit BincountKernel(KernelSetup& setup) : error_flag_(setup, kRefusal) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const int64_t size, ReadBins(ctx));
    Tensor* bins = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape({size}), &bins));
    return CountValues<T>(ctx, false, 1, error_flag_.word(), *bins);
  }

 private:
  const cuda::DeviceErrorFlag error_flag_;
};

template <class T>
class DenseBincountKernel final : public DenseBincountBase {
 public:
  explicit DenseBincountKernel(KernelSetup& setup) : DenseBincountBase(setup), error_flag_(setup, kRefusal) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const Rows rows, ReadRows(ctx));
    Tensor* bins = nullptr;
    DF_TRY(ctx.AllocateOutput(0, rows.counted, &bins));
    return CountValues<T>(ctx, binary_, rows.count, error_flag_.word(), *bins);
  }

 private:
  const cuda::DeviceErrorFlag error_flag_;
};

CUDA_KERNEL("Bincount", KernelOf<BincountKernel>, int32_t, int64_t, float, double);
CUDA_KERNEL("DenseBincount", KernelOf<DenseBincountKernel>, int32_t, int64_t, float, double);

}  // namespace
}  // namespace dfrun
