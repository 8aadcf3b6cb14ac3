#include "src/training/summaries.h"

#include <utility>

#include "src/graph/colocation_head.h"
#include "src/training/order/step_order.h"
#include "src/training/rank_devices.h"

namespace dfrun {
namespace {

// Adds nodes that make messages.
class Messages {
 public:
  explicit Messages(JobGraphDraft& draft)
      : draft_(draft), graph_(draft.job.graph), spec_(draft.spec.summaries), ops_(graph_, "summaries") {}

  Status AddBeforeUpdates() {
    auto values = draft_.summarized.begin() + static_cast<int64_t>(spec_.scalars.size());
    for (const FetchSpec& fetch : spec_.values) DF_TRY(AddHistogram("values/" + fetch.name, *values++));
    for (const FetchSpec& fetch : spec_.images) {
      DF_TRY(AddOfFirst("images/" + fetch.name, "_ImageTensorSummary", *values++, {}));
    }
    for (const FetchSpec& fetch : spec_.audio) {
      DF_TRY(AddOfFirst("audio/" + fetch.name, "_AudioTensorSummary", *values++, {{"sample_rate", spec_.sample_rate}}));
    }
    for (const FetchSpec& fetch : spec_.text) {
      DF_TRY(AddOfFirst("text/" + fetch.name, "_TextTensorSummary", *values++, {}));
    }
    for (const PrCurveSpec& curve : spec_.pr_curves) {
      DF_TRY(AddCurve("pr_curves/" + curve.name, values[0], values[1]));
      values += 2;
    }
    for (const size_t i : spec_.gradients) {
      const auto found = draft_.applied.find(VariableAt(i));
      if (found == draft_.applied.end()) continue;  // the loss does not depend on it
      DF_TRY(AddHistogram("gradients/" + graph_.node(found->first).name, {found->second}));
    }
    return ops_.status();
  }

  Status AddWeights() {
    RunSignature reads;
    reads.targets = draft_.job.step.signature.targets;
    for (const size_t i : spec_.weights) reads.fetches.push_back({VariableAt(i), 0});
    StepOrderOptions options = {.last = {}, .fetches_come_last = true};
    for (const auto& [variable, writers] : draft_.writers)
      options.last.insert(options.last.end(), writers.begin(), writers.end());
    DF_TRY(OrderStep(options, graph_, reads));
    for (size_t i = 0; i < reads.fetches.size(); ++i) {
      const std::string& name = graph_.node(VariableAt(spec_.weights[i])).name;
      DF_TRY(AddHistogram("weights/" + name, {reads.fetches[i]}));
    }
    return ops_.status();
  }

 private:
  NodeId VariableAt(size_t i) const { return draft_.shared.nodes.at(draft_.spec.variables[i].node); }

  // The CPU of the rank where a value is.
  Result<std::string> HostOf(Output value) const {
    const Node& head = HeadOfColocation(graph_, graph_.node(value.node));
    DF_ASSIGN(const int rank, RankOf(draft_.cluster, head.device));
    return CpuOf(draft_.cluster, rank);
  }

  // The CPU beside the only one of several values, or that of the first worker.
  Result<std::string> HostOfAll(const std::vector<Output>& values) const {
    if (values.size() == 1) return HostOf(values[0]);
    DF_ASSIGN(const int rank, RankOf(draft_.cluster, draft_.workers[0]));
    return CpuOf(draft_.cluster, rank);
  }

  Status AddMessage(const std::string& tag, const char* op, const std::string& host, std::vector<Output> inputs,
                    AttrMap attrs) {
    attrs.Set("tag", tag);
    ops_.set_device(host);
    const Output message = ops_.Add(tag, op, std::move(inputs), std::move(attrs));
    DF_TRY(ops_.status());
    draft_.messages[host].push_back(message);
    return Status();
  }

  // `op` counts each value where it is.
  Status AddCounted(const std::string& tag, const char* op, const char* count_op,
                    const std::vector<std::vector<Output>>& inputs_of_each) {
    std::vector<Output> counts;
    std::vector<Output> firsts;
    for (const std::vector<Output>& inputs : inputs_of_each) {
      DF_ASSIGN(std::string host, HostOf(inputs.back()));
      ops_.set_device(std::move(host));
      counts.push_back(ops_.Add(tag + "/counts", count_op, inputs));
      firsts.push_back(inputs.back());
    }
    DF_TRY(ops_.status());
    DF_ASSIGN(const std::string host, HostOfAll(firsts));
    return AddMessage(tag, op, host, std::move(counts), {});
  }

  Status AddHistogram(const std::string& tag, const std::vector<Output>& values) {
    std::vector<std::vector<Output>> inputs;
    inputs.reserve(values.size());
    for (const Output value : values) inputs.push_back({value});
    return AddCounted(tag, "_HistogramTensorSummary", "_HistogramBins", inputs);
  }

  Status AddCurve(const std::string& tag, const std::vector<Output>& labels, const std::vector<Output>& predictions) {
    std::vector<std::vector<Output>> inputs;
    for (size_t r = 0; r < labels.size(); ++r) inputs.push_back({labels[r], predictions[r]});
    return AddCounted(tag, "_PrCurveTensorSummary", "_PrCurveCounts", inputs);
  }

  Status AddOfFirst(const std::string& tag, const char* op, const std::vector<Output>& values, AttrMap attrs) {
    DF_ASSIGN(const std::string host, HostOf(values[0]));
    return AddMessage(tag, op, host, {values[0]}, std::move(attrs));
  }

  JobGraphDraft& draft_;
  Graph& graph_;
  const SummariesSpec& spec_;
  GraphOps ops_;
};

}  // namespace

Status AddSummaries(JobGraphDraft& draft) {
  return Messages(draft).AddBeforeUpdates();
}

Status AddWeightSummaries(JobGraphDraft& draft) {
  return draft.spec.summaries.weights.empty() ? Status() : Messages(draft).AddWeights();
}

Status FinishSummaries(JobGraphDraft& draft) {
  if (draft.messages.empty()) return Status();
  JobStep& summarized = draft.job.summarized;
  summarized = draft.job.step;
  GraphOps ops(draft.job.graph, "summaries");
  for (const auto& [device, messages] : draft.messages) {
    ops.set_device(device);
    summarized.signature.fetches.push_back(messages.size() == 1 ? messages[0]
                                                                : ops.Add("merged", "MergeSummary", messages));
  }
  return ops.status();
}

}  // namespace dfrun
