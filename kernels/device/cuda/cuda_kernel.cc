#include "kernels/device/cuda/cuda_kernel.h"

#include "kernels/device/cuda/cuda_status.h"

namespace dfrun::cuda {

Status LaunchStatus(cudaError_t error, const OpContext& ctx) {
  const NodeInfo& node = ctx.node();
  return CudaStatus(error,
                    StrCat("enqueue node '", node.name, "' (op ", node.op->name, ") on ", ctx.device().full_name()));
}

Status EnqueueByte(OpContext& ctx, void* to, int value, size_t bytes) {
  if (bytes == 0) return Status();
  Card& card = CardOf(ctx);
  card.MakeCurrent();
  if (const cudaError_t error = cudaMemsetAsync(to, value, bytes, card.stream()); error != cudaSuccess) {
    return LaunchStatus(error, ctx);
  }
  ctx.SetEnqueued();
  return Status();
}

Status EnqueueBytes(OpContext& ctx, const void* from, void* to, size_t bytes) {
  if (bytes == 0 || from == to) return Status();
  Card& card = CardOf(ctx);
  card.MakeCurrent();
  const cudaError_t error = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, card.stream());
  if (error != cudaSuccess) return LaunchStatus(error, ctx);
  ctx.SetEnqueued();
  return Status();
}

namespace {

int32_t* AddWord(KernelSetup& setup, Card& card, std::string_view text) {
  const NodeInfo& node = setup.node();
  int32_t* const word = card.refusals().Add(StrCat("node '", node.name, "' (op ", node.op->name, "): ", text));
  if (word == nullptr) setup.Fail(Error(Code::kResourceExhausted, "no pinned memory for a kernel's word"));
  return word;
}

}  // namespace

Refusal::Refusal(KernelSetup& setup, std::string_view text)
    : card_(static_cast<CudaDevice&>(setup.device()).card()), word_(AddWord(setup, card_, text)) {}

Refusal::~Refusal() {
  if (word_ != nullptr) card_.refusals().Remove(word_);
}

}  // namespace dfrun::cuda
