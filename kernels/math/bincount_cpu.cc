#include <algorithm>

#include "kernels/device/cpu_kernel.h"
#include "kernels/math/functors.h"

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
  int64_t least = 0;
  VisitDType<int32_t, int64_t>(values.dtype(), [&](auto tag) {
    for (const auto value : values.values<typename decltype(tag)::type>()) least = std::min<int64_t>(least, value);
  });
  if (least < 0) return InvalidArgument("the values to count must not be negative: ", least);
  return IntegerAt(size, 0);
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
