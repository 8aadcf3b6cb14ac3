#include "tests/mpi/queues/noted_kernels.h"
#include "kernels/device/cpu_kernel.h"

#include <chrono>
#include <thread>
#include <utility>

#include "src/base/mutex.h"
#include "src/framework/kernel/executor_access.h"
#include "src/framework/op/op.h"

namespace dfrun::testing {
namespace {

class Notes {
 public:
  void Add(Note note) EXCLUDES(mu_) {
    MutexLock lock(mu_);
    notes_.push_back(std::move(note));
  }
  std::vector<Note> Take() EXCLUDES(mu_) {
    MutexLock lock(mu_);
    return std::exchange(notes_, {});
  }

 private:
  Mutex mu_;
  std::vector<Note> notes_ GUARDED_BY(mu_);
};

Notes& TheNotes() {
  static Notes notes;
  return notes;
}

std::vector<int64_t> ValuesOf(const Tensor& component) {
  const int64_t* const values = component.data<int64_t>();
  return {values, values + component.num_elements()};
}

class NotedKernel final : public AsyncKernel {
 public:
  explicit NotedKernel(KernelSetup& setup) {
    const Result<const KernelDef*> def = KernelRegistry::Builtin().Find(setup.node().op->name, "cpu", setup.attrs());
    if (def.ok()) {
      inner_ = (*def)->make(setup);
    } else {
      setup.Fail(def.status());
    }
  }
  void ComputeAsync(OpContext& ctx, Callback done) override {
    static_cast<AsyncKernel&>(*inner_).ComputeAsync(ctx, {&Call::Ended, new Call{ctx, done}});
  }

 private:
  struct Call {
    OpContext& ctx;
    Callback done;
    static void Ended(void* arg, Status status) {
      const std::unique_ptr<Call> call(static_cast<Call*>(arg));
      if (status.ok()) call->NoteValues();
      call->done(std::move(status));
    }
    void NoteValues() const {
      const bool enqueues = ctx.num_outputs() == 0;
      const Tensor& values =
          enqueues ? ctx.input(ctx.num_inputs() - 1) : ExecutorAccess::Output(ctx, ctx.num_outputs() - 1);
      TheNotes().Add({ctx.node().name, ValuesOf(values)});
    }
  };
  std::unique_ptr<Kernel> inner_;
};

bool IsNoted(const std::string& op) {
  return (op.starts_with("QueueEnqueue") || op.starts_with("QueueDequeue")) && op.ends_with("V2");
}

class NapKernel final : public Kernel {
 public:
  explicit NapKernel(KernelSetup& setup) : length_(setup.attr<int64_t>("us")), fails_(setup.attr<bool>("fails")) {}
  Status Compute(OpContext&) {
    std::this_thread::sleep_for(length_);
    return fails_ ? Internal(kPlanted) : Status();
  }

 private:
  const std::chrono::microseconds length_;
  const bool fails_;
};

OP("Nap").Attr("us: int").Attr("fails: bool").Stateful().NotDifferentiable().Doc("Takes its time.");
CPU_KERNEL_ANY("Nap", NapKernel);

}  // namespace

std::unique_ptr<KernelRegistry> NotedQueueKernels() {
  auto kernels = std::make_unique<KernelRegistry>();
  for (const OpDef* op : OpRegistry::Builtin().List()) {
    for (const KernelDef* builtin : KernelRegistry::Builtin().List(op->name)) {
      KernelDef def = *builtin;
      if (IsNoted(op->name)) def.make = &internal::MakeKernel<NotedKernel>;
      DF_CHECK(kernels->Register(std::move(def)).ok());
    }
  }
  return kernels;
}

std::vector<Note> TakeNotes() {
  return TheNotes().Take();
}

}  // namespace dfrun::testing
