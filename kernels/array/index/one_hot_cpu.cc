#include "kernels/array/copy/fill_elements.h"
#include "kernels/array/element_size.h"
#include "kernels/array/int_values.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

class OneHotKernel : public Kernel {
 public:
  explicit OneHotKernel(KernelSetup& setup) : axis_(setup.attr<int64_t>("axis")) {}
  Status Compute(OpContext& ctx) {
    const Shape& indices = ctx.input(0).shape();
    DF_ASSIGN(const int64_t depth, IntScalar(ctx.input(1), "the depth"));
    if (depth < 0) return InvalidArgument("the depth of OneHot is ", depth);
    for (int i = 2; i < 4; ++i) {
      if (ctx.input(i).shape().rank() != 0)
        return InvalidArgument("OneHot: input ", i, " has shape ", ctx.input(i).shape(), ", but must be a scalar");
    }
    if (indices.rank() == Shape::kMaxRank) return InvalidArgument("OneHot of a tensor of the highest rank");
    if (axis_ < -1 || axis_ > indices.rank())
      return InvalidArgument("OneHot: the axis ", axis_, " is neither -1 nor in [0, ", indices.rank(), "]");
    const int64_t axis = axis_ < 0 ? indices.rank() : axis_;
    std::vector<int64_t> dims(indices.dims().begin(), indices.dims().end());
    int64_t inner = 1;
    for (size_t d = static_cast<size_t>(axis); d < dims.size(); ++d) inner *= dims[d];
    dims.insert(dims.begin() + axis, depth);
    DF_ASSIGN(const Shape shape, Shape::Create(dims));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    const std::vector<int64_t> hot = IntValues(ctx.input(0));
    VisitElement(y->dtype(), [&](auto tag) {
      using E = typename decltype(tag)::type;
      E* to = static_cast<E*>(y->raw());
      FillElements(ctx.pool(), to, shape.num_elements(), *static_cast<const E*>(ctx.input(3).raw()));
      for (int64_t i = 0; i < static_cast<int64_t>(hot.size()); ++i) {
        if (hot[i] >= 0 && hot[i] < depth)
          to[(i / inner * depth + hot[i]) * inner + i % inner] = *static_cast<const E*>(ctx.input(2).raw());
      }
    });
    return Status();
  }

 private:
  const int64_t axis_;
};

CPU_KERNEL_ANY("OneHot", OneHotKernel);

}  // namespace
}  // namespace dfrun
