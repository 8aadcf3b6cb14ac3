// Objects that live as long as a step (stacks, tensor arrays), and how ops get at them: by a resource handle, or by a
// reference to a string [container, name].
#ifndef DFRUN_KERNELS_CONTROL_STEP_RESOURCE_H_
#define DFRUN_KERNELS_CONTROL_STEP_RESOURCE_H_

#include <string>
#include <string_view>

#include "src/framework/kernel/kernel.h"

namespace dfrun {

// Makes output 0 a handle, as its dtype asks for, to an object that was made in this execution. `container`: the sort
// of object; `name` need not be unique. The object dies with the step at the latest.
template <class T>
Status GiveStepResource(OpContext& ctx, const std::string& container, const std::string& name, RefPtr<T> object);

// The object behind input i. InvalidArgument or NotFound where the handle is of no such object.
template <class T>
Result<RefPtr<T>> StepResourceInput(OpContext& ctx, int i, const std::string& container);

// A name that no other execution has.
std::string UniqueStepName(std::string_view name);
Status GiveNamedReference(OpContext& ctx, const std::string& container, const std::string& name);
// The name in a string [container, name].
Result<std::string> NamedReferenceInput(OpContext& ctx, int i, const std::string& container);

template <class T>
Status GiveStepResource(OpContext& ctx, const std::string& container, const std::string& name, RefPtr<T> object) {
  const std::string unique = UniqueStepName(name);
  if (!ctx.node().outputs[0].is_ref) {
    ctx.SetOutput(0, Tensor::Scalar(ResourceHandle(unique, RefPtr<Resource>(object.get()))));
    return Status();
  }
  DF_TRY(ctx.step().step_containers->LookupOrCreate<T>(container, unique, [&] { return object.get(); }).status());
  return GiveNamedReference(ctx, container, unique);
}

template <class T>
Result<RefPtr<T>> StepResourceInput(OpContext& ctx, int i, const std::string& container) {
  const Tensor& handle = ctx.input(i);
  if (handle.dtype() == DType::kResource) {
    if (handle.num_elements() != 1) return InvalidArgument("a handle of shape ", handle.shape(), " is no scalar");
    DF_ASSIGN(T* const object, handle.data<ResourceHandle>()->template As<T>(container));
    return RefPtr<T>(object);
  }
  DF_ASSIGN(const std::string name, NamedReferenceInput(ctx, i, container));
  RefPtr<T> found = ctx.step().step_containers->Lookup<T>(container, name);
  if (!found) return NotFound("there is no ", container, " '", name, "' in this step");
  return found;
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_CONTROL_STEP_RESOURCE_H_
