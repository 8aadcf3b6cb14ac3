// The sum of a conditional accumulator between two takes: dense gradients, or slices of them.
// Semantics: TensorFlow's conditional accumulators.
#ifndef DFRUN_KERNELS_QUEUES_GRADIENT_SUM_H_
#define DFRUN_KERNELS_QUEUES_GRADIENT_SUM_H_

#include <memory>
#include <span>
#include <vector>

#include "src/framework/kernel/kernel.h"

namespace dfrun {

struct AccumulatorType {
  DType dtype = DType::kInvalid;
  PartialShape shape;
  bool takes_mean = true;
  bool is_sparse = false;
  bool operator==(const AccumulatorType& other) const {
    return dtype == other.dtype && shape == other.shape && takes_mean == other.takes_mean &&
           is_sparse == other.is_sparse;
  }
};

// Borrows its tensors. Of a sparse one `values` are slices along dimension 0, slice i being row indices[i] of the
// whole.
struct Gradient {
  const Tensor& values;
  const Tensor* indices = nullptr;  // null: dense
  const Tensor* shape = nullptr;    // shape of the whole, where it is known
};

// Thread safety: as a vector.
class GradientSum {
 public:
  virtual ~GradientSum() = default;
  // Adds a gradient. InvalidArgument, and no change, where it does not fit the accumulator or the gradients added
  // before.
  virtual Status Add(OpContext& ctx, const Gradient& gradient) = 0;
  // Sets the outputs of a taking op. At least one gradient was added; `count`: by how many the sum is divided, 0: by
  // none.
  virtual Status Give(OpContext& ctx, int32_t count) = 0;

  // Appends the parts of the sum: the values packed (packed_tensors.h); for a sparse sum also its indices and the
  // number of gradients that had each.
  virtual Status Save(Allocator& allocator, std::vector<Tensor>& parts) const = 0;
  // Restores a new sum from the parts that another has saved; DataLoss, and no change, for parts that are none.
  virtual Status Restore(std::span<const Tensor> parts, Allocator& allocator) = 0;
};

// `type` outlives the sum.
std::unique_ptr<GradientSum> NewDenseSum(const AccumulatorType& type);
// Slices of one index are added up, and a mean is that of the gradients that have the index.
std::unique_ptr<GradientSum> NewSparseSum(const AccumulatorType& type);

// Calls f with a value of the dtype, which the accumulator's kernel has made sure of.
template <class F>
void VisitAccumulated(DType dtype, F&& f) {
  VisitDType<float, double, float16>(dtype, [&](auto tag) { f(typename decltype(tag)::type{}); });
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_QUEUES_GRADIENT_SUM_H_
