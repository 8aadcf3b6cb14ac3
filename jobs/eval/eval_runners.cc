#include "jobs/eval/eval_runners.h"

#include <algorithm>
#include <map>
#include <utility>

#include "jobs/eval/eval_request.h"
#include "src/training/checks/queue_liveness_check.h"

namespace dfrun::jobs {
namespace {

// Returns the Code of an error by TensorFlow's number.
Code CodeOf(int number) {
  switch (number) {
    case 1:
      return Code::kCancelled;
    case 3:
      return Code::kInvalidArgument;
    case 5:
      return Code::kNotFound;
    case 6:
      return Code::kAlreadyExists;
    case 8:
      return Code::kResourceExhausted;
    case 9:
      return Code::kFailedPrecondition;
    case 11:
      return Code::kOutOfRange;
    case 12:
      return Code::kUnimplemented;
    case 14:
      return Code::kUnavailable;
    case 15:
      return Code::kDataLoss;
    default:
      return Code::kInternal;
  }
}

Result<NodeId> AddClose(Graph& graph, Output queue, bool cancels) {
  const std::string name = graph.node(queue.node).name;
  NodeSpec spec;
  spec.name = graph.UniqueName(name + (cancels ? "/eval_cancel" : "/eval_close"));
  spec.op = graph.dtype(queue) == DType::kResource ? "QueueCloseV2" : "QueueClose";
  spec.inputs = {queue};
  spec.attrs = {{"cancel_pending_enqueues", cancels}};
  spec.colocate_with = name;
  return graph.AddNode(std::move(spec));
}

// Plans the runners of one evaluation.
class Planner {
 public:
  Planner(Model& model, const RunSignature& step) : model_(model), graph_(model.graph), step_(step) {}

  Result<std::vector<PlannedRunner>> Run(const std::vector<std::string>& names) {
    used_ = QueuesUsed(graph_, step_);
    for (const std::string& name : names) {
      DF_ASSIGN(const std::vector<NodeId> node, ResolveNodes(graph_, "--runner", {name}));
      DF_ASSIGN(PlannedRunner runner, Plan(node, {Code::kOutOfRange}));
      if (runner.close.targets.empty()) {
        return Error(Code::kUsage, "--runner ", name,
                     ": this puts elements into no queue; --target runs it in each step");
      }
      Take(std::move(runner));
    }
    if (model_.meta) DF_TRY(AddNeeded(model_.meta->runners));
    return std::move(planned_);
  }

 private:
  RunSignature RunOf(std::vector<NodeId> targets) const {
    RunSignature run;
    run.feeds = step_.feeds;
    run.feed_shapes = step_.feed_shapes;
    run.targets = std::move(targets);
    return run;
  }

  Result<PlannedRunner> Plan(const std::vector<NodeId>& enqueue, std::vector<Code> ends) {
    PlannedRunner runner;
    runner.ends = std::move(ends);
    for (const NodeId node : enqueue) runner.enqueue.push_back(RunOf({node}));
    std::vector<NodeId> close;
    std::vector<NodeId> cancel;
    for (const auto& [name, queue] : QueuesFilled(graph_, RunOf(enqueue))) {
      DF_ASSIGN(const NodeId closing, AddClose(graph_, queue, false));
      DF_ASSIGN(const NodeId cancelling, AddClose(graph_, queue, true));
      close.push_back(closing);
      cancel.push_back(cancelling);
    }
    runner.close = RunOf(std::move(close));
    runner.cancel = RunOf(std::move(cancel));
    return runner;
  }

  void Take(PlannedRunner runner) {
    for (const RunSignature& run : runner.enqueue) {
      for (const std::string& queue : QueuesUsed(graph_, run)) used_.insert(queue);
    }
    planned_.push_back(std::move(runner));
  }

  Result<NodeId> NodeOf(const QueueRunner& runner, const std::string& name) const {
    const NodeId node = graph_.Find(name);
    if (node >= 0) return node;
    return Error(Code::kBadSpec, "the queue runner of '", runner.queue, "' names the node '", name,
                 "', which the graph does not have");
  }

  // Plans a runner of the MetaGraph. If the MetaGraph does not say how it ends, nodes that are added here end it.
  Result<PlannedRunner> PlanNamed(const QueueRunner& named) {
    std::vector<NodeId> enqueue;
    for (const std::string& name : named.enqueue) {
      DF_ASSIGN(const NodeId node, NodeOf(named, name));
      enqueue.push_back(node);
    }
    std::vector<Code> ends;
    for (const int number : named.closed_codes) ends.push_back(CodeOf(number));
    DF_ASSIGN(PlannedRunner runner, Plan(enqueue, std::move(ends)));
    for (const auto& [name, run] : {std::pair(&named.close, &runner.close), std::pair(&named.cancel, &runner.cancel)}) {
      if (name->empty()) continue;
      DF_ASSIGN(const NodeId node, NodeOf(named, *name));
      run->targets = {node};
    }
    return runner;
  }

  bool IsNeeded(const QueueRunner& runner) const {
    for (const std::string& name : runner.enqueue) {
      const NodeId node = graph_.Find(name);
      if (node < 0) continue;
      for (const auto& [queue, output] : QueuesFilled(graph_, RunOf({node}))) {
        if (used_.contains(queue)) return true;
      }
    }
    return false;
  }

  // Adds the needed runners until there are no more: a runner may itself take from a queue that another fills.
  Status AddNeeded(const std::vector<QueueRunner>& runners) {
    std::vector<bool> taken(runners.size(), false);
    for (bool more = true; more;) {
      more = false;
      for (size_t i = 0; i < runners.size(); ++i) {
        if (taken[i] || !IsNeeded(runners[i])) continue;
        DF_ASSIGN(PlannedRunner runner, PlanNamed(runners[i]));
        Take(std::move(runner));
        taken[i] = more = true;
      }
    }
    return Status();
  }

  Model& model_;
  Graph& graph_;
  const RunSignature& step_;
  std::set<std::string> used_;  // names of the queues
  std::vector<PlannedRunner> planned_;
};

}  // namespace

Result<std::vector<PlannedRunner>> PlanRunners(Model& model, const std::vector<std::string>& names,
                                               const RunSignature& step) {
  return Planner(model, step).Run(names);
}

Result<PreparedRunner> PrepareRunner(const PlannedRunner& runner, Session& session) {
  PreparedRunner out;
  for (const RunSignature& run : runner.enqueue) {
    DF_ASSIGN(const Session::Handle handle, session.Prepare(run));
    out.enqueue.push_back(handle);
  }
  DF_ASSIGN(out.close, session.Prepare(runner.close));
  DF_ASSIGN(out.cancel, session.Prepare(runner.cancel));
  out.ends = runner.ends;
  return out;
}

std::set<std::string> QueuesOf(const Graph& graph, const std::vector<PlannedRunner>& runners) {
  std::set<std::string> queues;
  for (const PlannedRunner& runner : runners) {
    for (const RunSignature& run : runner.enqueue) queues.merge(QueuesUsed(graph, run));
  }
  return queues;
}

}  // namespace dfrun::jobs
