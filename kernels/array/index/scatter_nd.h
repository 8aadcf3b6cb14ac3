// The shared part of scatters into new tensors, on any device: ScatterNd, and TensorScatterUpdate and its kin. The
// inputs of the latter are a tensor, the indices and the updates; the tensor's buffer becomes the result's if nothing
// else reads it.
#ifndef DFRUN_KERNELS_ARRAY_INDEX_SCATTER_ND_H_
#define DFRUN_KERNELS_ARRAY_INDEX_SCATTER_ND_H_

#include <utility>

#include "kernels/array/index/add_element.h"
#include "kernels/array/index/coordinates.h"

namespace dfrun {

// Functors that combine an element with an update.
namespace scatter {

struct Replace {
  template <class T>
  static constexpr T Combine(const T&, const T& update) {
    return update;
  }
};
struct Add {
  template <class T>
  static constexpr T Combine(const T& element, const T& update) {
    return AddElement(element, update);
  }
};
struct Subtract {
  template <class T>
  static constexpr T Combine(const T& element, const T& update) {
    return SubtractElement(element, update);
  }
};
struct Largest {
  template <class T>
  static constexpr T Combine(const T& element, const T& update) {
    return update > element ? update : element;
  }
};
struct Smallest {
  template <class T>
  static constexpr T Combine(const T& element, const T& update) {
    return update < element ? update : element;
  }
};

}  // namespace scatter

class ScatterNdBase : public Kernel {
 public:
  explicit ScatterNdBase(KernelSetup& setup) : bad_indices_(ReadBadIndices(setup)) {}

 protected:
  // The slices of a tensor of `shape` that the indices name, and a check that the updates fit them.
  static Result<CoordinatePlan> PlanSlices(const Shape& indices, const Shape& updates, const Shape& shape) {
    DF_ASSIGN(CoordinatePlan plan, CoordinatePlan::OfUpdates(indices, updates, shape));
    DF_TRY(CheckUpdatesOfSlices(plan, indices, updates, shape));
    return plan;
  }
  Result<CoordinateSlices> NamedSlices(const Tensor& indices, const Tensor& updates, const Shape& shape) const {
    DF_ASSIGN(CoordinatePlan plan, PlanSlices(indices.shape(), updates.shape(), shape));
    return ReadSlices(std::move(plan), indices, shape, bad_indices_);
  }
  BadIndices bad_indices() const { return bad_indices_; }

 private:
  const BadIndices bad_indices_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_INDEX_SCATTER_ND_H_
