#include "kernels/device/cuda/runtime/cuda_kernel.h"

#include "kernels/device/cuda/runtime/cuda_status.h"

namespace dfrun::cuda {
namespace {

// Has `record` keep the work of the call where its subgraph is recorded; else has `enqueue` enqueue it.
Status Enqueue(OpContext& ctx, FunctionRef<void(WorkRecorder&)> record,
               FunctionRef<cudaError_t(cudaStream_t)> enqueue) {
  CudaDevice& device = DeviceOf(ctx);
  ctx.SetEnqueued();
  if (WorkRecorder* const recorder = device.recorder(); recorder != nullptr) {
    record(*recorder);
    return Status();
  }
  device.gpu().MakeCurrent();
  device.gpu().CountStreamCall();
  const cudaError_t error = device.gpu().Enqueue(enqueue);
  if (error == cudaSuccess) return Status();
  const NodeInfo& node = ctx.node();
  return CudaStatus(error,
                    StrCat("enqueue node '", node.name, "' (op ", node.op->name, ") on ", ctx.device().full_name()));
}

}  // namespace

Status EnqueueFunction(OpContext& ctx, const void* entry, FunctionGrid grid, std::span<const FunctionArg> args) {
  return Enqueue(
      ctx, [&](WorkRecorder& recorder) { recorder.AddFunction(entry, grid, args); },
      [&](cudaStream_t stream) {
        constexpr size_t kMaxArgs = 64;
        void* values[kMaxArgs];
        DF_CHECK(args.size() <= kMaxArgs);
        for (size_t i = 0; i < args.size(); ++i) values[i] = const_cast<void*>(args[i].value);
        return cudaLaunchKernel(entry, dim3(static_cast<unsigned>(grid.blocks)),
                                dim3(static_cast<unsigned>(grid.threads)), values, 0, stream);
      });
}

Status EnqueueByte(OpContext& ctx, void* to, int value, size_t bytes) {
  if (bytes == 0) return Status();
  return Enqueue(
      ctx, [&](WorkRecorder& recorder) { recorder.AddFill(to, value, bytes); },
      [&](cudaStream_t stream) { return cudaMemsetAsync(to, value, bytes, stream); });
}

Status EnqueueBytes(OpContext& ctx, const void* from, void* to, size_t bytes) {
  if (bytes == 0 || from == to) return Status();
  return Enqueue(
      ctx, [&](WorkRecorder& recorder) { recorder.AddCopy(from, to, bytes); },
      [&](cudaStream_t stream) { return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream); });
}

Status EnqueueLibraryCall(OpContext& ctx, size_t workspace_bytes, FunctionRef<Status(cudaStream_t)> call) {
  Status called;
  DF_TRY(Enqueue(
      ctx, [&](WorkRecorder& recorder) { called = recorder.AddLibraryCall(workspace_bytes, call); },
      [&](cudaStream_t stream) {
        called = call(stream);
        return cudaSuccess;
      }));
  return called;
}

const int32_t* GateOf(const OpContext& ctx) {
  const WorkRecorder* const recorder = DeviceOf(ctx).recorder();
  return recorder == nullptr ? nullptr : recorder->gate();
}

namespace {

int32_t* AddWord(KernelSetup& setup, Gpu& gpu, std::string_view text) {
  const NodeInfo& node = setup.node();
  int32_t* const word = gpu.error_flags().Add(StrCat("node '", node.name, "' (op ", node.op->name, "): ", text));
  if (word == nullptr) setup.Fail(Error(Code::kResourceExhausted, "no pinned memory for a kernel's word"));
  return word;
}

}  // namespace

DeviceErrorFlag::DeviceErrorFlag(KernelSetup& setup, std::string_view text)
    : gpu_(static_cast<CudaDevice&>(setup.device()).gpu()), word_(AddWord(setup, gpu_, text)) {}

DeviceErrorFlag::~DeviceErrorFlag() {
  if (word_ != nullptr) gpu_.error_flags().Remove(word_);
}

}  // namespace dfrun::cuda
