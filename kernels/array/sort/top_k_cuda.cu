#include "kernels/array/sort/top_k.h"

#include <utility>

#include "kernels/array/copy/movement_cuda.h"
#include "kernels/array/element_size.h"
#include "kernels/array/sort/order_cuda.h"
#include "kernels/device/cuda/runtime/launch.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// Positions of a row, smaller keys first, of equal ones those further left.
template <class Key>
struct BeforeByKey {
  const Key* keys;
  constexpr bool operator()(int32_t a, int32_t b) const { return keys[a] != keys[b] ? keys[a] < keys[b] : a < b; }
};

// A row by a thread: the order of the heap is that of one after the other.
template <class Key>
DF_DEVICE_KERNEL void SelectOfRows(const Key* keys, int64_t rows, int32_t n, int32_t k, int32_t* positions) {
  const int64_t row = cuda::GlobalThreadId();
  if (row < rows) SelectPositions(BeforeByKey<Key>{keys + row * n}, n, k, positions + row * (int64_t{k} + 1));
}

// Writes the first k of each row's positions, of which `stride` are there, as indices, and the values at them.
template <class E, class Index>
DF_DEVICE_KERNEL void WriteTop(const E* x, const int32_t* positions, int64_t count, int64_t n, int64_t k,
                               int64_t stride, E* values, Index* indices) {
  const int64_t i = cuda::GlobalThreadId();
  if (i >= count) return;
  const int64_t row = i / k;
  const int32_t at = positions[row * stride + (i - row * k)];
  values[i] = x[row * n + at];
  indices[i] = static_cast<Index>(at);
}

class TopKKernel final : public TopKBase {
 public:
  using TopKBase::TopKBase;
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const int64_t k, ReadK(ctx));
    Shape shape = x.shape();
    const int64_t n = shape.dim(shape.rank() - 1);
    shape.set_dim(shape.rank() - 1, k);
    Tensor* values = nullptr;
    Tensor* indices = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &values));
    DF_TRY(ctx.AllocateOutput(1, shape, &indices));
    if (shape.num_elements() == 0) return Status();
    DF_ASSIGN(const Positions top, FindTop(ctx, x.num_elements() / n, n, k));
    return Write(ctx, top, n, k, *values, *indices);
  }

 private:
  struct Positions {
    Tensor of_rows;
    int64_t stride;
  };
  Result<Positions> FindTop(OpContext& ctx, int64_t rows, int64_t n, int64_t k) const {
    DF_ASSIGN(const Tensor keys, cuda::OrderKeys(ctx, ctx.input(0), /*descending=*/true));
    if (sorted_ || k == 1 || k == n) {
      DF_ASSIGN(Tensor order, cuda::FindOrder(ctx, keys, rows, n));
      return Positions{std::move(order), n};
    }
    DF_ASSIGN(Tensor heaps, ctx.AllocateTemp(DType::kInt32, Shape({rows * (k + 1)})));
    Status status;
    VisitDType<uint32_t, uint64_t>(keys.dtype(), [&](auto tag) {
      using Key = typename decltype(tag)::type;
      status = cuda::Launch(ctx, rows, &SelectOfRows<Key>, keys.data<Key>(), rows, static_cast<int32_t>(n),
                            static_cast<int32_t>(k), heaps.data<int32_t>());
    });
    DF_TRY(status);
    return Positions{std::move(heaps), k + 1};
  }

  static Status Write(OpContext& ctx, const Positions& top, int64_t n, int64_t k, Tensor& values, Tensor& indices) {
    Status status;
    const int64_t count = values.num_elements();
    VisitDType<int16_t, int32_t, int64_t>(indices.dtype(), [&](auto index_tag) {
      using Index = typename decltype(index_tag)::type;
      VisitElementOfSize(DTypeSize(values.dtype()), [&](auto tag) {
        using E = typename decltype(tag)::type;
        status = cuda::Launch(ctx, count, &WriteTop<E, Index>, static_cast<const E*>(ctx.input(0).raw()),
                              top.of_rows.data<int32_t>(), count, n, k, top.stride, static_cast<E*>(values.raw()),
                              indices.data<Index>());
      });
    });
    return status;
  }
};

CUDA_KERNEL("TopK", cuda::ByBytes<TopKKernel>, DF_REAL);
CUDA_KERNEL("TopKV2", cuda::ByBytes<TopKKernel>, DF_REAL);

}  // namespace
}  // namespace dfrun
