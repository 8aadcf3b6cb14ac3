#include "src/framework/device/device.h"

#include <utility>

#include "src/base/mutex.h"

namespace dfrun {
namespace {

// Blocks a thread until a callback has run.
class CallbackWaiter {
 public:
  Callback callback() {
    return {[](void* arg, Status status) { static_cast<CallbackWaiter*>(arg)->End(std::move(status)); }, this};
  }
  Status Wait() {
    MutexLock lock(mu_);
    while (!has_ended_) ended_.Wait(mu_);
    return std::move(status_);
  }

 private:
  // Holds the lock to its end, since the waiter may be destroyed right after.
  void End(Status status) {
    MutexLock lock(mu_);
    status_ = std::move(status);
    has_ended_ = true;
    ended_.NotifyOne();
  }

  Mutex mu_;
  CondVar ended_;
  Status status_ GUARDED_BY(mu_);
  bool has_ended_ GUARDED_BY(mu_) = false;
};

}  // namespace

void Device::Copy(const Tensor& from, Tensor& to, Callback done) {
  if (!IsHostMemory(from.memory()) || !IsHostMemory(to.memory())) return EnqueueCopy(from, to, done);
  CopyElements(from, to);
  done(Status());
}

void Device::EnqueueCopy(const Tensor&, Tensor&, Callback done) {
  done(Internal("the device ", full_name(), " has no memory of its own to copy from or to"));
}

Status Device::CopyAndWait(const Tensor& from, Tensor& to) {
  if (!IsHostMemory(from.memory()) && !IsHostMemory(to.memory())) {
    EnqueueCopy(from, to, {[](void*, Status) {}, nullptr});  // an error is WhenDone()'s
    return Status();
  }
  CallbackWaiter waiter;
  CountHostWait();
  EnqueueCopy(from, to, waiter.callback());
  return waiter.Wait();
}

Result<Tensor> Device::Clone(const Tensor& from, Allocator& allocator) {
  DF_ASSIGN(Tensor copy, Tensor::Allocate(allocator, from.dtype(), from.shape()));
  DF_TRY(Copy(from, copy));
  return copy;
}

Result<Tensor> Device::ToHostMemory(const Tensor& value) {
  if (!value.initialized() || IsHostMemory(value.memory())) return value;
  return Clone(value, host_allocator_);
}

Result<Tensor> Device::ToOwnMemory(const Tensor& value) {
  if (!value.initialized() || !has_own_memory() || !IsPlain(value.dtype())) return value;
  if (!IsHostMemory(value.memory())) return value;
  return Clone(value, allocator_);
}

Status Device::Synchronize() {
  if (!has_own_memory()) return Status();
  CallbackWaiter waiter;
  CountHostWait();
  WhenDone(waiter.callback());
  return waiter.Wait();
}

}  // namespace dfrun
