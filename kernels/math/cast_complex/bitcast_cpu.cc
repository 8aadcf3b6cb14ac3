#include <vector>

#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

class BitcastKernel : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit BitcastKernel(KernelSetup& setup) : to_(setup.attr<DType>("type")) {}

  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    const auto from_bytes = static_cast<int64_t>(DTypeSize(x.dtype()));
    const auto to_bytes = static_cast<int64_t>(DTypeSize(to_));
    std::vector<int64_t> dims(x.shape().dims().begin(), x.shape().dims().end());
    if (to_bytes < from_bytes) dims.push_back(from_bytes / to_bytes);
    if (to_bytes > from_bytes) {
      if (dims.empty() || dims.back() != to_bytes / from_bytes)
        return InvalidArgument("Bitcast of ", x.dtype(), x.shape(), " to ", to_,
                               ": the last dimension must be of size ", to_bytes / from_bytes);
      dims.pop_back();
    }
    DF_ASSIGN(const Shape shape, Shape::Create(dims));
    ctx.SetOutput(0, x.Viewed(to_, shape));
    return Status();
  }

 private:
  const DType to_;
};

CPU_KERNEL_ANY("Bitcast", BitcastKernel);

}  // namespace
}  // namespace dfrun
