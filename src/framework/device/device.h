// Devices, and the copies of values into the memory of a device and out of it.
#ifndef DFRUN_SRC_FRAMEWORK_DEVICE_DEVICE_H_
#define DFRUN_SRC_FRAMEWORK_DEVICE_DEVICE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "src/base/callback.h"
#include "src/base/status.h"
#include "src/base/threads.h"
#include "src/framework/device/device_name.h"
#include "src/framework/values/allocator.h"
#include "src/framework/values/resource.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

// One device of this rank: memory, and the order in which work on it is done.
//
// A device of host memory does its work at once. One with memory of its own has a stream: kernels and copies are
// enqueued and done in that order, so freed memory may be used by the work that is enqueued next, and a callback tells
// the host when work that it waits for is done.
//
// Thread safety: all methods from any thread.
// Lifetime: the device must outlive plans, kernels and tensors on it.
class Device {
 public:
  // Makes a device of host memory, or one with a single allocator for all values.
  Device(DeviceName name, Allocator& allocator) : Device(std::move(name), allocator, allocator) {}
  // `host_allocator`: the allocator of host memory that the device copies from and to best. `containers`: those of
  // another device that share their objects with it; null: its own.
  Device(DeviceName name, Allocator& allocator, Allocator& host_allocator, ResourceContainers* containers = nullptr)
      : name_(std::move(name)),
        text_(name_.ToString()),
        allocator_(allocator),
        host_allocator_(host_allocator),
        containers_(containers == nullptr ? own_containers_ : *containers) {}
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceName& name() const { return name_; }
  const std::string& full_name() const { return text_; }
  const std::string& type() const { return *name_.type; }
  // The allocator of the memory that the device's kernels compute in.
  Allocator& allocator() { return allocator_; }
  Allocator& host_allocator() { return host_allocator_; }
  // The allocator for values of a dtype: strings, resources and variants are objects in host memory.
  Allocator& AllocatorFor(DType dtype) { return IsPlain(dtype) ? allocator_ : host_allocator_; }
  // Whether there is memory that the host does not reach, and so a stream.
  bool has_own_memory() const { return !IsHostMemory(allocator_.kind()); }
  // Objects that outlive steps on this device: variables, readers, queues.
  ResourceContainers& containers() { return containers_; }

  // Copies the elements of `from` into `to`, which has as many of the same dtype, in host memory or this device's,
  // after the work that has been enqueued. `done` runs when they are there: until then the tensor in host memory must
  // stay. Memory of the device may be given back at once.
  void Copy(const Tensor& from, Tensor& to, Callback done);
  // Copies likewise, but returns when host memory is no longer read, or holds the elements. A copy within the device is
  // only enqueued.
  Status Copy(const Tensor& from, Tensor& to) {
    if (IsHostMemory(from.memory()) && IsHostMemory(to.memory())) [[likely]] {
      CopyElements(from, to);
      return Status();
    }
    return CopyAndWait(from, to);
  }
  // Returns a new tensor of `allocator` with the elements of `from`; both may be in this device's memory or the host's.
  Result<Tensor> Clone(const Tensor& from, Allocator& allocator);
  // Returns the value itself where the host may read it, else a copy.
  Result<Tensor> ToHostMemory(const Tensor& value);
  // Returns the value itself where the device's kernels find it, else a copy.
  Result<Tensor> ToOwnMemory(const Tensor& value);

  // Runs `done` when all work enqueued before is done, with the first error of the work enqueued since the last call:
  // of several steps in flight, the first that ends gets it. Runs it at once where there is no stream.
  virtual void WhenDone(Callback done) { done(Status()); }
  // Blocks until all work enqueued before is done.
  Status Synchronize();
  // The number of times that a thread has blocked until this device was done.
  int64_t host_waits() const { return host_waits_.load(std::memory_order_relaxed); }

 protected:
  // Enqueues a Copy() where `from` or `to` is in the device's memory.
  virtual void EnqueueCopy(const Tensor& from, Tensor& to, Callback done);

 private:
  Status CopyAndWait(const Tensor& from, Tensor& to);
  void CountHostWait() { host_waits_.fetch_add(1, std::memory_order_relaxed); }

  const DeviceName name_;
  const std::string text_;
  Allocator& allocator_;
  Allocator& host_allocator_;
  ResourceContainers own_containers_;
  ResourceContainers& containers_;
  std::atomic<int64_t> host_waits_{0};
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_DEVICE_DEVICE_H_
