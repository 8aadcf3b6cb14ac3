#include "tests/device/sealed_device.h"

#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "src/base/text.h"
#include "src/framework/device/device_factory.h"

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

constexpr const char* kCounts = "DFRUN_TEST_SEALED_DEVICES";

// One device a task, or as the environment says: "2,0" gives two to the first rank of mpirun and none to the others.
int CountDevices() {
  const char* const counts = std::getenv(kCounts);
  if (counts == nullptr) return 1;
  const char* const rank = std::getenv("OMPI_COMM_WORLD_RANK");
  std::string_view rest = counts;
  for (int skip = rank == nullptr ? 0 : ParseAs<int>(rank).value_or(0); skip > 0; --skip) {
    const size_t comma = rest.find(',');
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  return ParseAs<int>(rest.substr(0, rest.find(','))).value_or(0);
}

Result<FoundDevices> FindSealedDevices(const DeviceSite& site) {
  FoundDevices found;
  const int count = CountDevices();
  Allocator& host = site.network_memory == nullptr ? SystemAllocator() : *site.network_memory;
  for (int i = 0; i < count; ++i) {
    DeviceName name = site.task;
    name.type = std::string(kDeviceType);
    name.index = i;
    found.devices.push_back({std::make_unique<SealedDevice>(name, host), SealedMemory::kBytes, "a file mapped twice"});
  }
  if (count == 0) found.why_none = StrCat(kCounts, "=", std::getenv(kCounts), " gives this rank none");
  return found;
}

DEVICE_FACTORY(kDeviceType, &FindSealedDevices);

}  // namespace
}  // namespace dfrun::sealed
