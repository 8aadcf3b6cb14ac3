#include "kernels/device/cpu_kernel.h"
#include "kernels/shares/share_object.h"
#include "kernels/shares/update_turns.h"
#include "src/framework/kernel/object_state.h"

namespace dfrun {
namespace {

Result<RefPtr<UpdateTurns>> TurnsOf(const OpContext& ctx) {
  return DeviceResourceInput<UpdateTurns>(ctx, 0, "counter of turns");
}

class OpenTurnsKernel final : public Kernel {
 public:
  explicit OpenTurnsKernel(KernelSetup& setup)
      : replicas_(setup.attr<int64_t>("replicas")), in_turn_(setup.attr<bool>("in_turn")) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<UpdateTurns> turns, TurnsOf(ctx));
    if (ctx.input(1).num_elements() != 3) return InvalidArgument("the period is three numbers");
    turns->Open(ctx.input(1).data<int64_t>()[0] * replicas_, replicas_, in_turn_);
    return Status();
  }

 private:
  const int64_t replicas_;
  const bool in_turn_;
};

class CountReadsKernel final : public Kernel {
 public:
  explicit CountReadsKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<UpdateTurns> turns, TurnsOf(ctx));
    DF_ASSIGN(const ShareToken token, ShareToken::Parse(ctx.input(1)));
    turns->CountReads(token);
    return Status();
  }
};

class BeginTurnKernel final : public AsyncKernel {
 public:
  explicit BeginTurnKernel(KernelSetup& setup) : replica_(setup.attr<int64_t>("replica")) {}
  void ComputeAsync(OpContext& ctx, Callback done) override {
    const Result<RefPtr<UpdateTurns>> turns = TurnsOf(ctx);
    if (!turns.ok()) return done(turns.status());
    const Result<ShareToken> token = ShareToken::Parse(ctx.input(1));
    if (!token.ok()) return done(token.status());
    (*turns)->Begin(ctx, done, *token, replica_);
  }

 private:
  const int64_t replica_;
};

class EndTurnKernel final : public Kernel {
 public:
  explicit EndTurnKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<UpdateTurns> turns, TurnsOf(ctx));
    DF_ASSIGN(const ShareToken token, ShareToken::Parse(ctx.input(1)));
    turns->End(token);
    return Status();
  }
};

KEEPS_STATE(ObjectState(), "_UpdateTurns");  // no turn outlives a step
CPU_KERNEL_ANY("_UpdateTurns", ShareObjectKernel<UpdateTurns>);
CPU_KERNEL_ANY("_OpenTurns", OpenTurnsKernel);
CPU_KERNEL_ANY("_CountReads", CountReadsKernel);
CPU_KERNEL_ANY("_BeginTurn", BeginTurnKernel);
CPU_KERNEL_ANY("_EndTurn", EndTurnKernel);

}  // namespace
}  // namespace dfrun
