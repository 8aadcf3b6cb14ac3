#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/device/cpu_kernel.h"
#include "kernels/shares/backup_shares.h"
#include "kernels/shares/share_inbox.h"
#include "kernels/shares/share_object.h"
#include "src/framework/kernel/object_state.h"

namespace dfrun {
namespace {

Result<RefPtr<BackupShares>> SharesOf(const OpContext& ctx) {
  return DeviceResourceInput<BackupShares>(ctx, 0, "counter of shares with backup");
}

Result<RefPtr<ShareInbox>> InboxOf(const OpContext& ctx) {
  return DeviceResourceInput<ShareInbox>(ctx, 0, "inbox of shares");
}

class OpenBackupKernel final : public Kernel {
 public:
  explicit OpenBackupKernel(KernelSetup& setup)
      : options_{.replicas = setup.attr<int64_t>("replicas"),
                 .backup = setup.attr<int64_t>("backup"),
                 .rows = setup.attr<int64_t>("rows"),
                 .steps = setup.attr<int64_t>("steps")} {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<BackupShares> shares, SharesOf(ctx));
    if (ctx.input(1).num_elements() != 2) return InvalidArgument("the steps are two numbers");
    const int64_t* const steps = ctx.input(1).data<int64_t>();
    std::vector<int64_t> returned;
    const std::span<const int64_t> rows = ctx.input(3).values<int64_t>();
    for (size_t i = 0; i + 1 < rows.size(); i += 2) {
      if (rows[i + 1] > 0 && rows[i + 1] == options_.rows) returned.push_back(rows[i]);
    }
    return shares->Open(options_, steps[0], steps[1], ctx.input(2).scalar<int64_t>(), returned);
  }

 private:
  const BackupOptions options_;
};

class OfferKernel final : public Kernel {
 public:
  explicit OfferKernel(KernelSetup& setup) : replica_(setup.attr<int64_t>("replica")) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<BackupShares> shares, SharesOf(ctx));
    DF_ASSIGN(const ShareToken token, ShareToken::Parse(ctx.input(1)));
    ctx.SetOutput(0, shares->Offer(token, replica_, ctx.input(2).scalar<int32_t>()).ToTensor());
    return Status();
  }

 private:
  const int64_t replica_;
};

class KeepNamedKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit KeepNamedKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const ShareToken token, ShareToken::Parse(ctx.input(0)));
    for (int i = 1; i < ctx.num_inputs(); ++i) {
      const Tensor& value = ctx.input(i);
      ctx.SetOutput(i - 1, token.is_given() ? value : Tensor(value.dtype(), Shape({0})));
    }
    return Status();
  }
};

class PutKernel final : public Kernel {
 public:
  explicit PutKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<ShareInbox> inbox, InboxOf(ctx));
    DF_ASSIGN(const ShareToken token, ShareToken::Parse(ctx.input(1)));
    std::vector<Tensor> values;
    for (int i = 2; i < ctx.num_inputs(); ++i) values.push_back(ctx.input(i));
    inbox->Put(token, std::move(values));
    return Status();
  }
};

class TakeStepKernel final : public AsyncKernel {
 public:
  explicit TakeStepKernel(KernelSetup& setup) : shares_(setup.attr<int64_t>("shares")) {}
  void ComputeAsync(OpContext& ctx, Callback done) override {
    const Result<RefPtr<ShareInbox>> inbox = InboxOf(ctx);
    if (!inbox.ok()) return done(inbox.status());
    (*inbox)->TakeStep(ctx, done, shares_);
  }

 private:
  const int64_t shares_;
};

class OpenInboxKernel final : public Kernel {
 public:
  explicit OpenInboxKernel(KernelSetup& setup) : opens_(setup.attr<bool>("open")) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<ShareInbox> inbox, InboxOf(ctx));
    opens_ ? inbox->Open() : inbox->Close();
    return Status();
  }

 private:
  const bool opens_;
};

class EndStepKernel final : public Kernel {
 public:
  explicit EndStepKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<BackupShares> shares, SharesOf(ctx));
    return shares->EndStep();
  }
};

class UseKernel final : public Kernel {
 public:
  explicit UseKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<BackupShares> shares, SharesOf(ctx));
    const std::vector<double> use = shares->Use();
    ctx.SetOutput(0, Tensor::Vector<double>(std::span<const double>(use)));
    return Status();
  }
};

class NamedKernel final : public Kernel {
 public:
  explicit NamedKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<BackupShares> shares, SharesOf(ctx));
    std::vector<int64_t> named;
    for (const NamedShare& share : shares->last_named())
      named.insert(named.end(), {share.position, share.replica, share.found});
    ctx.SetOutput(0, Tensor::Vector<int64_t>(std::span<const int64_t>(named)));
    return Status();
  }
};

class CloseBackupKernel final : public Kernel {
 public:
  explicit CloseBackupKernel(KernelSetup& setup)
      : rows_(setup.attr<int64_t>("rows")), most_(setup.attr<int64_t>("most_returned")) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<BackupShares> shares, SharesOf(ctx));
    const BackupShares::Rest rest = shares->Close();
    ctx.SetOutput(0, Tensor::Scalar<int64_t>(rest.position));
    Tensor* out = nullptr;
    DF_TRY(ctx.AllocateOutput(1, Shape({most_, 2}), &out));
    const std::span<int64_t> values(out->data<int64_t>(), static_cast<size_t>(2 * most_));
    std::fill(values.begin(), values.end(), 0);
    if (static_cast<int64_t>(rest.returned.size()) > most_)
      return Internal(rest.returned.size(), " shares are returned, and there is room for ", most_);
    for (size_t i = 0; i < rest.returned.size(); ++i) {
      values[2 * i] = rest.returned[i];
      values[2 * i + 1] = rows_;
    }
    return Status();
  }

 private:
  const int64_t rows_;
  const int64_t most_;
};

KEEPS_STATE(ObjectState(), "_BackupShares");  // a checkpoint has the position and the returned shares
KEEPS_STATE(ObjectState(), "_ShareInbox");    // empty between steps
CPU_KERNEL_ANY("_BackupShares", ShareObjectKernel<BackupShares>);
CPU_KERNEL_ANY("_OpenBackup", OpenBackupKernel);
CPU_KERNEL_ANY("_OfferShare", OfferKernel);
CPU_KERNEL_ANY("_KeepNamed", KeepNamedKernel);
CPU_KERNEL_ANY("_ShareInbox", ShareObjectKernel<ShareInbox>);
CPU_KERNEL_ANY("_OpenInbox", OpenInboxKernel);
CPU_KERNEL_ANY("_PutShare", PutKernel);
CPU_KERNEL_ANY("_TakeShares", TakeStepKernel);
CPU_KERNEL_ANY("_EndSharesStep", EndStepKernel);
CPU_KERNEL_ANY("_BackupUse", UseKernel);
CPU_KERNEL_ANY("_NamedShares", NamedKernel);
CPU_KERNEL_ANY("_CloseBackup", CloseBackupKernel);

}  // namespace
}  // namespace dfrun
