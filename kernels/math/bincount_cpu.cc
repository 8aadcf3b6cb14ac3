#include <algorithm>

#include "kernels/math/element.h"
#include "src/framework/kernel.h"

namespace dfrun {
namespace {

int64_t IntegerAt(const Tensor& t, int64_t i) {
  return t.dtype() == DType::kInt64 ? t.data<int64_t>()[i] : t.data<int32_t>()[i];
}

// The number of bins, after checks that all inputs fit together.
Result<int64_t> CheckInputs(OpContext& ctx) {
  const Tensor& values = ctx.input(0);
  const Tensor& size = ctx.input(1);
  const Tensor& weights = ctx.input(2);
  if (size.shape().rank() != 0)
    return InvalidArgument("the number of bins has shape ", size.shape(), ", but must be a scalar");
  if (IntegerAt(size, 0) < 0)
    return InvalidArgument("the number of bins is ", IntegerAt(size, 0), ", but must not be negative");
  if (weights.num_elements() != 0 && weights.num_elements() != values.num_elements())
    return InvalidArgument("there must be a weight for each of ", values.shape(), " or none, not ", weights.shape());
  for (int64_t i = 0; i < values.num_elements(); ++i) {
    if (IntegerAt(values, i) < 0)
      return InvalidArgument("the values to count must not be negative: ", IntegerAt(values, i));
  }
  return IntegerAt(size, 0);
}

// Sums go from the first element to the last, each row by itself.
template <class T>
void Count(const Tensor& values, const Tensor& weights, bool binary, int64_t rows, Tensor& bins) {
  const int64_t size = rows == 0 ? 0 : bins.num_elements() / rows;
  const int64_t per_row = rows == 0 ? 0 : values.num_elements() / rows;
  const bool weighted = weights.num_elements() > 0 && !binary;
  T* out = bins.data<T>();
  std::fill_n(out, bins.num_elements(), T(0));
  for (int64_t i = 0; i < values.num_elements(); ++i) {
    const int64_t value = IntegerAt(values, i);
    if (value >= size) continue;
    T& bin = out[i / per_row * size + value];
    if (binary) {
      bin = T(1);
    } else if constexpr (std::is_integral_v<T>) {
      bin = static_cast<T>(WrappingType<T>(bin) + WrappingType<T>(weighted ? weights.data<T>()[i] : T(1)));
    } else {
      bin += weighted ? weights.data<T>()[i] : T(1);
    }
  }
}

struct Bincount {
  template <class T>
  class Kernel : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup&) {}
    Status Compute(OpContext& ctx) {
      DF_ASSIGN(const int64_t size, CheckInputs(ctx));
      Tensor* bins = nullptr;
      DF_TRY(ctx.AllocateOutput(0, Shape({size}), &bins));
      Count<T>(ctx.input(0), ctx.input(2), false, 1, *bins);
      return Status();
    }
  };
};

struct DenseBincount {
  template <class T>
  class Kernel : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup& setup) : binary_(setup.attr<bool>("binary_output")) {}
    Status Compute(OpContext& ctx) {
      const Shape& input = ctx.input(0).shape();
      if (input.rank() > 2)
        return InvalidArgument("DenseBincount: the input has shape ", input, ", but at most rank 2");
      DF_ASSIGN(const int64_t size, CheckInputs(ctx));
      const bool is_matrix = input.rank() == 2;
      const int64_t rows = is_matrix ? input.dim(0) : 1;
      const int64_t dims[] = {rows, size};
      DF_ASSIGN(const Shape shape, Shape::Create(std::span<const int64_t>(dims).subspan(is_matrix ? 0 : 1)));
      Tensor* output = nullptr;
      DF_TRY(ctx.AllocateOutput(0, shape, &output));
      Count<T>(ctx.input(0), ctx.input(2), binary_, rows, *output);
      return Status();
    }

   private:
    const bool binary_;
  };
};

CPU_KERNEL("Bincount", Bincount, int32_t, int64_t, float, double);
CPU_KERNEL("DenseBincount", DenseBincount, int32_t, int64_t, float, double);

}  // namespace
}  // namespace dfrun
