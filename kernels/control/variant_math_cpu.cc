// Sums and zeros of TensorLists and Optionals, by which their gradients are added up.
#include <complex>
#include <utility>

#include "kernels/control/optional.h"
#include "kernels/control/tensor_list.h"
#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/binary.h"
#include "kernels/math/functions/functors.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// Variants in variants are visited recursively; `depth` of them are around the current one.
constexpr int kMaxDepth = 1000;

Result<Variant> ZerosLike(OpContext& ctx, const Variant& value, int depth = 0);
Result<Variant> Add(OpContext& ctx, const Variant& a, const Variant& b, int depth = 0);

Status CheckDepth(int depth) {
  if (depth < kMaxDepth) return Status();
  return InvalidArgument("variants are nested more than ", kMaxDepth, " deep");
}

// An element without a value stays without.
Result<Tensor> ZerosLike(OpContext& ctx, const Tensor& element, int depth) {
  if (!element.initialized()) return Tensor();
  DF_ASSIGN(Tensor zeros, ZeroElement(ctx, element.dtype(), element.shape()));
  if (element.dtype() != DType::kVariant) return zeros;
  for (int64_t i = 0; i < element.num_elements(); ++i) {
    DF_ASSIGN(zeros.data<Variant>()[i], ZerosLike(ctx, element.data<Variant>()[i], depth + 1));
  }
  return zeros;
}

// Zeros of each component; an optional without a value stays so.
Result<Variant> ZerosLike(OpContext& ctx, const Optional& optional, int depth) {
  auto zeros = std::make_shared<Optional>();
  for (const Tensor& component : optional.components) {
    DF_ASSIGN(Tensor zero, ZerosLike(ctx, component, depth));
    zeros->components.push_back(std::move(zero));
  }
  return Variant(std::move(zeros));
}

Result<Variant> ZerosLike(OpContext& ctx, const Variant& value, int depth) {
  DF_TRY(CheckDepth(depth));
  if (const auto optional = value.As<Optional>("Optional"); optional.ok()) return ZerosLike(ctx, **optional, depth);
  DF_ASSIGN(const TensorList* const list, value.As<TensorList>("TensorList"));
  auto zeros = std::make_shared<TensorList>(*list);
  for (Tensor& element : zeros->elements) {
    DF_ASSIGN(element, ZerosLike(ctx, std::as_const(element), depth));
  }
  return Variant(std::move(zeros));
}

// One without a value counts as zeros.
Result<Tensor> Add(OpContext& ctx, const Tensor& a, const Tensor& b, int depth) {
  if (!a.initialized()) return b;
  if (!b.initialized()) return a;
  if (!(a.shape() == b.shape())) return InvalidArgument("elements of shapes ", a.shape(), " and ", b.shape());
  DF_ASSIGN(Tensor sum, ctx.AllocateTemp(a.dtype(), a.shape()));
  if (a.dtype() == DType::kVariant) {
    for (int64_t i = 0; i < a.num_elements(); ++i) {
      DF_ASSIGN(sum.data<Variant>()[i], Add(ctx, a.data<Variant>()[i], b.data<Variant>()[i], depth + 1));
    }
    return sum;
  }
  const bool added = VisitDType<DF_NUMBERS>(a.dtype(), [&](auto tag) {
    cpu::BinaryOf<fn::Add, typename decltype(tag)::type>::RunBoth(a.raw(), b.raw(), sum.raw(), a.num_elements());
  });
  if (!added) return InvalidArgument("elements of ", a.dtype(), " cannot be added");
  return sum;
}

Status CheckAlike(const TensorList& a, const TensorList& b) {
  if (a.dtype == b.dtype && a.size() == b.size() && a.element_shape.IsCompatibleWith(b.element_shape)) return Status();
  return InvalidArgument("only lists of as many elements of one dtype and shape can be added, not ", a.DebugString(),
                         " and ", b.DebugString());
}

Result<Variant> Add(OpContext& ctx, const Optional& a, const Optional& b, int depth) {
  if (a.components.size() != b.components.size()) {
    return InvalidArgument("only Optionals of as many values can be added, not ", a.DebugString(), " and ",
                           b.DebugString());
  }
  auto sum = std::make_shared<Optional>();
  for (size_t i = 0; i < a.components.size(); ++i) {
    DF_ASSIGN(Tensor component, Add(ctx, a.components[i], b.components[i], depth));
    sum->components.push_back(std::move(component));
  }
  return Variant(std::move(sum));
}

Result<Variant> Add(OpContext& ctx, const Variant& a, const Variant& b, int depth) {
  DF_TRY(CheckDepth(depth));
  if (const auto optional = a.As<Optional>("Optional"); optional.ok()) {
    DF_ASSIGN(const Optional* const other, b.As<Optional>("Optional"));
    return Add(ctx, **optional, *other, depth);
  }
  DF_ASSIGN(const TensorList* const first, a.As<TensorList>("TensorList"));
  DF_ASSIGN(const TensorList* const second, b.As<TensorList>("TensorList"));
  DF_TRY(CheckAlike(*first, *second));
  auto sum = std::make_shared<TensorList>(*first);
  DF_ASSIGN(sum->element_shape, first->element_shape.Merge(second->element_shape));
  for (size_t i = 0; i < sum->elements.size(); ++i) {
    DF_ASSIGN(sum->elements[i], Add(ctx, first->elements[i], second->elements[i], depth));
  }
  return Variant(std::move(sum));
}

struct ZerosLikeOfVariants {
  template <class T>
  class Kernel : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup&) {}
    Status Compute(OpContext& ctx) {
      const Tensor& values = ctx.input(0);
      Tensor* zeros = nullptr;
      DF_TRY(ctx.AllocateOutput(0, values.shape(), &zeros));
      for (int64_t i = 0; i < values.num_elements(); ++i) {
        DF_ASSIGN(zeros->data<Variant>()[i], ZerosLike(ctx, values.data<Variant>()[i]));
      }
      return Status();
    }
  };
};

struct AddNOfVariants {
  template <class T>
  class Kernel : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup&) {}
    Status Compute(OpContext& ctx) {
      for (int i = 0; i < ctx.num_inputs(); ++i) {
        if (ctx.input(i).shape().rank() == 0) continue;
        return InvalidArgument("AddN of variants takes scalars, but input ", i, " has shape ", ctx.input(i).shape());
      }
      Variant sum = ctx.input(0).scalar<Variant>();
      for (int i = 1; i < ctx.num_inputs(); ++i) {
        DF_ASSIGN(sum, Add(ctx, sum, ctx.input(i).scalar<Variant>()));
      }
      Tensor* output = nullptr;
      DF_TRY(ctx.AllocateOutput(0, Shape(), &output));
      *output->data<Variant>() = std::move(sum);
      return Status();
    }
  };
};

CPU_KERNEL("ZerosLike", ZerosLikeOfVariants, Variant);
CPU_KERNEL("AddN", AddNOfVariants, Variant);

}  // namespace
}  // namespace dfrun
