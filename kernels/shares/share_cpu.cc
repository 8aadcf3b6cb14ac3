#include "kernels/device/cpu_kernel.h"
#include "kernels/shares/share_object.h"
#include "kernels/shares/share_tokens.h"
#include "src/framework/kernel/object_state.h"

namespace dfrun {
namespace {

constexpr const char* kKind = "counter of shares";

Result<RefPtr<ShareTokens>> TokensOf(const OpContext& ctx) {
  return DeviceResourceInput<ShareTokens>(ctx, 0, kKind);
}

class OpenKernel final : public Kernel {
 public:
  explicit OpenKernel(KernelSetup& setup)
      : options_{.replicas = setup.attr<int64_t>("replicas"),
                 .takers = setup.attr<int64_t>("takers"),
                 .max_staleness = setup.attr<int64_t>("max_staleness"),
                 .rows = setup.attr<int64_t>("rows"),
                 .values = setup.attr<int64_t>("values"),
                 .most_skipped = setup.attr<int64_t>("most_skipped"),
                 .log_every = setup.attr<int64_t>("log_every"),
                 .last_step = setup.attr<int64_t>("last_step")} {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<ShareTokens> tokens, TokensOf(ctx));
    if (ctx.input(1).num_elements() != 3) return InvalidArgument("the period is three numbers");
    const int64_t* const period = ctx.input(1).data<int64_t>();
    return tokens->Open(options_, period[0], period[1], ctx.input(2).scalar<int64_t>(), period[2]);
  }

 private:
  const ShareOptions options_;
};

class TakeKernel final : public AsyncKernel {
 public:
  explicit TakeKernel(KernelSetup& setup) : replica_(setup.attr<int64_t>("replica")) {}
  void ComputeAsync(OpContext& ctx, Callback done) override {
    const Result<RefPtr<TokenSource>> tokens = DeviceResourceInput<TokenSource>(ctx, 0, kKind);
    if (!tokens.ok()) return done(tokens.status());
    (*tokens)->Take(ctx, done, replica_);
  }

 private:
  const int64_t replica_;
};

class PartsKernel final : public Kernel {
 public:
  explicit PartsKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const ShareToken token, ShareToken::Parse(ctx.input(0)));
    Tensor* out = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &out));
    *out->data<int64_t>() = token.position;
    DF_TRY(ctx.AllocateOutput(1, Shape(), &out));
    *out->data<int32_t>() = static_cast<int32_t>(token.refusal);
    return Status();
  }
};

// The value of a real scalar.
Result<double> NumberOf(const Tensor& value) {
  if (value.num_elements() != 1) return InvalidArgument("a value that a share reports has shape ", value.shape());
  double number = 0;
  VisitDType<float, double, bfloat16, float16, int32_t, int64_t, uint8_t, int16_t, int8_t, uint16_t, uint32_t,
             uint64_t>(value.dtype(),
                       [&](auto tag) { number = static_cast<double>(*value.data<typename decltype(tag)::type>()); });
  return number;
}

class PackKernel final : public Kernel {
 public:
  explicit PackKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    Tensor* out = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape({ctx.num_inputs()}), &out));
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      DF_ASSIGN(out->data<double>()[i], NumberOf(ctx.input(i)));
    }
    return Status();
  }
};

class EndKernel final : public Kernel {
 public:
  explicit EndKernel(KernelSetup& setup) : replica_(setup.attr<int64_t>("replica")) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<ShareTokens> tokens, TokensOf(ctx));
    DF_ASSIGN(const ShareToken token, ShareToken::Parse(ctx.input(1)));
    const Tensor& report = ctx.input(2);
    return tokens->End(token, replica_, {report.data<double>(), static_cast<size_t>(report.num_elements())});
  }

 private:
  const int64_t replica_;
};

class LinesKernel final : public Kernel {
 public:
  explicit LinesKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<ShareTokens> tokens, TokensOf(ctx));
    const std::vector<std::vector<double>> lines = tokens->TakeLines();
    const auto columns = lines.empty() ? int64_t{0} : static_cast<int64_t>(lines[0].size());
    Tensor* out = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape({static_cast<int64_t>(lines.size()), columns}), &out));
    double* to = out->data<double>();
    for (const std::vector<double>& line : lines) to = std::copy(line.begin(), line.end(), to);
    ctx.SetOutput(1, Tensor::Scalar(tokens->has_stopped()));
    return Status();
  }
};

class CloseKernel final : public Kernel {
 public:
  explicit CloseKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<ShareTokens> tokens, TokensOf(ctx));
    DF_ASSIGN(const EndOfShares end, tokens->Close());
    ctx.SetOutput(
        0, Tensor::Vector<int64_t>({end.steps, end.found, end.share, end.position_of_share, end.replica, end.row}));
    ctx.SetOutput(1, Tensor::Scalar<int64_t>(end.position));
    Tensor* out = nullptr;
    DF_TRY(ctx.AllocateOutput(2, Shape({static_cast<int64_t>(end.staleness.size()), 2}), &out));
    int64_t* to = out->data<int64_t>();
    for (const auto& [staleness, shares] : end.staleness) {
      *to++ = staleness;
      *to++ = shares;
    }
    return Status();
  }
};

KEEPS_STATE(ObjectState(), "_ShareTokens");  // its counts are the position and the step of a checkpoint
CPU_KERNEL_ANY("_ShareTokens", ShareObjectKernel<ShareTokens>);
CPU_KERNEL_ANY("_OpenShares", OpenKernel);
CPU_KERNEL_ANY("_TakeShare", TakeKernel);
CPU_KERNEL_ANY("_ShareParts", PartsKernel);
CPU_KERNEL_ANY("_PackShare", PackKernel);
CPU_KERNEL_ANY("_EndShare", EndKernel);
CPU_KERNEL_ANY("_ShareLines", LinesKernel);
CPU_KERNEL_ANY("_CloseShares", CloseKernel);

}  // namespace
}  // namespace dfrun
