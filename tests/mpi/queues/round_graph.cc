#include <map>

#include "tests/mpi/queues/round.h"

namespace dfrun::testing {
namespace {

bool IsPadding(const Round& round) {
  return round.kind.starts_with("Padding");
}

// Returns whether an element has a component before the value: a priority, or a vector that has one length for all
// elements of a call and is padded to match those of other calls.
bool HasTwoComponents(const Round& round) {
  return IsPadding(round) || round.kind.starts_with("Priority");
}

// Returns the first component of each element that a call puts.
Tensor FirstComponent(const Round& round, const Call& call) {
  const bool many = call.form == Call::Form::kPutMany;
  const auto count = static_cast<int64_t>(call.values.size());
  std::vector<int64_t> dims;
  if (many) dims.push_back(count);
  if (IsPadding(round)) dims.push_back(count % 3);
  Tensor component(DType::kInt64, Shape(dims));
  for (int64_t i = 0; i < component.num_elements(); ++i) component.data<int64_t>()[i] = (count + i) % 5;
  return component;
}

class RoundGraph {
 public:
  RoundGraph(const Round& round, Graph& graph) : round_(round), graph_(graph) {}

  Status Add() {
    for (size_t q = 0; q < round_.queues.size(); ++q) {
      DF_ASSIGN(const Output queue, AddQueue(graph_, round_, static_cast<int>(q)));
      queues_.push_back(queue);
    }
    for (size_t step = 0; step < round_.steps.size(); ++step) DF_TRY(AddStep(static_cast<int>(step)));
    return Status();
  }

 private:
  Status AddStep(int number) {
    const StepPlan& step = round_.steps[static_cast<size_t>(number)];
    std::map<int, std::vector<NodeId>> last;  // by worker
    for (const Call& call : step.calls) {
      DF_ASSIGN(const Output ended, AddCall(call, last[call.worker]));
      last[call.worker] = {ended.node};
    }
    return AddEnding(number, step);
  }

  Result<Output> AddConst(const std::string& name, Tensor value, int rank) {
    const DType dtype = value.dtype();
    return AddNode(graph_, name, "Const", {}, {{"dtype", dtype}, {"value", std::move(value)}}, {TaskDevice(rank)});
  }

  // The last node of the call.
  Result<Output> AddCall(const Call& call, std::vector<NodeId> after) {
    return call.puts() ? AddPut(call, std::move(after)) : AddTake(call, std::move(after));
  }

  Result<Output> AddPut(const Call& call, std::vector<NodeId> after) {
    const bool many = call.form == Call::Form::kPutMany;
    std::vector<Output> inputs = {queues_[static_cast<size_t>(call.queue)]};
    if (HasTwoComponents(round_)) {
      DF_ASSIGN(const Output first, AddConst(call.name + "/first", FirstComponent(round_, call), call.rank));
      inputs.push_back(first);
    }
    Tensor value = many ? Tensor::Vector<int64_t>(call.values) : Tensor::Scalar(call.values[0]);
    DF_ASSIGN(const Output last, AddConst(call.name + "/value", std::move(value), call.rank));
    inputs.push_back(last);
    return AddNode(graph_, call.name, many ? "QueueEnqueueManyV2" : "QueueEnqueueV2", std::move(inputs), {},
                   {"", std::move(after)});
  }

  Result<Output> AddTake(const Call& call, std::vector<NodeId> after) {
    std::vector<Output> inputs = {queues_[static_cast<size_t>(call.queue)]};
    if (call.form != Call::Form::kTakeOne) {
      Tensor wanted = Tensor::Scalar(static_cast<int32_t>(call.wanted));
      DF_ASSIGN(const Output n, AddConst(call.name + "/n", std::move(wanted), call.rank));
      inputs.push_back(n);
    }
    const char* const op = call.form == Call::Form::kTakeOne    ? "QueueDequeueV2"
                           : call.form == Call::Form::kTakeMany ? "QueueDequeueManyV2"
                                                                : "QueueDequeueUpToV2";
    const std::vector<DType> types = ComponentTypes(round_);
    DF_ASSIGN(Output taken,
              AddNode(graph_, call.name, op, std::move(inputs), {{"component_types", types}}, {"", std::move(after)}));
    taken.port = static_cast<int32_t>(types.size()) - 1;
    return AddNode(graph_, call.name + "/here", "Identity", {taken}, {}, {TaskDevice(call.rank)});
  }

  Result<Output> AddNap(const std::string& name, const StepPlan& step, size_t i, bool fails) {
    return AddNode(graph_, name, "Nap", {}, {{"us", step.nap_us[i]}, {"fails", fails}}, {TaskDevice(step.nap_rank[i])});
  }

  Status AddEnding(int number, const StepPlan& step) {
    if (step.ending == Ending::kNone) return Status();
    if (step.ending == Ending::kFailure) return AddNap(StrCat("end_", number), step, 0, true).status();
    for (size_t q = 0; q < queues_.size(); ++q) {
      DF_ASSIGN(const Output nap, AddNap(StrCat("nap_", number, "_", q), step, q, false));
      DF_TRY(AddNode(graph_, StrCat("end_", number, "_", q), "QueueCloseV2", {queues_[q]},
                     {{"cancel_pending_enqueues", step.ending == Ending::kCancel}}, {"", {nap.node}})
                 .status());
    }
    return Status();
  }

  const Round& round_;
  Graph& graph_;
  std::vector<Output> queues_;
};

}  // namespace

std::string TaskDevice(int task) {
  return StrCat("/job:worker/task:", task);
}

std::vector<DType> ComponentTypes(const Round& round) {
  return std::vector<DType>(HasTwoComponents(round) ? 2 : 1, DType::kInt64);
}

Result<Output> AddNode(Graph& graph, const std::string& name, const std::string& op, std::vector<Output> inputs,
                       AttrMap attrs, NodePlace place) {
  NodeSpec spec;
  spec.name = name;
  spec.op = op;
  spec.inputs = std::move(inputs);
  spec.attrs = std::move(attrs);
  spec.device = std::move(place.device);
  spec.control_inputs = std::move(place.after);
  DF_ASSIGN(const NodeId id, graph.AddNode(std::move(spec)));
  return Output{id, 0};
}

Result<Output> AddQueue(Graph& graph, const Round& round, int queue) {
  const QueuePlan& plan = round.queues[static_cast<size_t>(queue)];
  std::vector<DType> types = ComponentTypes(round);
  std::vector<PartialShape> shapes(types.size(), PartialShape::Scalar());
  if (IsPadding(round)) shapes[0] = PartialShape({-1});
  if (round.kind.starts_with("Priority")) {  // the op adds the priority itself
    types.pop_back();
    shapes.pop_back();
  }
  AttrMap attrs = {
      {"component_types", types}, {"shapes", shapes}, {"capacity", plan.capacity}, {"shared_name", plan.name}};
  if (plan.min_after_dequeue > 0) attrs.Set("min_after_dequeue", plan.min_after_dequeue);
  return AddNode(graph, plan.name, round.kind, {}, std::move(attrs), {TaskDevice(plan.rank)});
}

Status Round::AddTo(Graph& graph) const {
  return RoundGraph(*this, graph).Add();
}

std::vector<std::string> Round::Fetches(int step) const {
  std::vector<std::string> names;
  for (const Call& call : steps[static_cast<size_t>(step)].calls) {
    if (!call.puts()) names.push_back(call.name + "/here");
  }
  return names;
}

std::vector<std::string> Round::Targets(int step) const {
  const StepPlan& plan = steps[static_cast<size_t>(step)];
  std::vector<std::string> names;
  for (const Call& call : plan.calls) {
    if (call.puts()) names.push_back(call.name);
  }
  if (plan.ending == Ending::kFailure) names.push_back(StrCat("end_", step));
  if (plan.ending == Ending::kClose || plan.ending == Ending::kCancel) {
    for (size_t q = 0; q < queues.size(); ++q) names.push_back(StrCat("end_", step, "_", q));
  }
  return names;
}

}  // namespace dfrun::testing
