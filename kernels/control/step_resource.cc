#include "kernels/control/step_resource.h"

#include <atomic>

#include "src/framework/kernel/variable.h"

namespace dfrun {

std::string UniqueStepName(std::string_view name) {
  static std::atomic<int64_t> next{0};
  return StrCat(name, "_", next.fetch_add(1, std::memory_order_relaxed));
}

Status GiveNamedReference(OpContext& ctx, const std::string& container, const std::string& name) {
  RefPtr<Variable> variable(new Variable(name, DType::kString, PartialShape({2})));
  {
    MutexLock lock(variable->mu());
    DF_TRY(variable->Assign(Tensor::Vector<std::string>({container, name}), ctx.device()));
  }
  DF_TRY(
      ctx.step().step_containers->LookupOrCreate<Variable>(container, name, [&] { return variable.get(); }).status());
  ctx.SetOutputRef(0, variable.get());
  return Status();
}

Result<std::string> NamedReferenceInput(OpContext& ctx, int i, const std::string& container) {
  const Tensor& handle = ctx.input(i);
  if (handle.dtype() != DType::kString || handle.num_elements() != 2 || handle.data<std::string>()[0] != container) {
    return InvalidArgument("the handle is ", handle.ToString(), ", not one of a ", container);
  }
  return handle.data<std::string>()[1];
}

}  // namespace dfrun
