#include "kernels/device/cpu_kernel.h"
#include "kernels/queues/queue.h"
#include "kernels/random/random_state.h"
#include "kernels/state/device_resource.h"

namespace dfrun {
namespace {

// The kind is the op's name without "V2".
std::string KindOf(const KernelSetup& setup) {
  std::string kind = setup.node().op->name;
  if (kind.ends_with("V2")) kind.resize(kind.size() - 2);
  return kind;
}

Result<QueueType> ReadType(KernelSetup& setup) {
  QueueType type;
  type.kind = KindOf(setup);
  type.dtypes = setup.attr<std::vector<DType>>("component_types");
  type.shapes = setup.attr<std::vector<PartialShape>>("shapes");
  type.capacity = setup.attr<int64_t>("capacity");
  type.pads = type.kind == "PaddingFIFOQueue";
  if (setup.attrs().Find("min_after_dequeue") != nullptr) {
    type.min_after_dequeue = setup.attr<int64_t>("min_after_dequeue");
    type.seeds = {setup.attr<int64_t>("seed"), setup.attr<int64_t>("seed2")};
  }
  DF_TRY(setup.status());
  if (!type.shapes.empty() && type.shapes.size() != type.dtypes.size()) {
    return InvalidArgument("attr 'shapes' has ", type.shapes.size(), " entries, but there are ", type.dtypes.size(),
                           " components");
  }
  if (type.min_after_dequeue < 0 || (type.capacity >= 0 && type.min_after_dequeue >= type.capacity)) {
    return InvalidArgument("attr 'min_after_dequeue' is ", type.min_after_dequeue,
                           "; it must be at least 0 and below the capacity, ", type.capacity);
  }
  const bool has_priorities = type.kind == "PriorityQueue";
  if ((has_priorities || type.pads) && type.shapes.size() != type.dtypes.size()) {
    return InvalidArgument("a ", type.kind, " needs a shape for each of its ", type.dtypes.size(), " components");
  }
  if (has_priorities) {
    type.dtypes.insert(type.dtypes.begin(), DType::kInt64);
    type.shapes.insert(type.shapes.begin(), PartialShape::Scalar());
  }
  return type;
}

std::unique_ptr<ElementStore> NewStore(KernelSetup& setup, const QueueType& type) {
  if (type.kind == "PriorityQueue") return NewPriorityStore();
  if (type.kind == "RandomShuffleQueue") return NewShuffleStore(RandomState(setup).Reserve(StepContext(), 0));
  return NewFifoStore();
}

struct MakeQueue {
  using Object = Queue;
  static Result<RefPtr<Queue>> FindOrMake(KernelSetup& setup, DeviceResourceHandle& handle) {
    DF_ASSIGN(const QueueType type, ReadType(setup));
    DF_ASSIGN(RefPtr<Queue> queue, handle.Find<Queue>(setup, [&](const std::string& name) -> Result<Queue*> {
      return new Queue(name, type, NewStore(setup, type));
    }));
    if (queue->type().Serves(type)) return queue;
    return InvalidArgument("the node ", setup.node().name, " shares ", queue->DebugString(),
                           ", which has other components, shapes, bounds or seeds");
  }
};

using QueueKernel = DeviceResourceKernel<MakeQueue>;

CPU_KERNEL_ANY("FIFOQueue", QueueKernel);
CPU_KERNEL_ANY("FIFOQueueV2", QueueKernel);
CPU_KERNEL_ANY("PaddingFIFOQueue", QueueKernel);
CPU_KERNEL_ANY("PaddingFIFOQueueV2", QueueKernel);
CPU_KERNEL_ANY("RandomShuffleQueue", QueueKernel);
CPU_KERNEL_ANY("RandomShuffleQueueV2", QueueKernel);
CPU_KERNEL_ANY("PriorityQueue", QueueKernel);
CPU_KERNEL_ANY("PriorityQueueV2", QueueKernel);

}  // namespace
}  // namespace dfrun
