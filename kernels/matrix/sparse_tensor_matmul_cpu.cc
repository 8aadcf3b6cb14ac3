#include <algorithm>
#include <complex>
#include <numeric>

#include "kernels/array/copy/strided_copy.h"
#include "kernels/array/int_values.h"
#include "kernels/device/cpu_kernel.h"
#include "kernels/math/functions/reducers.h"
#include "kernels/matrix/sparse_tensor_matmul.h"
#include "src/framework/kernel/kernel_of.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// Multiplications that a thread does at a time: some 20 us.
constexpr int64_t kBlockWork = 65536;

// The entries of a sparse matrix by the row of the result that they add to, each row's in their own order.
struct EntriesByRow {
  std::vector<int64_t> begin;  // begin of each row in the two below, and their end
  std::vector<int64_t> entry;
  std::vector<int64_t> inner;
};

class GroupingMatMul : public SparseMatMulBase {
 protected:
  using SparseMatMulBase::SparseMatMulBase;

  // InvalidArgument where a position lies outside.
  Result<EntriesByRow> GroupByRow(const Tensor& indices, const SparseProduct& product) const {
    const std::vector<int64_t> positions = IntValues(indices);
    const auto row_of = [&](int64_t i) { return positions[static_cast<size_t>(2 * i + (adjoint_a() ? 1 : 0))]; };
    const auto inner_of = [&](int64_t i) { return positions[static_cast<size_t>(2 * i + (adjoint_a() ? 0 : 1))]; };
    EntriesByRow grouped;
    grouped.begin.assign(static_cast<size_t>(product.rows) + 1, 0);
    for (int64_t i = 0; i < product.entries; ++i) {
      if (row_of(i) < 0 || row_of(i) >= product.rows || inner_of(i) < 0 || inner_of(i) >= product.inner) {
        return InvalidArgument("position ", i, " of the sparse matrix lies outside of ", product.rows,
                               " rows of the product and ", product.inner, " of the dense side");
      }
      ++grouped.begin[static_cast<size_t>(row_of(i)) + 1];
    }
    std::partial_sum(grouped.begin.begin(), grouped.begin.end(), grouped.begin.begin());
    grouped.entry.resize(static_cast<size_t>(product.entries));
    grouped.inner.resize(static_cast<size_t>(product.entries));
    std::vector<int64_t> next = grouped.begin;
    for (int64_t i = 0; i < product.entries; ++i) {
      const auto to = static_cast<size_t>(next[static_cast<size_t>(row_of(i))]++);
      grouped.entry[to] = i;
      grouped.inner[to] = inner_of(i);
    }
    return grouped;
  }
};

template <class T>
T ConjugateIf(bool conjugate, T value) {
  if constexpr (kIsComplex<T>) {
    return conjugate ? std::conj(value) : value;
  } else {
    static_cast<void>(conjugate);
    return value;
  }
}

template <class T>
class SparseTensorDenseMatMulKernel final : public GroupingMatMul {
 public:
  explicit SparseTensorDenseMatMulKernel(KernelSetup& setup) : GroupingMatMul(setup) {}

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const SparseProduct product, Match(ctx));
    const int64_t dims[] = {product.rows, product.columns};
    DF_ASSIGN(const Shape shape, Shape::Create(dims));
    Tensor* output = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &output));
    if (output->num_elements() == 0) return Status();  // here and below the positions may be any
    if (product.inner == 0) {
      std::fill_n(output->data<T>(), output->num_elements(), T());
      return Status();
    }
    DF_ASSIGN(const EntriesByRow entries, GroupByRow(ctx.input(0), product));
    DF_ASSIGN(const Tensor b, DenseSide(ctx));
    const int64_t row_work = (product.entries / product.rows + 1) * product.columns;
    ctx.pool().ParallelFor(product.rows, std::max<int64_t>(1, kBlockWork / row_work), [&](int64_t begin, int64_t end) {
      std::vector<Sum> sums(static_cast<size_t>(product.columns));
      for (int64_t row = begin; row < end; ++row) {
        AddRow(entries, row, ctx.input(1).data<T>(), b.data<T>(), sums);
        std::transform(sums.begin(), sums.end(), output->data<T>() + row * product.columns,
                       [](Sum sum) { return static_cast<T>(sum); });
      }
    });
    return Status();
  }

 private:
  using C = ComputeType<T>;
  using Sum = typename red::WideOf<T>::type;

  // b, or its adjoint: in rows of as many columns as the product has.
  Result<Tensor> DenseSide(OpContext& ctx) const {
    const Tensor& b = ctx.input(3);
    if (!adjoint_b()) return b;
    const int64_t rows = b.shape()[0];
    const int64_t columns = b.shape()[1];
    DF_ASSIGN(Tensor turned, ctx.AllocateTemp(b.dtype(), Shape({columns, rows})));
    StridedCopy(ctx.pool(), b.dtype(), b.raw(), turned.raw(), {{columns, 1, rows}, {rows, columns, 1}});
    if constexpr (kIsComplex<T>) {
      std::transform(turned.data<T>(), turned.data<T>() + turned.num_elements(), turned.data<T>(),
                     [](const T& value) { return std::conj(value); });
    }
    return turned;
  }

  void AddRow(const EntriesByRow& entries, int64_t row, const T* values, const T* b, std::vector<Sum>& sums) const {
    std::fill(sums.begin(), sums.end(), Sum(0));
    const auto columns = static_cast<int64_t>(sums.size());
    for (int64_t i = entries.begin[static_cast<size_t>(row)]; i < entries.begin[static_cast<size_t>(row) + 1]; ++i) {
      const auto at = static_cast<size_t>(i);
      const Sum factor = static_cast<Sum>(static_cast<C>(ConjugateIf(adjoint_a(), values[entries.entry[at]])));
      const T* from = b + entries.inner[at] * columns;
      for (int64_t j = 0; j < columns; ++j)
        sums[static_cast<size_t>(j)] += factor * static_cast<Sum>(static_cast<C>(from[j]));
    }
  }
};

CPU_KERNEL("SparseTensorDenseMatMul", KernelOf<SparseTensorDenseMatMulKernel>, DF_FLOATS, int32_t, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
