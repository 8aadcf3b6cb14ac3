#include "kernels/math/elementwise.h"
#include "kernels/math/functors.h"
#include "kernels/state/row_indices.h"
#include "kernels/state/update.h"

namespace dfrun {
namespace {

// How a part of a row takes its update: n elements, or one for all.
struct ScatterLoop {
  size_t element_size;
  void (*run)(void* row, const void* update, int64_t n, bool one_for_all);
};

class ScatterKernel : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit ScatterKernel(const ScatterLoop& loop) : loop_(loop) {}

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(Variable* const variable, VariableInput(ctx, 0));
    const Tensor& indices = ctx.input(1);
    const Tensor& updates = ctx.input(2);
    const VariableLocks locks({&variable, 1});
    DF_TRY(locks.MakeWritable({&variable, 1}, updates.dtype(), ctx.allocator()));
    const Shape& shape = variable->value().shape();
    if (shape.rank() == 0) return InvalidArgument("the variable '", variable->name(), "' is a scalar: it has no rows");
    DF_ASSIGN(const std::vector<int64_t> rows, ReadRowIndices(indices, shape[0]));
    DF_TRY(CheckUpdates(*variable, indices.shape(), updates.shape()));
    const int64_t columns = shape[0] == 0 ? 0 : shape.num_elements() / shape[0];
    Scatter(rows, columns, updates, variable->mutable_value(), ctx.pool());
    if (ctx.num_outputs() > 0) ctx.SetOutputRef(0, variable);
    return Status();
  }
  bool IsExpensive() const override { return true; }

 private:
  static Status CheckUpdates(const Variable& variable, const Shape& indices, const Shape& updates) {
    if (updates.rank() == 0) return Status();
    std::vector<int64_t> wanted(indices.dims().begin(), indices.dims().end());
    const Shape& shape = variable.value().shape();
    wanted.insert(wanted.end(), shape.dims().begin() + 1, shape.dims().end());
    if (std::equal(wanted.begin(), wanted.end(), updates.dims().begin(), updates.dims().end())) return Status();
    return InvalidArgument("updates of shape ", updates, " do not fit the rows at indices of shape ", indices,
                           " of the variable '", variable.name(), "' of shape ", shape);
  }

  // Threads take ranges of columns, so that the order of updates of an element is that of the rows.
  void Scatter(const std::vector<int64_t>& rows, int64_t columns, const Tensor& updates, Tensor& variable,
               ThreadPool& pool) const {
    const bool one_for_all = updates.shape().rank() == 0;
    const int64_t count = std::max<int64_t>(1, static_cast<int64_t>(rows.size()));
    pool.ParallelFor(columns, std::max<int64_t>(64, kElementBlock / count), [&](int64_t begin, int64_t end) {
      for (size_t r = 0; r < rows.size(); ++r) {
        const int64_t from = one_for_all ? 0 : static_cast<int64_t>(r) * columns + begin;
        loop_.run(At(variable.raw(), rows[r] * columns + begin, loop_.element_size),
                  At(updates.raw(), from, loop_.element_size), end - begin, one_for_all);
      }
    });
  }

  const ScatterLoop& loop_;
};

template <class F, class T>
struct ScatterOf {
  static void Run(void* row_data, const void* update_data, int64_t n, bool one_for_all) {
    T* row = static_cast<T*>(row_data);
    const T* update = static_cast<const T*>(update_data);
    const int64_t step = one_for_all ? 0 : 1;
    using C = ComputeType<T>;
    for (int64_t i = 0; i < n; ++i) {
      row[i] = static_cast<T>(F()(static_cast<C>(row[i]), static_cast<C>(update[i * step])));
    }
  }
  static constexpr ScatterLoop kLoop = {sizeof(T), &Run};
};

template <class F>
struct Scatter {
  template <class T>
  struct Kernel : ScatterKernel {
    explicit Kernel(KernelSetup&) : ScatterKernel(ScatterOf<F, T>::kLoop) {}
  };
};

struct TakeNew {
  template <class T>
  T operator()(T, T update) const {
    return update;
  }
};

#define DF_SCATTER_TYPES                                                                                      \
  bfloat16, float16, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, \
      std::complex<float>, std::complex<double>
CPU_KERNEL("ScatterUpdate", Scatter<TakeNew>, DF_SCATTER_TYPES, bool);
CPU_KERNEL("ScatterAdd", Scatter<fn::Add>, DF_SCATTER_TYPES);
CPU_KERNEL("ScatterSub", Scatter<fn::Sub>, DF_SCATTER_TYPES);
CPU_KERNEL_ATTR("ResourceScatterUpdate", "dtype", Scatter<TakeNew>, DF_SCATTER_TYPES, bool);
CPU_KERNEL_ATTR("ResourceScatterAdd", "dtype", Scatter<fn::Add>, DF_SCATTER_TYPES);
CPU_KERNEL_ATTR("ResourceScatterSub", "dtype", Scatter<fn::Sub>, DF_SCATTER_TYPES);
#undef DF_SCATTER_TYPES

}  // namespace
}  // namespace dfrun
