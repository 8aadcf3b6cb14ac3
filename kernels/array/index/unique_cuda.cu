#include <cstring>
#include <limits>
#include <utility>

#include "kernels/array/copy/axis_copy.h"
#include "kernels/array/copy/pick_cuda.h"
#include "kernels/array/index/group_cuda.h"
#include "kernels/array/index/unique_slices.h"
#include "kernels/array/value_bits.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// The slices of a tensor along an axis, seen as [outer, n, inner]. NaN equals nothing, -0 equals 0. Passed by value.
template <class T>
struct GpuSlices {
  const T* data;
  int64_t outer;
  int64_t n;
  int64_t inner;

  DF_DEVICE_FUNCTION const T* Run(int64_t o, int64_t slice) const { return data + (o * n + slice) * inner; }

  // Equal slices have equal hashes; those with a NaN most likely one of their own.
  DF_DEVICE_FUNCTION uint32_t Hash(int64_t slice) const {
    constexpr uint64_t kFactor = 0x9e3779b97f4a7c15U;
    uint64_t hash = 0;
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t i = 0; i < inner; ++i) {
        const T value = Run(o, slice)[i];
        uint64_t bits = 0;
        if (value != value) {
          bits = static_cast<uint64_t>(slice);
        } else if (value != T(0)) {
          memcpy(&bits, &value, sizeof(T));
        }
        hash = (hash + bits) * kFactor;
        hash ^= hash >> 29;
      }
    }
    return static_cast<uint32_t>(hash >> 32);
  }
  DF_DEVICE_FUNCTION bool Equal(int64_t a, int64_t b) const {
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t i = 0; i < inner; ++i) {
        if (!(Run(o, a)[i] == Run(o, b)[i])) return false;
      }
    }
    return true;
  }
};

template <class T>
DF_DEVICE_KERNEL void HashSlices(GpuSlices<T> slices, uint64_t* hashes) {
  const int64_t i = cuda::GlobalThreadId();
  if (i < slices.n) hashes[i] = slices.Hash(i);
}

// The first slice that is equal to each, among those of its hash, which are in the order of the slices.
template <class T>
DF_DEVICE_KERNEL void FindFirsts(GpuSlices<T> slices, cuda::UpdateRuns hashes, int64_t* firsts, bool* is_first) {
  const int64_t k = cuda::GlobalThreadId();
  if (k >= slices.n) return;
  const int64_t slice = hashes.order[k];
  int64_t m = hashes.LowerBound(hashes.Slice(k));
  while (m < k && !slices.Equal(hashes.order[m], slice)) ++m;
  firsts[slice] = hashes.order[m];
  is_first[slice] = m == k;
}

DF_DEVICE_KERNEL void NumberUnique(const int64_t* unique, int64_t n, int64_t* numbers) {
  const int64_t i = cuda::GlobalThreadId();
  if (i < n) numbers[unique[i]] = i;
}

template <class Index>
DF_DEVICE_KERNEL void WritePositions(const int64_t* firsts, const int64_t* numbers, int64_t n, Index* idx) {
  const int64_t i = cuda::GlobalThreadId();
  if (i < n) idx[i] = static_cast<Index>(numbers[firsts[i]]);
}

template <class Index>
DF_DEVICE_KERNEL void WriteCounts(const int64_t* begins, int64_t n, Index* counts) {
  const int64_t i = cuda::GlobalThreadId();
  if (i < n) counts[i] = static_cast<Index>(begins[i + 1] - begins[i]);
}

// The elements of the unique slices.
struct UniqueSource {
  const int64_t* unique;
  int64_t different;
  int64_t n;
  int64_t inner;
  DF_DEVICE_FUNCTION int64_t operator()(int64_t element) const {
    const int64_t run = element / inner;
    const int64_t o = run / different;
    return (o * n + unique[run - o * different]) * inner + (element - run * inner);
  }
};

// The slices that are the first of their kind are known to the GPU alone: the kernel waits for their number.
template <class T>
class UniqueKernel final : public UniqueBase {
 public:
  using UniqueBase::UniqueBase;
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const int64_t axis, ReadAxis(ctx));
    const AxisSplit split(x.shape(), axis);
    const GpuSlices<T> slices = {static_cast<const T*>(x.raw()), split.outer, x.shape().dim(static_cast<int>(axis)),
                                 split.inner};
    Tensor* idx = nullptr;
    DF_TRY(ctx.AllocateOutput(1, Shape({slices.n}), &idx));
    DF_ASSIGN(Tensor firsts, ctx.AllocateTemp(DType::kInt64, Shape({slices.n})));
    DF_ASSIGN(const Tensor unique, Find(ctx, slices, firsts));
    const int64_t different = unique.num_elements();
    Shape shape = x.shape();
    shape.set_dim(static_cast<int>(axis), different);
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    DF_TRY(cuda::Pick(ctx, x.raw(), *y, UniqueSource{unique.data<int64_t>(), different, slices.n, slices.inner}));
    DF_TRY(Number(ctx, firsts, unique, *idx));
    return ctx.num_outputs() == 2 ? Status() : Count(ctx, *idx, different);
  }

 private:
  // The numbers of the slices that are the first of their kind; `firsts` gets that of each.
  static Result<Tensor> Find(OpContext& ctx, const GpuSlices<T>& slices, Tensor& firsts) {
    DF_ASSIGN(Tensor hashes, ctx.AllocateTemp(DType::kUint64, Shape({slices.n})));
    DF_TRY(cuda::Launch(ctx, slices.n, &HashSlices<T>, slices, hashes.data<uint64_t>()));
    DF_ASSIGN(const cuda::UpdateGroups by_hash,
              cuda::UpdateGroups::BySlice(ctx, std::move(hashes), std::numeric_limits<uint32_t>::max()));
    DF_ASSIGN(Tensor is_first, ctx.AllocateTemp(DType::kBool, Shape({slices.n})));
    DF_TRY(cuda::Launch(ctx, slices.n, &FindFirsts<T>, slices, by_hash.runs(), firsts.data<int64_t>(),
                        is_first.data<bool>()));
    return cuda::FindSet(ctx, is_first.data<bool>(), slices.n);
  }

  // The position of each slice among the unique ones.
  static Status Number(OpContext& ctx, const Tensor& firsts, const Tensor& unique, Tensor& idx) {
    const int64_t n = firsts.num_elements();
    DF_ASSIGN(Tensor numbers, ctx.AllocateTemp(DType::kInt64, Shape({n})));
    DF_TRY(cuda::Launch(ctx, unique.num_elements(), &NumberUnique, unique.data<int64_t>(), unique.num_elements(),
                        numbers.data<int64_t>()));
    Status status;
    VisitDType<int32_t, int64_t>(idx.dtype(), [&](auto tag) {
      using Index = typename decltype(tag)::type;
      status = cuda::Launch(ctx, n, &WritePositions<Index>, firsts.data<int64_t>(), numbers.data<int64_t>(), n,
                            idx.data<Index>());
    });
    return status;
  }

  static Status Count(OpContext& ctx, const Tensor& idx, int64_t different) {
    Tensor* counts = nullptr;
    DF_TRY(ctx.AllocateOutput(2, Shape({different}), &counts));
    DF_ASSIGN(const cuda::UpdateGroups groups,
              cuda::UpdateGroups::ByIndex(ctx, idx, different, cuda::BadIndex::kIgnored, nullptr));
    DF_ASSIGN(const Tensor begins, groups.Begins(ctx));
    Status status;
    VisitDType<int32_t, int64_t>(counts->dtype(), [&](auto tag) {
      using Index = typename decltype(tag)::type;
      status =
          cuda::Launch(ctx, different, &WriteCounts<Index>, begins.data<int64_t>(), different, counts->data<Index>());
    });
    return status;
  }
};

struct Unique {
  template <class T>
  using Kernel = UniqueKernel<ValueBits<T>>;
};

CUDA_KERNEL("Unique", Unique, DF_REAL, bool);
CUDA_KERNEL("UniqueV2", Unique, DF_REAL, bool);
CUDA_KERNEL("UniqueWithCounts", Unique, DF_REAL, bool);
CUDA_KERNEL("UniqueWithCountsV2", Unique, DF_REAL, bool);

}  // namespace
}  // namespace dfrun
