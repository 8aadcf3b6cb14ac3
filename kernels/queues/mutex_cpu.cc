#include <atomic>
#include <memory>
#include <utility>

#include "kernels/device/cpu_kernel.h"
#include "kernels/queues/async_wait_queue.h"
#include "kernels/state/device_resource.h"
#include "src/framework/kernel/object_state.h"
#include "src/framework/values/variant.h"

namespace dfrun {
namespace {

class StepMutex final : public AsyncWaitQueue {
 public:
  explicit StepMutex(std::string name) : name_(std::move(name)) {}
  void Release() EXCLUDES(mu_) {
    Finished finished;
    MutexLock lock(mu_);
    is_held_ = false;
    ServeLines(finished);
  }
  std::string DebugString() const override { return StrCat("the mutex '", name_, "'"); }

 private:
  Progress Serve(WaitingCall& waiting_call) override REQUIRES(mu_) {
    if (is_held_) return Progress::kWaits;
    if (!waiting_call.Claim()) return Progress::kGone;
    is_held_ = true;
    return Progress::kEnds;
  }

  const std::string name_;
  bool is_held_ GUARDED_BY(mu_) = false;
};

// A mutex that is held, until it is released or destroyed.
// Thread safety: all methods from any thread.
class HeldLock {
 public:
  explicit HeldLock(RefPtr<StepMutex> mutex) : mutex_(std::move(mutex)) {}
  HeldLock(const HeldLock&) = delete;
  HeldLock& operator=(const HeldLock&) = delete;
  ~HeldLock() { Release(); }
  // False where it was released before.
  bool Release() {
    if (is_released_.exchange(true)) return false;
    mutex_->Release();
    return true;
  }

 private:
  const RefPtr<StepMutex> mutex_;
  std::atomic<bool> is_released_{false};
};

// The value of MutexLock's output: the last copy releases the lock.
class LockValue final : public VariantValue {
 public:
  explicit LockValue(std::shared_ptr<HeldLock> lock) : lock_(std::move(lock)) {}
  std::string DebugString() const override { return "a lock of a mutex"; }
  HeldLock& lock() const { return *lock_; }

 private:
  std::shared_ptr<HeldLock> lock_;
};

// Releases the lock when the step has ended, where something outside of the step still holds its value.
class LockOfStep final : public Resource {
 public:
  explicit LockOfStep(std::weak_ptr<HeldLock> lock) : lock_(std::move(lock)) {}
  ~LockOfStep() override {
    if (const std::shared_ptr<HeldLock> lock = lock_.lock()) lock->Release();
  }
  std::string DebugString() const override { return "a lock of a mutex"; }

 private:
  const std::weak_ptr<HeldLock> lock_;
};

class Locking final : public WaitingCall {
 public:
  Locking(OpContext& ctx, Callback done, RefPtr<StepMutex> mutex) : WaitingCall(ctx, done), mutex_(std::move(mutex)) {}

 private:
  Status Deliver() override {
    static std::atomic<int64_t> next{0};
    const auto lock = std::make_shared<HeldLock>(mutex_);
    ctx().SetOutput(0, Tensor::Scalar(Variant(std::make_shared<LockValue>(lock))));
    ResourceContainers* const containers = ctx().step().step_containers;
    return containers
        ->LookupOrCreate<LockOfStep>("lock", StrCat(next.fetch_add(1)),
                                     [&]() -> Result<LockOfStep*> { return new LockOfStep(lock); })
        .status();
  }
  const RefPtr<StepMutex> mutex_;
};

struct MakeMutex {
  using Object = StepMutex;
  static Result<RefPtr<StepMutex>> FindOrMake(KernelSetup& setup, DeviceResourceHandle& handle) {
    return handle.Find<StepMutex>(setup,
                                  [](const std::string& name) -> Result<StepMutex*> { return new StepMutex(name); });
  }
};

class LockKernel final : public AsyncKernel {
 public:
  explicit LockKernel(KernelSetup&) {}
  void ComputeAsync(OpContext& ctx, Callback done) override {
    Result<RefPtr<StepMutex>> mutex = DeviceResourceInput<StepMutex>(ctx, 0, "mutex");
    if (!mutex.ok()) return done(mutex.status());
    (*mutex)->Submit(std::make_unique<Locking>(ctx, done, *mutex), 0);
  }
};

class UnlockKernel final : public Kernel {
 public:
  explicit UnlockKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& value = ctx.input(0);
    if (value.num_elements() != 1) return InvalidArgument("a lock is a scalar, but has shape ", value.shape());
    DF_ASSIGN(const LockValue* const held, value.scalar<Variant>().As<LockValue>("lock of a mutex"));
    if (held->lock().Release()) return Status();
    return InvalidArgument("the lock has been released before");
  }
};

KEEPS_STATE(ObjectState(), "MutexV2");  // a lock ends with its step
CPU_KERNEL_ANY("MutexV2", DeviceResourceKernel<MakeMutex>);
CPU_KERNEL_ANY("MutexLock", LockKernel);
CPU_KERNEL_ANY("MutexAcquire", LockKernel);
CPU_KERNEL_ANY("ConsumeMutexLock", UnlockKernel);
CPU_KERNEL_ANY("MutexRelease", UnlockKernel);

}  // namespace
}  // namespace dfrun
