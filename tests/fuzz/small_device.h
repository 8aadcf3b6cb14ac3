// A device with little memory, on which a kernel that asks for much gets an error.
#ifndef DFRUN_TESTS_FUZZ_SMALL_DEVICE_H_
#define DFRUN_TESTS_FUZZ_SMALL_DEVICE_H_

#include "src/framework/device/device.h"

namespace dfrun::fuzz {

class SmallAllocator final : public Allocator {
 public:
  static constexpr size_t kMaxTensorBytes = size_t{1} << 24;
  std::string_view name() const override { return "small"; }
  void* Allocate(size_t bytes) override {
    return bytes > kMaxTensorBytes ? nullptr : SystemAllocator().Allocate(bytes);
  }
  void Free(void* memory, size_t bytes) override { SystemAllocator().Free(memory, bytes); }
  AllocatorStats Stats() const override { return {}; }
  void ResetPeak() override {}
};

class SmallDevice final : public Device {
 public:
  explicit SmallDevice(Allocator& a) : Device(*DeviceName::Parse("/job:worker/task:0/device:cpu:0"), a) {}
};

}  // namespace dfrun::fuzz

#endif  // DFRUN_TESTS_FUZZ_SMALL_DEVICE_H_
