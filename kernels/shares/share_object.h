// The kernels that make the objects of shares.
#ifndef DFRUN_KERNELS_SHARES_SHARE_OBJECT_H_
#define DFRUN_KERNELS_SHARES_SHARE_OBJECT_H_

#include <string>

#include "kernels/state/device_resource.h"

namespace dfrun {

// Makes a T of its name.
template <class T>
struct MakeShareObject {
  using Object = T;
  static Result<RefPtr<T>> FindOrMake(KernelSetup& setup, DeviceResourceHandle& handle) {
    return handle.Find<T>(setup, [](const std::string& name) -> Result<T*> { return new T(name); });
  }
};

template <class T>
using ShareObjectKernel = DeviceResourceKernel<MakeShareObject<T>>;

}  // namespace dfrun

#endif  // DFRUN_KERNELS_SHARES_SHARE_OBJECT_H_
