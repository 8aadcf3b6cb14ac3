// A device of the tests whose memory the host cannot touch and whose kernels end after their calls. It registers itself
// as "sealed" when the library that holds it is loaded, and shows that a device needs no more than its own folder.
#ifndef DFRUN_TESTS_DEVICE_SEALED_DEVICE_H_
#define DFRUN_TESTS_DEVICE_SEALED_DEVICE_H_

#include <string_view>

#include "src/framework/device.h"
#include "tests/device/sealed_memory.h"
#include "tests/device/stream.h"

namespace dfrun::sealed {

inline constexpr std::string_view kDeviceType = "sealed";

// Of memory that tensors of the device hold.
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

// Of memory that kernels ask for while they run, at the alias. What is enqueued already may read a block that is given
// back now, so it is free for others only when that is done.
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

// A base, so that it outlives the containers in Device, whose variables give their buffers back to it.
struct OwnsMemory {
  SealedMemory memory;
  SealedAllocator of_sealed{memory.enqueued()};
  Stream stream;  // ends while the memory is there
  AliasAllocator of_alias{memory.running(), stream};
};

class SealedDevice final : private OwnsMemory, public Device {
 public:
  SealedDevice(const DeviceName& name, Allocator& host)
      : Device(name, of_sealed, host), inside_(name, of_alias, SystemAllocator(), &containers()) {}

  Stream& queue() { return stream; }
  // The device as its kernels see it: memory at the alias, which is the host's to them.
  Device& inside() { return inside_; }
  void WhenDone(Callback done) override;

  bool IsAlias(const Tensor& value) const { return memory.IsAlias(value.raw()); }
  // A value as the device's kernels read it. A borrowed one does not keep its buffer.
  Tensor AtAlias(const Tensor& value) const;
  Tensor BorrowedAtAlias(const Tensor& value) const;
  // Of the stream's thread: what a kernel made, in the memory that the host must not touch; else `value` itself.
  Result<Tensor> Sealed(const Tensor& value);

 protected:
  void EnqueueCopy(const Tensor& from, Tensor& to, Callback done) override;

 private:
  Device inside_;
};

}  // namespace dfrun::sealed

#endif  // DFRUN_TESTS_DEVICE_SEALED_DEVICE_H_
