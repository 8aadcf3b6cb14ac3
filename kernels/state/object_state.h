// The state of objects behind handles, for their registrations with KEEPS_STATE.
#ifndef DFRUN_KERNELS_STATE_OBJECT_STATE_H_
#define DFRUN_KERNELS_STATE_OBJECT_STATE_H_

#include "kernels/state/device_resource.h"
#include "src/framework/kernel/object_state.h"

namespace dfrun {

// Saves and restores the T whose handle is input 0. T has
//     Result<std::vector<Tensor>> SaveState(Allocator& allocator);
//     Status RestoreState(std::span<const Tensor> parts, Allocator& allocator);
template <class T>
struct StateBehindHandle {
  static Result<std::vector<Tensor>> Save(OpContext& ctx, const StatefulNode& node) {
    DF_ASSIGN(const RefPtr<T> object, Find(ctx, node));
    return object->SaveState(ctx.allocator());
  }
  static Status Restore(OpContext& ctx, const StatefulNode& node, std::span<const Tensor> parts) {
    DF_ASSIGN(const RefPtr<T> object, Find(ctx, node));
    return object->RestoreState(parts, ctx.allocator()).Annotate(object->DebugString());
  }
  static constexpr ObjectState With(decltype(ObjectState::parts) parts) { return {parts, &Save, &Restore}; }

 private:
  static Result<RefPtr<T>> Find(OpContext& ctx, const StatefulNode& node) {
    if (node.handles == 1) return DeviceResourceInput<T>(ctx, 0, "object with a state");
    return InvalidArgument("the state of an object needs its handle, and there are ", node.handles);
  }
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_STATE_OBJECT_STATE_H_
