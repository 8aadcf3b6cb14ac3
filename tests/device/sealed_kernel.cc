#include "tests/device/sealed_kernel.h"

#include <algorithm>
#include <numeric>
#include <utility>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include "src/framework/kernel/executor_access.h"

namespace dfrun::sealed {
namespace {

// A call computes as the thread that asked for it does: denormals are a mode of the processor.
class FloatMode {
 public:
#if defined(__SSE__)
  static unsigned Now() {
    return _mm_getcsr();
  }
  explicit FloatMode(unsigned mode) : before_(_mm_getcsr()) {
    _mm_setcsr(mode);
  }
  ~FloatMode() {
    _mm_setcsr(before_);
  }

 private:
  const unsigned before_;
#else
  static unsigned Now() {
    return 0;
  }
  explicit FloatMode(unsigned) {}
#endif
};

bool IsPlainValue(const TypedArg& arg) {
  return IsPlain(arg.dtype) && !arg.is_ref;
}

Status AtNode(const InnerKernel& inner, const Status& status) {
  return status.Annotate(
      StrCat("node '", inner.node.name, "' (op ", inner.node.op->name, ") on ", inner.device.full_name()));
}

}  // namespace

InnerKernel::InnerKernel(KernelSetup& setup) : device(static_cast<SealedDevice&>(setup.device())), node(setup.node()) {
  const Result<const KernelDef*> def = KernelRegistry::Builtin().Find(node.op->name, "cpu", setup.attrs());
  if (!def.ok()) {
    setup.Fail(def.status());
    return;
  }
  std::vector<PartialShape> inputs;
  std::vector<PartialShape> outputs;
  for (size_t i = 0; i < node.inputs.size(); ++i) inputs.push_back(setup.input_shape(static_cast<int>(i)));
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    outputs.push_back(setup.output_shape(static_cast<int>(i)));
    is_preallocated.push_back(setup.output_is_preallocated(static_cast<int>(i)));
  }
  KernelSetup inner(node, setup.attrs(), device.inside(), std::move(inputs), std::move(outputs), is_preallocated);
  kernel = (*def)->make(inner);
  setup.Fail(inner.status());
}

InnerCall::InnerCall(const InnerKernel& inner, OpContext& outer)
    : inner_(inner),
      outer_(outer),
      variables_(inner.device),
      slots_(inner.node.inputs.size()),
      in_(slots_.size()),
      outputs_(inner.node.outputs.size()),
      step_(outer.step()) {
  std::iota(in_.begin(), in_.end(), 0);
}

Tensor InnerCall::Input(int i) {
  const TypedArg& type = inner_.node.inputs[static_cast<size_t>(i)];
  if (type.is_ref) return Tensor::Reference(type.dtype, &variables_.Find(outer_.input_variable(i)));
  const Tensor& value = outer_.input(i);
  if (value.initialized() && value.dtype() == DType::kResource) return variables_.HandlesToAliases(value);
  return inner_.device.AtAlias(value);
}

void InnerCall::Bind() {
  for (int i = 0; i < outer_.num_inputs(); ++i) slots_[static_cast<size_t>(i)] = Input(i);
  BindOutputs();
  BindContext();
}

void InnerCall::BindEnqueued() {
  for (int i = 0; i < outer_.num_inputs(); ++i) {
    slots_[static_cast<size_t>(i)] = inner_.device.BorrowedAtAlias(outer_.input(i));
  }
  for (int i = 0; i < outer_.num_outputs(); ++i) {
    outputs_[static_cast<size_t>(i)] = inner_.device.BorrowedAtAlias(*outer_.output_slot(i));
  }
  BindContext();
}

void InnerCall::BindOutputs() {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (inner_.is_preallocated[i]) outputs_[i] = inner_.device.AtAlias(*outer_.output_slot(static_cast<int>(i)));
  }
}

void InnerCall::BindContext() {
  ExecutorAccess::BindStep(context_, slots_.data(), inner_.device.inside(), pool_, step_);
  ExecutorAccess::SetIteration(context_, outer_.iteration());
  ExecutorAccess::BindNode(context_, inner_.node, in_.data(), outputs_.data(), 0);
}

Status InnerCall::Finish() {
  for (int i = 0; i < outer_.num_outputs(); ++i) DF_TRY(FinishOutput(i));
  if (ExecutorAccess::OutputsDead(context_)) *outer_.outputs_dead() = true;
  return variables_.WriteBack();
}

Status InnerCall::FinishOutput(int i) {
  Tensor& made = outputs_[static_cast<size_t>(i)];
  if (made.is_reference()) {
    outer_.SetOutputRef(i, &variables_.Original(*made.variable()));
  } else if (inner_.is_preallocated[static_cast<size_t>(i)] || !made.initialized()) {
    return Status();
  } else if (made.dtype() == DType::kResource) {
    outer_.SetOutput(i, variables_.HandlesToOriginals(made));
  } else if (inner_.node.outputs[static_cast<size_t>(i)].in_host) {
    const bool is_theirs = IsPlain(made.dtype()) && inner_.device.IsAlias(made);
    DF_ASSIGN(Tensor value, is_theirs ? made.Copy(SystemAllocator()) : Result<Tensor>(made));
    outer_.SetOutput(i, std::move(value));
  } else {
    DF_ASSIGN(Tensor value, inner_.device.Sealed(made));
    outer_.SetOutput(i, std::move(value));
  }
  return Status();
}

SealedKernel::SealedKernel(KernelSetup& setup) : inner_(setup) {
  if (inner_.kernel == nullptr || !MayEnqueue(setup)) return;
  for (int i = 0; i < static_cast<int>(inner_.node.outputs.size()); ++i) {
    shapes_.push_back(*setup.output_shape(i).ToShape());
  }
}

bool SealedKernel::MayEnqueue(const KernelSetup& setup) const {
  const std::vector<TypedArg>& inputs = inner_.node.inputs;
  if (!std::all_of(inputs.begin(), inputs.end(), IsPlainValue)) return false;
  for (size_t i = 0; i < inner_.node.outputs.size(); ++i) {
    const TypedArg& output = inner_.node.outputs[i];
    if (!IsPlainValue(output) || output.in_host) return false;
    if (!setup.output_shape(static_cast<int>(i)).ToShape().ok()) return false;
  }
  const Result<const KernelDef*> def = KernelRegistry::Builtin().Find(inner_.node.op->name, "cpu", setup.attrs());
  return def.ok() && !(*def)->shares_outputs;
}

Status SealedKernel::Compute(OpContext& ctx) {
  return shapes_.empty() ? RunAndWait(ctx) : Enqueue(ctx);
}

Status SealedKernel::Enqueue(OpContext& ctx) {
  for (int i = 0; i < ctx.num_outputs(); ++i) {
    Tensor* output = nullptr;
    DF_TRY(ctx.AllocateOutput(i, shapes_[static_cast<size_t>(i)], &output));
  }
  const auto call = std::make_shared<InnerCall>(inner_, ctx);
  call->BindEnqueued();
  inner_.device.queue().Enqueue([this, call, mode = FloatMode::Now()] {
    Stream& stream = inner_.device.queue();
    if (!stream.failure().ok()) return;
    const FloatMode as_asked(mode);
    const Status status = inner_.kernel->fn()(inner_.kernel.get(), call->context());
    if (!status.ok()) stream.Fail(AtNode(inner_, status));
  });
  ctx.SetEnqueued();
  return Status();
}

Status SealedKernel::RunAndWait(OpContext& ctx) {
  Status status;
  InnerCall call(inner_, ctx);
  const unsigned mode = FloatMode::Now();
  inner_.device.queue().Run([&] {
    status = inner_.device.queue().failure();
    if (!status.ok()) return;
    const FloatMode as_asked(mode);
    call.Bind();
    status = inner_.kernel->fn()(inner_.kernel.get(), call.context());
    if (status.ok()) status = call.Finish();
  });
  return status;
}

namespace {

// An asynchronous call: lives until it has ended.
struct AsyncCall {
  InnerCall call;
  Callback done;
  static void End(void* arg, Status status) {
    const std::unique_ptr<AsyncCall> self(static_cast<AsyncCall*>(arg));
    if (status.ok()) status = self->call.Finish();
    self->done(std::move(status));
  }
};

}  // namespace

void SealedAsyncKernel::ComputeAsync(OpContext& ctx, Callback done) {
  auto* const call = new AsyncCall{InnerCall(inner_, ctx), done};
  inner_.device.queue().Enqueue([this, call] {
    const Status& failure = inner_.device.queue().failure();
    if (!failure.ok()) return AsyncCall::End(call, failure);
    call->call.Bind();
    static_cast<AsyncKernel*>(inner_.kernel.get())->ComputeAsync(call->call.context(), {&AsyncCall::End, call});
  });
}

}  // namespace dfrun::sealed
