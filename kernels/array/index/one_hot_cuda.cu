#include <vector>

#include "kernels/array/copy/movement_cuda.h"
#include "kernels/array/element_size.h"
#include "kernels/array/int_values.h"
#include "kernels/device/cuda/runtime/launch.h"

namespace dfrun {
namespace {

template <class E, class Index>
DF_DEVICE_KERNEL void MarkHot(const Index* indices, const E* on, const E* off, E* y, int64_t count, int64_t depth,
                              int64_t inner) {
  const int64_t i = cuda::GlobalThreadId();
  if (i >= count) return;
  const int64_t line = i / inner;
  const int64_t outer = line / depth;
  const auto hot = static_cast<int64_t>(indices[outer * inner + (i - line * inner)]);
  y[i] = hot == line - outer * depth ? *on : *off;
}

class OneHotKernel : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"depth"};
  explicit OneHotKernel(KernelSetup& setup) : axis_(setup.attr<int64_t>("axis")) {}
  Status Compute(OpContext& ctx) {
    const Shape& indices = ctx.input(0).shape();
    DF_ASSIGN(const int64_t depth, IntScalar(ctx.input(1), "the depth"));
    DF_TRY(Check(ctx, depth));
    const int64_t axis = axis_ < 0 ? indices.rank() : axis_;
    std::vector<int64_t> dims(indices.dims().begin(), indices.dims().end());
    int64_t inner = 1;
    for (size_t d = static_cast<size_t>(axis); d < dims.size(); ++d) inner *= dims[d];
    dims.insert(dims.begin() + axis, depth);
    DF_ASSIGN(const Shape shape, Shape::Create(dims));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    const int64_t count = shape.num_elements();
    Status status;
    VisitDType<uint8_t, int8_t, int32_t, int64_t>(ctx.input(0).dtype(), [&](auto index_tag) {
      using Index = typename decltype(index_tag)::type;
      VisitElementOfSize(DTypeSize(y->dtype()), [&](auto tag) {
        using E = typename decltype(tag)::type;
        status = cuda::Launch(ctx, count, &MarkHot<E, Index>, ctx.input(0).data<Index>(),
                              static_cast<const E*>(ctx.input(2).raw()), static_cast<const E*>(ctx.input(3).raw()),
                              static_cast<E*>(y->raw()), count, depth, inner);
      });
    });
    return status;
  }

 private:
  Status Check(const OpContext& ctx, int64_t depth) const {
    const int rank = ctx.input(0).shape().rank();
    if (depth < 0) return InvalidArgument("the depth of OneHot is ", depth);
    for (int i = 2; i < 4; ++i) {
      if (ctx.input(i).shape().rank() != 0)
        return InvalidArgument("OneHot: input ", i, " has shape ", ctx.input(i).shape(), ", but must be a scalar");
    }
    if (rank == Shape::kMaxRank) return InvalidArgument("OneHot of a tensor of the highest rank");
    if (axis_ < -1 || axis_ > rank)
      return InvalidArgument("OneHot: the axis ", axis_, " is neither -1 nor in [0, ", rank, "]");
    return Status();
  }

  const int64_t axis_;
};

CUDA_KERNEL("OneHot", cuda::ByBytes<OneHotKernel>, DF_PLAIN);

}  // namespace
}  // namespace dfrun
