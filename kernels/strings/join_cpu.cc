#include <algorithm>

#include "kernels/array/copy/strided_copy.h"
#include "kernels/array/int_values.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

class StringJoinKernel final : public Kernel {
 public:
  explicit StringJoinKernel(KernelSetup& setup) : separator_(setup.attr<std::string>("separator")) {}

  Status Compute(OpContext& ctx) {
    Shape shape;
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      const Shape& input = ctx.input(i).shape();
      if (input.rank() == 0) continue;
      if (shape.rank() > 0 && !(input == shape)) {
        return InvalidArgument("cannot join strings of shapes ", shape, " and ", input);
      }
      shape = input;
    }
    Tensor* output = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &output));
    for (int64_t e = 0; e < output->num_elements(); ++e) {
      std::string& joined = output->data<std::string>()[e];
      joined.clear();
      for (int i = 0; i < ctx.num_inputs(); ++i) {
        if (i > 0) joined += separator_;
        joined += ctx.input(i).data<std::string>()[ctx.input(i).shape().rank() == 0 ? 0 : e];
      }
    }
    return Status();
  }

 private:
  const std::string separator_;
};

class ReduceJoinKernel final : public Kernel {
 public:
  explicit ReduceJoinKernel(KernelSetup& setup)
      : keep_dims_(setup.attr<bool>("keep_dims")), separator_(setup.attr<std::string>("separator")) {}

  Status Compute(OpContext& ctx) {
    const Tensor& input = ctx.input(0);
    DF_ASSIGN(const Plan plan, MakePlan(input.shape(), ctx.input(1)));
    Tensor* output = nullptr;
    DF_TRY(ctx.AllocateOutput(0, plan.output, &output));
    for (size_t o = 0; o < plan.kept.size(); ++o) {
      std::string joined;
      for (size_t j = 0; j < plan.joined.size(); ++j) {
        if (j > 0) joined += separator_;
        joined += input.data<std::string>()[plan.kept[o] + plan.joined[j]];
      }
      output->data<std::string>()[o] = std::move(joined);
    }
    return Status();
  }

 private:
  // Element o of the output joins the elements kept[o] + joined[0], kept[o] + joined[1], ...
  struct Plan {
    Shape output;
    std::vector<int64_t> kept;
    std::vector<int64_t> joined;
  };

  // Offsets of all index combinations of these dimensions, the first outermost.
  static std::vector<int64_t> Offsets(const Shape& shape, const std::vector<int>& dims) {
    const std::vector<int64_t> strides = RowMajorStrides(shape);
    std::vector<int64_t> offsets = {0};
    for (int d : dims) {
      std::vector<int64_t> next;
      next.reserve(offsets.size() * static_cast<size_t>(shape[d]));
      for (int64_t offset : offsets) {
        for (int64_t i = 0; i < shape[d]; ++i) next.push_back(offset + i * strides[static_cast<size_t>(d)]);
      }
      offsets = std::move(next);
    }
    return offsets;
  }

  Result<Plan> MakePlan(const Shape& shape, const Tensor& axes) const {
    if (axes.shape().rank() > 1)
      return InvalidArgument("the reduction indices have shape ", axes.shape(), ", but must be a vector or a scalar");
    std::vector<int> joined;
    for (int64_t axis : IntValues(axes)) {
      DF_ASSIGN(const int64_t d, CanonicalAxis(axis, shape.rank()));
      if (std::find(joined.begin(), joined.end(), d) != joined.end()) {
        return InvalidArgument("dimension ", d, " comes twice among the reduction indices");
      }
      joined.push_back(static_cast<int>(d));
    }
    std::vector<int> kept;
    std::vector<int64_t> sizes;
    for (int d = 0; d < shape.rank(); ++d) {
      const bool is_joined = std::find(joined.begin(), joined.end(), d) != joined.end();
      if (!is_joined) kept.push_back(d);
      if (!is_joined || keep_dims_) sizes.push_back(is_joined ? 1 : shape[d]);
    }
    std::reverse(joined.begin(), joined.end());
    DF_ASSIGN(Shape output, Shape::Create(sizes));
    // An output of any size may come of no input: bounded before anything of that size is made.
    if (shape.num_elements() == 0 && output.num_elements() > kMaxEmpty) {
      return InvalidArgument("joining nothing into ", output.num_elements(), " empty strings of shape ", output);
    }
    return Plan{output, Offsets(shape, kept), Offsets(shape, joined)};
  }

  static constexpr int64_t kMaxEmpty = int64_t{1} << 24;

  const bool keep_dims_;
  const std::string separator_;
};

CPU_KERNEL_ANY("StringJoin", StringJoinKernel);
CPU_KERNEL_ANY("ReduceJoin", ReduceJoinKernel);

}  // namespace
}  // namespace dfrun
