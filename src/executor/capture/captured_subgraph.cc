#include "src/executor/capture/captured_subgraph.h"

#include <algorithm>
#include <utility>

#include "src/executor/step/node_actions.h"
#include "src/executor/step/numerics_check.h"
#include "src/framework/kernel/executor_access.h"

namespace dfrun {
namespace {

// Enough for the usual sets of shapes: those of a training batch, of its last batch and of an evaluation's.
constexpr size_t kMaxRecordings = 4;
// A subgraph whose shapes change all the time is not worth recording.
constexpr int kMaxAttempts = 32;

// Has kernels enqueue. The host looks at the gate of the updates, where there is one.
class OneByOne : public SubgraphRunner::Observer {
 public:
  explicit OneByOne(const ExecPlan& plan) : plan_(plan) {}

  Status Call(uint32_t node, const Tensor* slots, FunctionRef<Status(OpContext&)> call, OpContext& ctx) override {
    DF_TRY(CallKernel(node, slots, call, ctx));
    if (IsGate(plan_, node)) gate_ = slots[plan_.records()[node].first_output];
    return Status();
  }
  Result<bool> LeavesOut(uint32_t, const Tensor*) override {
    if (!gate_.initialized()) return false;
    DF_ASSIGN(gate_, plan_.device().ToHostMemory(gate_));
    return gate_.scalar<int32_t>() == 0;
  }

 protected:
  virtual Status CallKernel(uint32_t, const Tensor*, FunctionRef<Status(OpContext&)> call, OpContext& ctx) {
    return call(ctx);
  }
  const ExecPlan& plan() const { return plan_; }

 private:
  const ExecPlan& plan_;
  Tensor gate_;
};

// Runs nodes one by one and waits for the work that each enqueues, as NodeRunner does for a watched node.
class Watcher final : public OneByOne {
 public:
  Watcher(const ExecPlan& plan, const RunArgs& args, uint64_t iteration)
      : OneByOne(plan), args_(args), iteration_(iteration) {
    if (args.trace != nullptr) args.trace->AddPlan(plan.id(), [&] { return plan.Names(); });
  }

 protected:
  Status CallKernel(uint32_t node, const Tensor* slots, FunctionRef<Status(OpContext&)> call, OpContext& ctx) override {
    const NumericsCheck::Inputs inputs =
        args_.numerics != nullptr ? args_.numerics->Before(plan(), node, slots) : NumericsCheck::Inputs();
    static_cast<void>(ExecutorAccess::TakeEnqueued(ctx));
    const int64_t start_ns = TraceSink::NowNs();
    Status status = call(ctx);
    const bool is_enqueued = ExecutorAccess::TakeEnqueued(ctx);
    if (is_enqueued && status.ok()) status = plan().device().Synchronize();
    if (args_.trace != nullptr) {
      TraceNode(args_, plan(), node, slots,
                {.is_enqueued = is_enqueued, .start_ns = start_ns, .iteration = iteration_});
    }
    if (args_.numerics != nullptr && status.ok()) args_.numerics->After(plan(), node, slots, inputs);
    return status;
  }

 private:
  const RunArgs& args_;
  const uint64_t iteration_;
};

}  // namespace

CapturedSubgraph::CapturedSubgraph(SubgraphDraft draft, std::unique_ptr<ExecPlan> plan,
                                   std::function<void(const std::string&)> explain)
    : name_(std::move(draft.name)),
      plan_(std::move(plan)),
      uploaded_(std::move(draft.uploaded)),
      device_(*CapturingDevice::Of(plan_->device())),
      explain_(std::move(explain)) {
  set_fn(&Invoke);
}

Status CapturedSubgraph::Compute(OpContext& ctx) {
  MutexLock lock(mu_);
  GraphExec* recording = may_record_ ? FindRecording(ctx) : nullptr;
  if (recording == nullptr && may_record_ && ComeAgain(ctx)) recording = Record(ctx);
  if (recording != nullptr) {
    const GraphExec::Locked locked(*recording);
    if (recording->Fits(ctx) == GraphExec::Fit::kYes) return recording->Launch(uploaded_, device_, ctx);
  }
  OneByOne one_by_one(*plan_);
  return RunOneByOne(ctx, one_by_one);
}

Status CapturedSubgraph::ComputeWatched(OpContext& ctx, const RunArgs& args) const {
  Watcher watcher(*plan_, args, ctx.iteration());
  return RunOneByOne(ctx, watcher);
}

Status CapturedSubgraph::RunOneByOne(OpContext& ctx, SubgraphRunner::Observer& observer) const {
  std::vector<Tensor> inputs(uploaded_.size());
  SubgraphCopies copies(device_);
  for (size_t i = 0; i < uploaded_.size(); ++i) {
    const Tensor& input = ctx.input(static_cast<int>(i));
    inputs[i] = input;
    if (!uploaded_[i]) continue;
    DF_ASSIGN(inputs[i], Tensor::Allocate(ctx.allocator(), input.dtype(), input.shape()));
    DF_TRY(copies.Add(input, inputs[i].raw()));
  }
  DF_TRY(copies.Enqueue(/*is_last=*/false));
  SubgraphRunner runner(*plan_, ctx.device(), ctx.pool(), ctx.step());
  std::vector<Tensor> outputs;
  DF_TRY(runner.Run(std::move(inputs), observer, outputs));
  for (size_t i = 0; i < outputs.size(); ++i) ctx.SetOutput(static_cast<int>(i), std::move(outputs[i]));
  ctx.SetEnqueued();
  return Status();
}

GraphExec* CapturedSubgraph::FindRecording(const OpContext& ctx) {
  const auto fits = [&](const auto& recording) { return recording->Fits(ctx) != GraphExec::Fit::kNo; };
  const auto found = std::find_if(recordings_.begin(), recordings_.end(), fits);
  if (found == recordings_.end()) return nullptr;
  if ((*found)->Fits(ctx) == GraphExec::Fit::kStale) {
    recordings_.erase(found);
    return nullptr;
  }
  std::rotate(recordings_.begin(), found, found + 1);
  return recordings_[0].get();
}

bool CapturedSubgraph::ComeAgain(const OpContext& ctx) {
  std::vector<Shape> shapes;
  shapes.reserve(static_cast<size_t>(ctx.num_inputs()));
  for (int i = 0; i < ctx.num_inputs(); ++i) shapes.push_back(ctx.input(i).shape());
  if (const auto found = std::find(seen_.begin(), seen_.end(), shapes); found != seen_.end()) {
    seen_.erase(found);
    return true;
  }
  if (seen_.size() == 2 * kMaxRecordings) seen_.erase(seen_.begin());
  seen_.push_back(std::move(shapes));
  return false;
}

GraphExec* CapturedSubgraph::Record(OpContext& ctx) {
  Result<std::unique_ptr<GraphExec>> made = GraphExec::Make(*plan_, uploaded_, device_, ctx);
  if (++recorded_ == kMaxAttempts) may_record_ = false;
  if (!made.ok()) {
    // An error of a node's is the step's, by the calls that follow.
    const Code code = made.status().code();
    if (code == Code::kUnimplemented || code == Code::kResourceExhausted) may_record_ = false;
    if (explain_) explain_(StrCat(name_, ": not recorded: ", made.status().message()));
    return nullptr;
  }
  if (recordings_.size() == kMaxRecordings) recordings_.pop_back();
  recordings_.insert(recordings_.begin(), *std::move(made));
  if (explain_) Explain(*recordings_[0]);
  return recordings_[0].get();
}

void CapturedSubgraph::Explain(const GraphExec& made) const {
  const CaptureFacts& facts = made.facts();
  explain_(StrCat(name_, ": recorded: ", facts.nodes, " pieces of work, ", facts.library_calls,
                  " of them library calls; ", facts.edges, " edges of ", facts.edges_found, " found, ",
                  facts.early_edges, " of them early; ", facts.arena_bytes, " bytes of memory, workspaces of at most ",
                  facts.workspace_bytes));
}

}  // namespace dfrun
