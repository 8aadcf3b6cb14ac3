#include <algorithm>
#include <string>

#include "kernels/array/add_element.h"
#include "kernels/array/coordinates.h"
#include "kernels/array/element_size.h"
#include "kernels/array/int_values.h"
#include "kernels/device/cpu_kernel.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

// How an update changes an element.
struct Replace {
  template <class T>
  static T Combine(const T&, const T& update) {
    return update;
  }
};
struct Add {
  template <class T>
  static T Combine(const T& element, const T& update) {
    return AddElement(element, update);
  }
};
struct Subtract {
  template <class T>
  static T Combine(const T& element, const T& update) {
    return SubtractElement(element, update);
  }
};
struct Largest {
  template <class T>
  static T Combine(const T& element, const T& update) {
    return update > element ? update : element;
  }
};
struct Smallest {
  template <class T>
  static T Combine(const T& element, const T& update) {
    return update < element ? update : element;
  }
};

// The slices of a tensor of `shape` that the indices name, and a check that the updates fit them.
Result<CoordinateSlices> NamedSlices(const Tensor& indices, const Tensor& updates, const Shape& shape,
                                     BadIndices bad_indices) {
  DF_ASSIGN(CoordinateSlices named, ReadCoordinatesOfUpdates(indices, updates, shape, bad_indices));
  const int rank = indices.shape().rank();
  std::vector<int64_t> dims = named.prefix;
  for (int d = static_cast<int>(indices.shape().dim(rank - 1)); d < shape.rank(); ++d) dims.push_back(shape.dim(d));
  const std::span<const int64_t> given = updates.shape().dims();
  if (std::equal(dims.begin(), dims.end(), given.begin(), given.end())) return named;
  return InvalidArgument("updates of shape ", updates.shape(), " do not fit indices ", indices.shape(), " into ", shape,
                         ": they must have shape ", PartialShape(dims));
}

template <class F, class T>
void Scatter(const CoordinateSlices& named, const T* updates, T* y) {
  for (int64_t slice : named.slices) {
    if (slice != CoordinateSlices::kNowhere) {
      T* to = y + slice * named.row;
      for (int64_t i = 0; i < named.row; ++i) to[i] = F::template Combine<T>(to[i], updates[i]);
    }
    updates += named.row;
  }
}

class ScatterNdBase : public Kernel {
 public:
  explicit ScatterNdBase(KernelSetup& setup) : bad_indices_(ReadBadIndices(setup)) {}

 protected:
  const BadIndices bad_indices_;
};

struct ScatterNd {
  template <class T>
  class Kernel : public ScatterNdBase {
   public:
    using ScatterNdBase::ScatterNdBase;
    Status Compute(OpContext& ctx) {
      const Tensor& updates = ctx.input(1);
      DF_ASSIGN(const Shape shape, ShapeValue(ctx.input(2), "the shape to scatter into"));
      DF_ASSIGN(const CoordinateSlices named, NamedSlices(ctx.input(0), updates, shape, bad_indices_));
      Tensor* y = nullptr;
      DF_TRY(ctx.AllocateOutput(0, shape, &y));
      std::fill_n(y->data<T>(), shape.num_elements(), T());
      Scatter<Add>(named, updates.data<T>(), y->data<T>());
      return Status();
    }
  };
};

// Inputs: a tensor, the indices, the updates. The tensor's buffer becomes the result's where nobody else reads it.
class TensorScatterBase : public ScatterNdBase {
 public:
  using ScatterNdBase::ScatterNdBase;

 protected:
  Result<CoordinateSlices> Prepare(OpContext& ctx, Tensor** y) const {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(CoordinateSlices named, NamedSlices(ctx.input(1), ctx.input(2), x.shape(), bad_indices_));
    DF_TRY(ctx.ForwardOrAllocate(0, 0, x.shape(), y));
    if ((*y)->raw() != x.raw()) CopyElements(x, **y);
    return named;
  }
};

template <class F>
struct TensorScatter {
  template <class T>
  class Kernel : public TensorScatterBase {
   public:
    using TensorScatterBase::TensorScatterBase;
    Status Compute(OpContext& ctx) {
      Tensor* y = nullptr;
      DF_ASSIGN(const CoordinateSlices named, Prepare(ctx, &y));
      Scatter<F>(named, ctx.input(2).data<T>(), y->data<T>());
      return Status();
    }
  };
};

class TensorScatterUpdateKernel : public TensorScatterBase {
 public:
  using TensorScatterBase::TensorScatterBase;
  Status Compute(OpContext& ctx) {
    Tensor* y = nullptr;
    DF_ASSIGN(const CoordinateSlices named, Prepare(ctx, &y));
    VisitElement(y->dtype(), [&](auto tag) {
      using E = typename decltype(tag)::type;
      Scatter<Replace>(named, static_cast<const E*>(ctx.input(2).raw()), static_cast<E*>(y->raw()));
    });
    return Status();
  }
};

CPU_KERNEL("ScatterNd", ScatterNd, DF_NUMBERS, bool, std::string);
CPU_KERNEL_ANY("TensorScatterUpdate", TensorScatterUpdateKernel);
CPU_KERNEL("TensorScatterAdd", TensorScatter<Add>, DF_NUMBERS);
CPU_KERNEL("TensorScatterSub", TensorScatter<Subtract>, DF_NUMBERS);
CPU_KERNEL("TensorScatterMax", TensorScatter<Largest>, DF_REAL);
CPU_KERNEL("TensorScatterMin", TensorScatter<Smallest>, DF_REAL);

}  // namespace
}  // namespace dfrun
