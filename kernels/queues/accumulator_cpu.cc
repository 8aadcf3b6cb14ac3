#include <utility>

#include "kernels/array/add_element.h"
#include "kernels/queues/waitable.h"
#include "kernels/state/device_object.h"

namespace dfrun {
namespace {

struct AccumulatorType {
  DType dtype = DType::kInvalid;
  PartialShape shape;
  bool takes_mean = true;
  bool operator==(const AccumulatorType& other) const {
    return dtype == other.dtype && shape == other.shape && takes_mean == other.takes_mean;
  }
};

// Calls f with a value of the dtype, which the accumulator's kernel has made sure of.
template <class F>
void VisitAccumulated(DType dtype, F&& f) {
  VisitDType<float, double, float16>(dtype, [&](auto tag) { f(typename decltype(tag)::type{}); });
}

// Thread safety: all methods from any thread.
class Accumulator final : public Waitable {
 public:
  Accumulator(std::string name, AccumulatorType type) : name_(std::move(name)), type_(std::move(type)) {}

  const AccumulatorType& type() const { return type_; }
  Status Apply(OpContext& ctx, int64_t local_step, const Tensor& gradient) EXCLUDES(mu_);
  void SetStep(int64_t step) EXCLUDES(mu_) {
    MutexLock lock(mu_);
    step_ = step;
  }
  int32_t num_accumulated() const EXCLUDES(mu_) {
    MutexLock lock(mu_);
    return count_;
  }
  std::string DebugString() const override {
    return StrCat("the accumulator '", name_, "' of ", type_.dtype, type_.shape);
  }

 private:
  Progress Serve(Attempt& attempt) override REQUIRES(mu_);
  Status CheckGradient(const Tensor& gradient) const;
  Status Add(OpContext& ctx, const Tensor& gradient) REQUIRES(mu_);

  const std::string name_;
  const AccumulatorType type_;
  Tensor sum_ GUARDED_BY(mu_);  // without a value where count_ is 0
  int32_t count_ GUARDED_BY(mu_) = 0;
  int64_t step_ GUARDED_BY(mu_) = 0;
};

// A call of AccumulatorTakeGradient.
class Taking final : public Attempt {
 public:
  Taking(OpContext& ctx, Callback done, int32_t required, const AccumulatorType& type)
      : Attempt(ctx, done), required_(required), type_(type) {}
  int32_t required() const { return required_; }
  void Take(Tensor sum, int32_t count) {
    sum_ = std::move(sum);
    count_ = count;
  }

 private:
  Status Deliver() override {
    if (type_.takes_mean) {
      VisitAccumulated(type_.dtype, [&](auto zero) {
        using T = decltype(zero);
        T* const values = sum_.data<T>();
        for (int64_t i = 0; i < sum_.num_elements(); ++i)
          values[i] = static_cast<T>(values[i] / static_cast<T>(count_));
      });
    }
    ctx().SetOutput(0, std::move(sum_));
    return Status();
  }

  const int32_t required_;
  const AccumulatorType& type_;  // of the accumulator, which the attempt keeps
  Tensor sum_;
  int32_t count_ = 0;
};

Status Accumulator::CheckGradient(const Tensor& gradient) const {
  if (gradient.dtype() == type_.dtype && type_.shape.IsCompatibleWith(gradient.shape())) return Status();
  return InvalidArgument("a gradient of ", gradient.dtype(), gradient.shape(), " cannot be added to ", DebugString());
}

// Element by element, of the same dtype and shape.
void AddTo(Tensor& sum, const Tensor& gradient) {
  VisitAccumulated(sum.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* const to = sum.data<T>();
    const T* const more = gradient.data<T>();
    for (int64_t i = 0; i < gradient.num_elements(); ++i) to[i] = AddElement(to[i], more[i]);
  });
}

Status Accumulator::Add(OpContext& ctx, const Tensor& gradient) {
  if (count_ == 0) {
    DF_ASSIGN(sum_, gradient.Copy(ctx.allocator()));
    return Status();
  }
  if (!(sum_.shape() == gradient.shape())) {
    return InvalidArgument("a gradient of shape ", gradient.shape(), " cannot be added to those of shape ",
                           sum_.shape());
  }
  AddTo(sum_, gradient);
  return Status();
}

Status Accumulator::Apply(OpContext& ctx, int64_t local_step, const Tensor& gradient) {
  DF_TRY(CheckGradient(gradient));
  Finished finished;
  MutexLock lock(mu_);
  if (local_step < step_) return Status();
  DF_TRY(Add(ctx, gradient));
  ++count_;
  ServeLines(finished);
  return Status();
}

Waitable::Progress Accumulator::Serve(Attempt& attempt) {
  auto& taking = static_cast<Taking&>(attempt);
  if (count_ < taking.required()) return Progress::kWaits;
  if (!attempt.Claim()) return Progress::kGone;
  taking.Take(std::exchange(sum_, Tensor()), std::exchange(count_, 0));
  ++step_;
  return Progress::kEnds;
}

struct MakeAccumulator {
  using Object = Accumulator;
  static Result<RefPtr<Accumulator>> FindOrMake(KernelSetup& setup, DeviceObjectHandle& handle) {
    const AccumulatorType type{setup.attr<DType>("dtype"), setup.attr<PartialShape>("shape"),
                               setup.attr<std::string>("reduction_type") == "MEAN"};
    DF_ASSIGN(RefPtr<Accumulator> found,
              handle.Find<Accumulator>(
                  setup, [&](const std::string& name) -> Result<Accumulator*> { return new Accumulator(name, type); }));
    if (found->type() == type) return found;
    return InvalidArgument("the node ", setup.node().name, " shares ", found->DebugString(), ", which is another sort");
  }
};

// For each of the dtypes that VisitAccumulated() knows.
struct AccumulatorKernels {
  template <class T>
  using Kernel = DeviceObjectKernel<MakeAccumulator>;
};

Result<RefPtr<Accumulator>> AccumulatorInput(const OpContext& ctx) {
  return DeviceObjectInput<Accumulator>(ctx, 0, "accumulator");
}

template <class T>
Result<T> ScalarOf(const OpContext& ctx, std::string_view what) {
  if (ctx.input(1).num_elements() == 1) return ctx.input(1).scalar<T>();
  return InvalidArgument(what, " must be a scalar, but has shape ", ctx.input(1).shape());
}

class ApplyGradientKernel final : public Kernel {
 public:
  explicit ApplyGradientKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<Accumulator> accumulator, AccumulatorInput(ctx));
    DF_ASSIGN(const int64_t local_step, ScalarOf<int64_t>(ctx, "local_step"));
    return accumulator->Apply(ctx, local_step, ctx.input(2));
  }
};

class TakeGradientKernel final : public AsyncKernel {
 public:
  explicit TakeGradientKernel(KernelSetup&) {}
  void ComputeAsync(OpContext& ctx, Callback done) override {
    if (Status status = Start(ctx, done); !status.ok()) done(std::move(status));
  }

 private:
  static Status Start(OpContext& ctx, Callback done) {
    DF_ASSIGN(const RefPtr<Accumulator> accumulator, AccumulatorInput(ctx));
    DF_ASSIGN(const int32_t required, ScalarOf<int32_t>(ctx, "num_required"));
    if (required < 1) return InvalidArgument("Argument num_required must be >= 1, not ", required);
    if (ctx.node().outputs[0].dtype != accumulator->type().dtype) {
      return InvalidArgument(accumulator->DebugString(), " is taken as ", ctx.node().outputs[0].dtype);
    }
    accumulator->Submit(std::make_unique<Taking>(ctx, done, required, accumulator->type()), 0);
    return Status();
  }
};

class SetGlobalStepKernel final : public Kernel {
 public:
  explicit SetGlobalStepKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<Accumulator> accumulator, AccumulatorInput(ctx));
    DF_ASSIGN(const int64_t step, ScalarOf<int64_t>(ctx, "new_global_step"));
    accumulator->SetStep(step);
    return Status();
  }
};

class NumAccumulatedKernel final : public Kernel {
 public:
  explicit NumAccumulatedKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<Accumulator> accumulator, AccumulatorInput(ctx));
    Tensor* count = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &count));
    *count->data<int32_t>() = accumulator->num_accumulated();
    return Status();
  }
};

CPU_KERNEL_ATTR("ConditionalAccumulator", "dtype", AccumulatorKernels, float, double, float16);
CPU_KERNEL_ATTR("ResourceConditionalAccumulator", "dtype", AccumulatorKernels, float, double, float16);

#define ACCUMULATOR_KERNEL(op, kernel)      \
  CPU_KERNEL_ANY("Accumulator" op, kernel); \
  CPU_KERNEL_ANY("ResourceAccumulator" op, kernel)

ACCUMULATOR_KERNEL("ApplyGradient", ApplyGradientKernel);
ACCUMULATOR_KERNEL("TakeGradient", TakeGradientKernel);
ACCUMULATOR_KERNEL("SetGlobalStep", SetGlobalStepKernel);
ACCUMULATOR_KERNEL("NumAccumulated", NumAccumulatedKernel);

}  // namespace
}  // namespace dfrun
