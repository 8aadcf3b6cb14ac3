// HDF5Reader and SampleReader: batches of a data set that the readers of a device share.
#include "kernels/device/cpu_kernel.h"
#include "kernels/io/node_reader.h"

namespace dfrun {
namespace {

class SampleReaderKernel final : public AsyncKernel {
 public:
  explicit SampleReaderKernel(KernelSetup& setup) {
    Result<RefPtr<NodeReader>> found = NodeReader::Of(setup, setup.device().allocator());
    if (found.ok()) {
      shared_ = *std::move(found);
    } else {
      setup.Fail(found.status());
    }
  }

  void ComputeAsync(OpContext& ctx, Callback done) override {
    shared_->reader().Request(ctx.input(0).scalar<int64_t>(), GiveTo(ctx, done));
  }

 private:
  RefPtr<NodeReader> shared_;
};

CPU_KERNEL_ANY("HDF5Reader", SampleReaderKernel);
CPU_KERNEL_ANY("SampleReader", SampleReaderKernel);

}  // namespace
}  // namespace dfrun
