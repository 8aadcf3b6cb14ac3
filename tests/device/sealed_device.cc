#include "tests/device/sealed_device.h"

#include <cstring>
#include <string>
#include <utility>

#include "src/framework/device_factory.h"

namespace dfrun::sealed {

Tensor SealedDevice::AtAlias(const Tensor& value) const {
  if (IsHostMemory(value.memory())) return value;
  return value.At(memory.AliasOf(value.raw()), MemoryKind::kHost);
}

Tensor SealedDevice::BorrowedAtAlias(const Tensor& value) const {
  if (IsHostMemory(value.memory())) return value;
  return Tensor::Borrowed(value.dtype(), value.shape(), memory.AliasOf(value.raw()));
}

Result<Tensor> SealedDevice::Sealed(const Tensor& value) {
  if (!value.initialized() || !IsPlain(value.dtype()) || !IsHostMemory(value.memory())) return value;
  if (IsAlias(value)) return value.At(memory.SealedOf(value.raw()), MemoryKind::kDevice);
  DF_ASSIGN(const Tensor copy, value.Copy(of_alias));
  return copy.At(memory.SealedOf(copy.raw()), MemoryKind::kDevice);
}

void SealedDevice::EnqueueCopy(const Tensor& from, Tensor& to, Callback done) {
  const auto reached = [&](const Tensor& value) {
    return IsHostMemory(value.memory()) ? const_cast<void*>(value.raw()) : memory.AliasOf(value.raw());
  };
  stream.Enqueue([this, from = reached(from), to = reached(to), bytes = from.num_bytes(), done] {
    if (stream.failure().ok() && bytes > 0) std::memmove(to, from, bytes);
    done(stream.failure());
  });
}

void SealedDevice::WhenDone(Callback done) {
  stream.Enqueue([this, done] { done(stream.TakeFailure()); });
}

namespace {

// One device a task.
Result<DeviceList> MakeSealedDevices(const DeviceName& task) {
  DeviceName name = task;
  name.type = std::string(kDeviceType);
  name.index = 0;
  DeviceList list;
  list.push_back(std::make_unique<SealedDevice>(name));
  return list;
}

DEVICE_FACTORY(kDeviceType, &MakeSealedDevices);

}  // namespace
}  // namespace dfrun::sealed
