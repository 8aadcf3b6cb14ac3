#include "kernels/state/device_resource.h"

namespace dfrun {

Status DeviceResourceHandle::ReadNames(KernelSetup& setup) {
  container_ = setup.attr<std::string>("container");
  name_ = setup.attr<std::string>("shared_name");
  if (name_.empty()) name_ = setup.node().name;
  return setup.status();
}

Status DeviceResourceHandle::MakeHandle(KernelSetup& setup, RefPtr<Resource> object) {
  if (!setup.node().outputs[0].is_ref) {
    value_ = Tensor::Scalar(ResourceHandle(name_, std::move(object)));
    return Status();
  }
  reference_ = RefPtr<Variable>(new Variable(name_, DType::kString, PartialShape({2})));
  MutexLock lock(reference_->mu());
  DF_TRY(reference_->Assign(Tensor::Vector<std::string>({container_, name_}), setup.device()));
  value_ = Tensor::Reference(DType::kString, reference_.get());
  return Status();
}

Result<ObjectName> ObjectNameOf(const Tensor& handle, std::string_view kind) {
  if (handle.dtype() != DType::kString || handle.num_elements() != 2) {
    return InvalidArgument("the handle is ", handle.ToString(), ", not one of a ", kind);
  }
  return ObjectName{handle.data<std::string>()[0], handle.data<std::string>()[1]};
}

}  // namespace dfrun
