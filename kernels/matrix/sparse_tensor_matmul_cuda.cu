#include "kernels/matrix/sparse_tensor_matmul.h"

#include <utility>

#include "kernels/array/index/group_cuda.h"
#include "kernels/math/functions/complex_cuda.h"
#include "kernels/math/functions/reducers.h"
#include "src/framework/kernel/kernel_of.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// The row of the product that each entry adds to; that of one outside is none.
template <class Index>
DF_DEVICE_KERNEL void FindRows(const Index* positions, SparseProduct product, bool adjoint, uint64_t* rows,
                               int32_t* error_flag) {
  const int64_t i = cuda::GlobalThreadId();
  if (i >= product.entries) return;
  const auto row = static_cast<int64_t>(positions[2 * i + (adjoint ? 1 : 0)]);
  const auto inner = static_cast<int64_t>(positions[2 * i + (adjoint ? 0 : 1)]);
  const bool is_inside = row >= 0 && row < product.rows && inner >= 0 && inner < product.inner;
  rows[i] = static_cast<uint64_t>(is_inside ? row : product.rows);
  if (!is_inside) *error_flag = 1;
}

// The dense side as the product sees it.
template <class T>
struct DenseSide {
  const T* data;
  int64_t row;  // steps to the next
  int64_t column;
  bool conjugates;
};

template <class T>
DF_DEVICE_FUNCTION T ConjugateIf(bool conjugates, const T& value) {
  if constexpr (kIsComplex<T>) {
    return conjugates ? conj(value) : value;
  } else {
    return value;
  }
}

// An element of the product by a thread: the entries of its row in their order.
template <class T, class Index>
DF_DEVICE_KERNEL void MultiplyRows(cuda::UpdateRuns entries, SparseProduct product, const Index* positions,
                                   bool adjoint, const T* values, DenseSide<T> b, T* y) {
  using C = ComputeType<T>;
  using Sum = typename red::WideOf<T>::type;
  const int64_t thread = cuda::GlobalThreadId();
  const int64_t row = thread / product.columns;
  if (row >= product.rows) return;
  const int64_t column = thread - row * product.columns;
  Sum sum = 0;
  for (int64_t k = entries.LowerBound(static_cast<uint64_t>(row)); entries.IsFor(k, static_cast<uint64_t>(row)); ++k) {
    const int64_t i = entries.order[k];
    const auto inner = static_cast<int64_t>(positions[2 * i + (adjoint ? 0 : 1)]);
    const Sum factor = static_cast<Sum>(static_cast<C>(ConjugateIf(adjoint, values[i])));
    const T& other = b.data[inner * b.row + column * b.column];
    sum += factor * static_cast<Sum>(static_cast<C>(ConjugateIf(b.conjugates, other)));
  }
  y[thread] = static_cast<T>(sum);
}

template <class T>
class SparseTensorDenseMatMulKernel final : public SparseMatMulBase {
 public:
  explicit SparseTensorDenseMatMulKernel(KernelSetup& setup)
      : SparseMatMulBase(setup), error_flag_(setup, "a position lies outside of the sparse matrix") {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const SparseProduct product, Match(ctx));
    const int64_t dims[] = {product.rows, product.columns};
    DF_ASSIGN(const Shape shape, Shape::Create(dims));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    if (y->num_elements() == 0) return Status();  // here and below the positions may be any
    if (product.inner == 0) return cuda::EnqueueZeros(ctx, y->raw(), y->num_bytes());
    Status status;
    VisitDType<int32_t, int64_t>(ctx.input(0).dtype(),
                                 [&](auto tag) { status = Multiply<typename decltype(tag)::type>(ctx, product, *y); });
    return status;
  }

 private:
  template <class Index>
  Status Multiply(OpContext& ctx, const SparseProduct& product, Tensor& y) const {
    const Index* const positions = ctx.input(0).data<Index>();
    DF_ASSIGN(Tensor rows, ctx.AllocateTemp(DType::kUint64, Shape({product.entries})));
    DF_TRY(cuda::Launch(ctx, product.entries, &FindRows<Index>, positions, product, adjoint_a(),
                        rows.template data<uint64_t>(), error_flag_.word()));
    DF_ASSIGN(const cuda::UpdateGroups by_row, cuda::UpdateGroups::BySlice(ctx, std::move(rows), product.rows));
    using E = cuda::GpuType<T>;
    const auto elements = [&](int input) { return static_cast<const E*>(ctx.input(input).raw()); };
    const DenseSide<E> b = {elements(3), adjoint_b() ? 1 : product.columns, adjoint_b() ? product.inner : 1,
                            adjoint_b()};
    return cuda::Launch(ctx, y.num_elements(), &MultiplyRows<E, Index>, by_row.runs(), product, positions, adjoint_a(),
                        elements(1), b, static_cast<E*>(y.raw()));
  }

  const cuda::DeviceErrorFlag error_flag_;
};

CUDA_KERNEL("SparseTensorDenseMatMul", KernelOf<SparseTensorDenseMatMulKernel>, DF_FLOATS, int32_t, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
