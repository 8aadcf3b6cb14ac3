// The participants of collectives on any device: values in host memory, which the host folds.
#include <memory>
#include <utility>

#include "kernels/comm/reduce.h"
#include "src/framework/communication/collective_registry.h"
#include "src/framework/kernel/kernel_registry.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// The base of all participants' kernels: the plan and the participant's end of the collective.
class Participant : public AsyncKernel {
 public:
  static constexpr std::string_view kHostOutputs[] = {"output"};
  explicit Participant(KernelSetup& setup) {
    Status made = Make(setup);
    if (!made.ok()) setup.Fail(std::move(made));
  }

 protected:
  const CollectivePlan& plan() const { return plan_; }
  Collective& collective() const { return *collective_; }
  // Internal where the value is none of those that the plan is for.
  Status CheckInput(const Tensor& input) const {
    if (input.num_elements() == plan_.elements) return Status();
    return Internal("a participant of a collective of ", plan_.elements, " elements was given a value of shape ",
                    input.shape());
  }
  // Checks a value whose dimension 0 is gathered or parted.
  Status CheckRows(const Tensor& input) const {
    DF_TRY(CheckInput(input));
    const bool parts = plan_.kind == CollectiveKind::kReduceScatter;
    if (input.shape().rank() > 0 && (!parts || input.shape().dim(0) % plan_.size() == 0)) return Status();
    return Internal("a value of shape ", input.shape(), " has no rows for ", plan_.size(), " participants");
  }

 private:
  Status Make(KernelSetup& setup) {
    DF_ASSIGN(plan_, ReadCollectivePlan(setup.node().op->name, setup.attrs()));
    DF_ASSIGN(const CollectiveDef* const def, CollectiveOf(setup.attrs()));
    DF_ASSIGN(collective_, def->make(plan_, setup.device()));
    return Status();
  }

  CollectivePlan plan_;
  std::unique_ptr<Collective> collective_;
};

Shape WithRows(const Shape& shape, int64_t rows) {
  Shape changed = shape;
  changed.set_dim(0, rows);
  return changed;
}

class Reducing : public Participant {
 public:
  static constexpr std::string_view kHostInputs[] = {"input"};
  Reducing(KernelSetup& setup, Reducer (*reducer_of)(Reduction)) : Participant(setup) {
    const Result<Reduction> reduction = ParseReduction(setup.attr<std::string>("reduction"));
    reduction.ok() ? void(reducer_ = reducer_of(*reduction)) : setup.Fail(reduction.status());
  }

 protected:
  const Reducer& reducer() const { return reducer_; }

 private:
  Reducer reducer_;
};

class AllReduceKernel : public Reducing {
 public:
  using Reducing::Reducing;
  void ComputeAsync(OpContext& ctx, Callback done) override {
    Tensor* output = nullptr;
    Status status = CheckInput(ctx.input(0));
    if (status.ok()) status = ctx.AllocateOutput(0, ctx.input(0).shape(), &output);
    if (!status.ok()) return done(std::move(status));
    collective().AllReduce(ctx.step(), reducer(), ctx.input(0), *output, done);
  }
};

class ReduceScatterKernel : public Reducing {
 public:
  using Reducing::Reducing;
  void ComputeAsync(OpContext& ctx, Callback done) override {
    const Shape& shape = ctx.input(0).shape();
    Tensor* output = nullptr;
    Status status = CheckRows(ctx.input(0));
    if (status.ok()) status = ctx.AllocateOutput(0, WithRows(shape, shape.dim(0) / plan().size()), &output);
    if (!status.ok()) return done(std::move(status));
    collective().ReduceScatter(ctx.step(), reducer(), ctx.input(0), *output, done);
  }
};

class AllGather final : public Participant {
 public:
  static constexpr std::string_view kHostInputs[] = {"input"};
  using Participant::Participant;
  void ComputeAsync(OpContext& ctx, Callback done) override {
    const Shape& shape = ctx.input(0).shape();
    Tensor* output = nullptr;
    Status status = CheckRows(ctx.input(0));
    if (status.ok()) status = ctx.AllocateOutput(0, WithRows(shape, shape.dim(0) * plan().size()), &output);
    if (!status.ok()) return done(std::move(status));
    collective().AllGather(ctx.step(), ctx.input(0), *output, done);
  }
};

class BroadcastSend final : public Participant {
 public:
  static constexpr std::string_view kHostInputs[] = {"input"};
  using Participant::Participant;
  void ComputeAsync(OpContext& ctx, Callback done) override {
    if (Status s = CheckInput(ctx.input(0)); !s.ok()) return done(std::move(s));
    ctx.SetOutput(0, ctx.input(0));
    collective().Broadcast(ctx.step(), *ctx.output_slot(0), done);
  }
};

class BroadcastRecv final : public Participant {
 public:
  explicit BroadcastRecv(KernelSetup& setup) : Participant(setup) {
    Result<Shape> shape = setup.attr<PartialShape>("shape").ToShape();
    shape.ok() ? void(shape_ = *std::move(shape)) : setup.Fail(shape.status());
  }
  void ComputeAsync(OpContext& ctx, Callback done) override {
    Tensor* output = nullptr;
    if (Status s = ctx.AllocateOutput(0, shape_, &output); !s.ok()) return done(std::move(s));
    collective().Broadcast(ctx.step(), *output, done);
  }

 private:
  Shape shape_;
};

template <class K>
struct OfEachType {
  template <class T>
  struct Kernel final : K {
    explicit Kernel(KernelSetup& setup) : K(setup, &ReducerOf<T>) {}
  };
};

DEVICE_KERNEL(kAnyDevice, "_AllReduce", OfEachType<AllReduceKernel>, DF_FLOATS, int32_t, int64_t);
DEVICE_KERNEL(kAnyDevice, "_ReduceScatter", OfEachType<ReduceScatterKernel>, DF_FLOATS, int32_t, int64_t);
DEVICE_KERNEL_ANY(kAnyDevice, "_AllGather", AllGather);
DEVICE_KERNEL_ANY(kAnyDevice, "_BroadcastSend", BroadcastSend);
DEVICE_KERNEL_ANY(kAnyDevice, "_BroadcastRecv", BroadcastRecv);

}  // namespace
}  // namespace dfrun
