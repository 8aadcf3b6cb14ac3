#include <utility>

#include "kernels/array/int_values.h"
#include "kernels/control/tensor_list.h"
#include "kernels/device/cpu_kernel.h"
#include "kernels/queues/element_batch.h"
#include "kernels/state/device_resource.h"

namespace dfrun {
namespace {

Result<RefPtr<Queue>> QueueInput(const OpContext& ctx) {
  return DeviceResourceInput<Queue>(ctx, 0, "queue");
}

// The queue takes `done` where Start() gives OK.
template <class Op>
class QueueCallKernel final : public AsyncKernel {
 public:
  explicit QueueCallKernel(KernelSetup& setup) : op_(setup) {}
  void ComputeAsync(OpContext& ctx, Callback done) override {
    Status status = Start(ctx, done);
    if (!status.ok()) done(std::move(status));
  }

 private:
  Status Start(OpContext& ctx, Callback done) {
    DF_ASSIGN(const RefPtr<Queue> queue, QueueInput(ctx));
    return op_.Start(ctx, *queue, done);
  }
  const Op op_;
};

// The inputs after the handle are the components of an element, or of many, one a row.
Status CheckInputs(const OpContext& ctx, const Queue& queue, bool rows) {
  DF_TRY(queue.CheckComponents(static_cast<size_t>(ctx.num_inputs()) - 1));
  for (int i = 1; i < ctx.num_inputs(); ++i) {
    const Shape& shape = ctx.input(i).shape();
    DF_TRY(queue.CheckComponent(static_cast<size_t>(i) - 1, ctx.input(i).dtype(), rows ? RowShape(shape) : shape));
  }
  return Status();
}

struct Enqueue {
  explicit Enqueue(KernelSetup&) {}
  static Status Start(OpContext& ctx, Queue& queue, Callback done) {
    std::vector<QueueElement> elements(1);
    DF_TRY(CheckInputs(ctx, queue, false));
    DF_ASSIGN(elements[0], ElementOfInputs(ctx, 1));
    queue.Enqueue(ctx, std::move(elements), done);
    return Status();
  }
};

struct EnqueueMany {
  explicit EnqueueMany(KernelSetup&) {}
  static Status Start(OpContext& ctx, Queue& queue, Callback done) {
    DF_ASSIGN(std::vector<QueueElement> elements, ElementsOfInputs(ctx, 1));
    DF_TRY(CheckInputs(ctx, queue, true));
    if (elements.empty()) {
      done(Status());  // done even if the queue is full or closed, as in TensorFlow
      return Status();
    }
    queue.Enqueue(ctx, std::move(elements), done);
    return Status();
  }
};

Status CheckOutputs(const OpContext& ctx, const Queue& queue) {
  const std::vector<DType>& dtypes = queue.type().dtypes;
  bool same = dtypes.size() == static_cast<size_t>(ctx.num_outputs());
  for (size_t c = 0; same && c < dtypes.size(); ++c) same = ctx.node().outputs[c].dtype == dtypes[c];
  if (same) return Status();
  return InvalidArgument("attr 'component_types' is not that of ", queue.DebugString(), ", which has ", dtypes.size(),
                         " components");
}

struct Dequeue {
  explicit Dequeue(KernelSetup&) {}
  static Status Start(OpContext& ctx, Queue& queue, Callback done) {
    DF_TRY(CheckOutputs(ctx, queue));
    queue.Dequeue(ctx, done);
    return Status();
  }
};

template <bool kUpTo>
struct DequeueMany {
  explicit DequeueMany(KernelSetup&) {}
  static Status Start(OpContext& ctx, Queue& queue, Callback done) {
    DF_TRY(CheckOutputs(ctx, queue));
    DF_ASSIGN(const int64_t n, OnlyInt(ctx.input(1), "the number of elements"));
    if (n < 0) return InvalidArgument(ctx.node().op->name, " requested ", n, " < 0 elements");
    DF_TRY(queue.CheckBatches());
    queue.DequeueMany(ctx, n, kUpTo, done);
    return Status();
  }
};

struct Close {
  explicit Close(KernelSetup& setup) : cancels(setup.attr<bool>("cancel_pending_enqueues")) {}
  Status Start(OpContext& ctx, Queue& queue, Callback done) const {
    queue.Close(ctx, cancels, done);
    return Status();
  }
  const bool cancels;
};

struct Size {
  using Value = int32_t;
  static Value Of(const Queue& queue) { return static_cast<int32_t>(queue.size()); }
};
struct IsClosed {
  using Value = bool;
  static Value Of(const Queue& queue) { return queue.is_closed(); }
};

// A scalar that the queue knows.
template <class Property>
class QueuePropertyKernel final : public Kernel {
 public:
  explicit QueuePropertyKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<Queue> queue, QueueInput(ctx));
    Tensor* value = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &value));
    *value->data<typename Property::Value>() = Property::Of(*queue);
    return Status();
  }
};

#define QUEUE_KERNEL(op, ...)              \
  CPU_KERNEL_ANY("Queue" op, __VA_ARGS__); \
  CPU_KERNEL_ANY("Queue" op "V2", __VA_ARGS__)

QUEUE_KERNEL("Enqueue", QueueCallKernel<Enqueue>);
QUEUE_KERNEL("EnqueueMany", QueueCallKernel<EnqueueMany>);
QUEUE_KERNEL("Dequeue", QueueCallKernel<Dequeue>);
QUEUE_KERNEL("DequeueMany", QueueCallKernel<DequeueMany<false>>);
QUEUE_KERNEL("DequeueUpTo", QueueCallKernel<DequeueMany<true>>);
QUEUE_KERNEL("Close", QueueCallKernel<Close>);
QUEUE_KERNEL("Size", QueuePropertyKernel<Size>);
QUEUE_KERNEL("IsClosed", QueuePropertyKernel<IsClosed>);

}  // namespace
}  // namespace dfrun
