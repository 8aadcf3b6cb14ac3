// The position of a random node, on the device of the node.
#include "kernels/random/random_state.h"
#include "src/framework/kernel/kernel_registry.h"

namespace dfrun {
namespace {

class PositionKernel : public Kernel {
 public:
  explicit PositionKernel(KernelSetup& setup) {
    Result<RefPtr<RandomPosition>> found = RandomPosition::Named(setup.attr<std::string>("position"), setup.device());
    if (found.ok()) {
      position_ = *std::move(found);
    } else {
      setup.Fail(found.status());
    }
  }

 protected:
  std::atomic<uint64_t>& blocks() const { return position_->blocks; }
  RandomPosition& position() const { return *position_; }

 private:
  RefPtr<RandomPosition> position_;
};

class ReadPosition final : public PositionKernel {
 public:
  static constexpr std::string_view kHostOutputs[] = {"blocks"};
  using PositionKernel::PositionKernel;
  Status Compute(OpContext& ctx) {
    Tensor* out = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &out));
    *out->data<int64_t>() = static_cast<int64_t>(blocks().load());
    return Status();
  }
};

class WritePosition final : public PositionKernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"blocks"};
  using PositionKernel::PositionKernel;
  Status Compute(OpContext& ctx) {
    if (ctx.input(0).num_elements() != 1) {
      return InvalidArgument("a position of shape ", ctx.input(0).shape(), " is no scalar");
    }
    blocks().store(static_cast<uint64_t>(*ctx.input(0).data<int64_t>()));
    return Status();
  }
};

class RewindPosition final : public PositionKernel {
 public:
  using PositionKernel::PositionKernel;
  Status Compute(OpContext&) {
    position().Rewind();
    return Status();
  }
};

DEVICE_KERNEL_ANY(kAnyDevice, "RandomPosition", ReadPosition);
DEVICE_KERNEL_ANY(kAnyDevice, "RewindRandomPosition", RewindPosition);
DEVICE_KERNEL_ANY(kAnyDevice, "SetRandomPosition", WritePosition);

}  // namespace
}  // namespace dfrun
