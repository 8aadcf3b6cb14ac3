#include "kernels/array/copy/movement_cuda.h"
#include "kernels/array/copy/pick_cuda.h"
#include "kernels/array/index/list_diff.h"
#include "kernels/array/sort/order_cuda.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// Marks the keys of x that are not among those of y, which `order` sorts. The keys of NaN, the highest, are equal to
// none.
template <class Key>
DF_DEVICE_KERNEL void MarkKept(const Key* x, int64_t n, const Key* y, const int32_t* order, int64_t dropped,
                               bool has_nan, bool* kept) {
  const int64_t i = cuda::GlobalThreadId();
  if (i >= n) return;
  int64_t begin = 0;
  int64_t end = dropped;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    if (y[order[middle]] < x[i]) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  kept[i] = (has_nan && x[i] == static_cast<Key>(~Key{0})) || begin == dropped || y[order[begin]] != x[i];
}

template <class Index>
DF_DEVICE_KERNEL void WriteIndices(const int64_t* kept, int64_t n, Index* idx) {
  const int64_t i = cuda::GlobalThreadId();
  if (i < n) idx[i] = static_cast<Index>(kept[i]);
}

struct KeptSource {
  const int64_t* kept;
  DF_DEVICE_FUNCTION int64_t operator()(int64_t i) const { return kept[i]; }
};

class ListDiffKernel : public Kernel {
 public:
  explicit ListDiffKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    const Tensor& y = ctx.input(1);
    DF_TRY(CheckListDiff(x, y));
    DF_ASSIGN(const Tensor kept, FindKept(ctx, x, y));
    const int64_t n = kept.num_elements();
    Tensor* out = nullptr;
    Tensor* idx = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape({n}), &out));
    DF_TRY(ctx.AllocateOutput(1, Shape({n}), &idx));
    DF_TRY(cuda::Pick(ctx, x.raw(), *out, KeptSource{kept.data<int64_t>()}));
    Status status;
    VisitDType<int32_t, int64_t>(idx->dtype(), [&](auto tag) {
      using Index = typename decltype(tag)::type;
      status = cuda::Launch(ctx, n, &WriteIndices<Index>, kept.data<int64_t>(), n, idx->data<Index>());
    });
    return status;
  }

 private:
  static Result<Tensor> FindKept(OpContext& ctx, const Tensor& x, const Tensor& y) {
    const int64_t n = x.num_elements();
    DF_ASSIGN(const Tensor x_keys, cuda::OrderKeys(ctx, x, /*descending=*/false));
    DF_ASSIGN(const Tensor y_keys, cuda::OrderKeys(ctx, y, /*descending=*/false));
    DF_ASSIGN(const Tensor order, cuda::FindOrder(ctx, y_keys, 1, y.num_elements()));
    DF_ASSIGN(Tensor flags, ctx.AllocateTemp(DType::kBool, Shape({n})));
    Status status;
    VisitDType<uint32_t, uint64_t>(x_keys.dtype(), [&](auto tag) {
      using Key = typename decltype(tag)::type;
      status = cuda::Launch(ctx, n, &MarkKept<Key>, x_keys.data<Key>(), n, y_keys.data<Key>(), order.data<int32_t>(),
                            y.num_elements(), IsFloating(x.dtype()), flags.data<bool>());
    });
    DF_TRY(status);
    return cuda::FindSet(ctx, flags.data<bool>(), n);
  }
};

CUDA_KERNEL("ListDiff", cuda::ByBytes<ListDiffKernel>, DF_REAL);

}  // namespace
}  // namespace dfrun
