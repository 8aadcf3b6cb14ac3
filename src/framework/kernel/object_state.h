// The state that a checkpoint keeps of objects that outlive steps: queues, tables, accumulators, readers, what a
// sampler learned.
//
// The state of an object is tensors: as many, of the same names and dtypes, for every object that one node can make. A
// kind of object says which, and how they are taken and given back, in a file of its own:
//
//   KEEPS_STATE((ObjectState{.parts = &PartsOfTable, .save = &Save, .restore = &Restore}), "HashTableV2", ...);
#ifndef DFRUN_SRC_FRAMEWORK_KERNEL_OBJECT_STATE_H_
#define DFRUN_SRC_FRAMEWORK_KERNEL_OBJECT_STATE_H_

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/framework/kernel/op_context.h"
#include "src/framework/values/attr.h"

namespace dfrun {

// A tensor of an object's state.
struct StatePart {
  std::string name;  // among those of the object: "closed"; "": it is all but the whole of it
  DType dtype = DType::kInvalid;
  PartialShape shape;
};

// Returns the name of a part of the state of node `q` in a checkpoint: "q/closed".
inline std::string NameOfPart(const std::string& node, const StatePart& part) {
  return part.name.empty() ? node : node + "/" + part.name;
}

// Facts about the object for the kernels that take and give a state, beside its handle, which is input 0 where it has
// one.
struct StatefulNode {
  std::string object;                // the attr `_position` of a node that has the object to itself
  std::vector<PartialShape> shapes;  // shapes of the parts
  size_t handles = 0;                // number of inputs that are handles
};

inline constexpr std::string_view kSaveObject = "_ObjectState";
inline constexpr std::string_view kRestoreObject = "_SetObjectState";

// A kind of object. Both functions run between steps, when no call waits in the object.
struct ObjectState {
  // Returns the parts of the state, given the attrs of a node that makes the object, or has it to itself. An error
  // names what no checkpoint can hold. Null where an object holds nothing between steps.
  Result<std::vector<StatePart>> (*parts)(const AttrMap& attrs) = nullptr;
  // The tensors, in the order of the parts, in host memory.
  Result<std::vector<Tensor>> (*save)(OpContext& ctx, const StatefulNode& node) = nullptr;
  // Brings an object to a state that was saved. DataLoss, and no change, for tensors that are no state of it.
  Status (*restore)(OpContext& ctx, const StatefulNode& node, std::span<const Tensor> parts) = nullptr;
  // The ops that do so; others than these have attr `dtype`, that of the first part, and kernels of their own.
  std::string_view save_op = kSaveObject;
  std::string_view restore_op = kRestoreObject;
};

// Finds the state of the objects that nodes of this op make or have; null where the op is not registered.
const ObjectState* FindObjectState(std::string_view op);

// The attrs of a node of `save_op` and of one of `restore_op`. `maker`: the op of the node that makes the object, or
// has it to itself, and then `object` is its attr `_position`; `handles`: the dtype of the handle, if there is one.
AttrMap StateAttrs(const ObjectState& state, const std::string& maker, const std::vector<DType>& handles,
                   const std::vector<StatePart>& parts, const std::string& object = "");

// Returns DataLoss where tensors are not of the dtypes and shapes of the parts, or not as many.
Status CheckParts(std::span<const Tensor> tensors, std::span<const StatePart> parts);

// Returns InvalidArgument for a dtype whose elements mean nothing to another process; `what` begins the sentence:
// "its keys are".
Status CheckKeepable(DType dtype, std::string_view what);

namespace internal {
struct ObjectStateRegistration {
  ObjectStateRegistration(const ObjectState& state, std::initializer_list<const char*> ops);
};
}  // namespace internal

#define KEEPS_STATE(state, ...)                                                                                      \
  [[maybe_unused]] static const ::dfrun::internal::ObjectStateRegistration DF_CONCAT(df_object_state_, __COUNTER__)( \
      state, {__VA_ARGS__})

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_KERNEL_OBJECT_STATE_H_
