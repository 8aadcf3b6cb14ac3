// A test device whose memory the host cannot touch and whose kernels end after their calls. It registers itself as
// "sealed" when its library is loaded, and shows that a device needs only its own folder.
#ifndef DFRUN_TESTS_DEVICE_SEALED_DEVICE_H_
#define DFRUN_TESTS_DEVICE_SEALED_DEVICE_H_

#include <string_view>

#include "src/framework/device/device.h"
#include "tests/device/sealed_memory.h"
#include "tests/device/stream.h"

namespace dfrun::sealed {

inline constexpr std::string_view kDeviceType = "sealed";

// Allocates the memory of the device's tensors.
class SealedAllocator final : public Allocator {
 public:
  explicit SealedAllocator(Heap& heap) : Allocator(MemoryKind::kDevice), heap_(heap) {}
  std::string_view name() const override { return "sealed"; }
  void* Allocate(size_t bytes) override { return heap_.Take(bytes); }
  void Free(void* memory, size_t bytes) override { heap_.Put(memory, bytes); }
  AllocatorStats Stats() const override { return {}; }
  void ResetPeak() override {}

 private:
  Heap& heap_;
};

// Allocates, at the alias, the memory that kernels ask for while they run. Enqueued work may still read a block that is
// freed now, so the block is available to others only when that work is done.
class AliasAllocator final : public Allocator {
 public:
  AliasAllocator(Heap& heap, Stream& stream) : heap_(heap), stream_(stream) {}
  std::string_view name() const override { return "alias"; }
  void* Allocate(size_t bytes) override { return heap_.Take(bytes); }
  void Free(void* memory, size_t bytes) override {
    stream_.Enqueue([&heap = heap_, memory, bytes] { heap.Put(memory, bytes); });
  }
  AllocatorStats Stats() const override { return {}; }
  void ResetPeak() override {}

 private:
  Heap& heap_;
  Stream& stream_;
};

// A base class that outlives the containers in Device, whose variables give their buffers back to it.
struct OwnsMemory {
  SealedMemory memory;
  SealedAllocator of_sealed{memory.enqueued()};
  Stream stream;  // destroyed before the memory
  AliasAllocator of_alias{memory.running(), stream};
};

class SealedDevice final : private OwnsMemory, public Device {
 public:
  SealedDevice(const DeviceName& name, Allocator& host)
      : Device(name, of_sealed, host), inside_(name, of_alias, SystemAllocator(), &containers()) {}

  Stream& queue() { return stream; }
  // Returns the device as its kernels see it. Its memory is at the alias, which they may access as host memory.
  Device& inside() { return inside_; }
  void WhenDone(Callback done) override;

  bool IsAlias(const Tensor& value) const { return memory.IsAlias(value.raw()); }
  // Return a value as the device's kernels read it. A borrowed one does not keep its buffer alive.
  Tensor AtAlias(const Tensor& value) const;
  Tensor BorrowedAtAlias(const Tensor& value) const;
  // Moves a kernel's result to memory that the host must not touch; returns other values as they are.
  // Thread safety: the stream's thread.
  Result<Tensor> Sealed(const Tensor& value);

 protected:
  void EnqueueCopy(const Tensor& from, Tensor& to, Callback done) override;

 private:
  Device inside_;
};

}  // namespace dfrun::sealed

#endif  // DFRUN_TESTS_DEVICE_SEALED_DEVICE_H_
