// HDF5Reader and SampleReader on devices with memory of their own: a step's batch is there when the step begins.
#include "kernels/io/batch_uploads.h"
#include "src/framework/device/graph_capture.h"
#include "src/framework/kernel/kernel_registry.h"

namespace dfrun {
namespace {

class UploadingReaderKernel final : public AsyncKernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"position"};

  explicit UploadingReaderKernel(KernelSetup& setup) {
    if (Status status = Init(setup); !status.ok()) setup.Fail(std::move(status));
  }

  void ComputeAsync(OpContext& ctx, Callback done) override {
    uploads_->Request(ctx.input(0).scalar<int64_t>(), GiveTo(ctx, done));
  }

 private:
  Status Init(KernelSetup& setup) {
    Device& device = setup.device();
    DF_ASSIGN(RefPtr<NodeReader> reader, NodeReader::Of(setup, device.host_allocator()));
    CapturingDevice* const recording = CapturingDevice::Of(device);
    Allocator& memory = recording == nullptr ? device.allocator() : recording->uploads();
    const std::string key = reader->key();
    DF_ASSIGN(uploads_, device.containers().LookupOrCreate<BatchUploads>("", key, [&]() -> Result<BatchUploads*> {
      return new BatchUploads(std::move(reader), device, memory);
    }));
    return Status();
  }

  RefPtr<BatchUploads> uploads_;
};

DEVICE_KERNEL_ANY(kAnyDevice, "HDF5Reader", UploadingReaderKernel);
DEVICE_KERNEL_ANY(kAnyDevice, "SampleReader", UploadingReaderKernel);

}  // namespace
}  // namespace dfrun
