// Objects of a device that outlive steps (queues, readers, mutexes, accumulators), and how ops get at them: by a
// resource handle, or as TensorFlow 1 did by a reference to a string [container, name].
#ifndef DFRUN_KERNELS_STATE_DEVICE_RESOURCE_H_
#define DFRUN_KERNELS_STATE_DEVICE_RESOURCE_H_

#include <functional>
#include <string>

#include "src/framework/kernel/kernel.h"

namespace dfrun {

// A handle of the sort that the node's output 0 asks for. Made by the constructors of kernels.
class DeviceResourceHandle {
 public:
  // Finds the T that attrs container and shared_name (default: the node's name) name, or makes it.
  template <class T>
  Result<RefPtr<T>> Find(KernelSetup& setup, const std::function<Result<T*>(const std::string& name)>& make) {
    DF_TRY(ReadNames(setup));
    DF_ASSIGN(RefPtr<T> object,
              setup.device().containers().LookupOrCreate<T>(container_, name_, [&] { return make(name_); }));
    DF_TRY(MakeHandle(setup, RefPtr<Resource>(object.get())));
    return object;
  }
  // The handle's value, which the kernel's FixedOutput() returns.
  const Tensor& value() const { return value_; }

 private:
  Status ReadNames(KernelSetup& setup);
  Status MakeHandle(KernelSetup& setup, RefPtr<Resource> object);

  std::string container_;
  std::string name_;
  RefPtr<Variable> reference_;
  Tensor value_;
};

// A kernel that hands out an object of the device. `Make` has `using Object` and `static Result<RefPtr<Object>>
// FindOrMake(KernelSetup&, DeviceResourceHandle&)`.
template <class Make>
class DeviceResourceKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit DeviceResourceKernel(KernelSetup& setup) {
    auto object = Make::FindOrMake(setup, handle_);
    if (object.ok()) {
      object_ = *std::move(object);
    } else {
      setup.Fail(object.status());
    }
  }
  Status Compute(OpContext& ctx) {
    ctx.SetOutput(0, handle_.value());
    return Status();
  }
  Tensor FixedOutput() const override { return handle_.value(); }

 private:
  DeviceResourceHandle handle_;
  RefPtr<typename Make::Object> object_;
};

// The container and name in a string handle. InvalidArgument where it is none.
struct ObjectName {
  std::string container;
  std::string name;
};
Result<ObjectName> ObjectNameOf(const Tensor& handle, std::string_view kind);

// The object behind input i. InvalidArgument or NotFound where the handle stands for no T; `kind` is its name in
// errors.
template <class T>
Result<RefPtr<T>> DeviceResourceInput(const OpContext& ctx, int i, std::string_view kind) {
  const Tensor& handle = ctx.input(i);
  if (handle.dtype() == DType::kResource) {
    if (handle.num_elements() != 1) return InvalidArgument("a handle of shape ", handle.shape(), " is no scalar");
    DF_ASSIGN(T* const object, handle.data<ResourceHandle>()->template As<T>(kind));
    return RefPtr<T>(object);
  }
  DF_ASSIGN(const ObjectName name, ObjectNameOf(handle, kind));
  RefPtr<T> found = ctx.device().containers().template Lookup<T>(name.container, name.name);
  if (!found) return NotFound("there is no ", kind, " '", name.name, "' on ", ctx.device().full_name());
  return found;
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_STATE_DEVICE_RESOURCE_H_
