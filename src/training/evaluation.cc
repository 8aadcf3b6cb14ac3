#include "src/training/evaluation.h"

#include <algorithm>
#include <utility>

#include "src/graph/graph_ops.h"
#include "src/training/copy_fetches.h"

namespace dfrun {
namespace {

class Evaluation {
 public:
  Evaluation(const JobSpec& spec, const Graph& model, const SubgraphMap& shared, const std::string& device,
             Graph& graph)
      : spec_(spec), model_(model), shared_(shared), device_(device), graph_(graph) {}

  Result<EvaluationPass> Add() {
    DF_TRY(FindInputs());
    EvaluationPass pass;
    if (inputs_.empty()) {
      DF_TRY(AddStep("eval/", {}, {}, pass.batch));
      return pass;
    }
    pass.samples = inputs_[0]->num_samples;
    pass.batch_samples = inputs_[0]->batch;
    DF_ASSIGN(const Output position, AddPosition());
    DF_TRY(AddStep("eval/", position, {}, pass.batch));
    if (const int64_t rest = pass.samples % pass.batch_samples; rest != 0) {
      DF_TRY(AddStep("eval_rest/", position, rest, pass.rest.emplace()));
    }
    return pass;
  }

 private:
  // Those that hold more than a batch, of what the metrics depend on.
  Status FindInputs() {
    std::vector<bool> reads(static_cast<size_t>(model_.num_nodes()), false);
    std::vector<bool> stop = reads;
    const auto find = [&](const std::vector<Output>& outputs, const SubgraphMap* replaced) -> Status {
      DF_ASSIGN(const std::vector<NodeId> nodes, Ancestors(model_, outputs, stop, replaced));
      for (const NodeId id : nodes) reads[static_cast<size_t>(id)] = true;
      return Status();
    };
    std::vector<Output> metrics;
    for (const FetchSpec& metric : spec_.eval->metrics) metrics.push_back(metric.output);
    DF_TRY(find(metrics, nullptr));
    SubgraphMap fed;
    std::vector<Output> values;
    for (const FeedSpec& feed : spec_.eval->feeds) {
      fed.outputs[SubgraphMap::OutputKey(feed.target)] = feed.value;
      if (reads[static_cast<size_t>(feed.target.node)]) values.push_back(feed.value);
    }
    std::fill(reads.begin(), reads.end(), false);
    DF_TRY(find(metrics, &fed));
    DF_TRY(find(values, nullptr));
    for (const InputSpec& input : spec_.inputs) {
      if (!reads[static_cast<size_t>(input.read)] || input.all || input.batch >= input.num_samples) continue;
      inputs_.push_back(&input);
    }
    return CheckAlike();
  }

  Status CheckAlike() const {
    for (const InputSpec* input : inputs_) {
      const InputSpec& first = *inputs_[0];
      if (input->num_samples == first.num_samples && input->batch == first.batch) continue;
      return InvalidArgument(LocationText(spec_.eval->location),
                             "the metrics of 'eval' are of two inputs that are gone over ", "together: '", first.name,
                             "' has ", first.num_samples, " samples in batches of ", first.batch, ", '", input->name,
                             "' has ", input->num_samples, " in batches of ", input->batch);
    }
    return Status();
  }

  std::string LocationText(SourceLocation location) const {
    if (location.file < 0) return "";
    return StrCat(model_.files()[static_cast<size_t>(location.file)], ":", location.line, ":", location.column, ": ");
  }

  Result<Output> AddPosition() {
    GraphOps ops(graph_, "evaluation", device_);
    const Output position =
        ops.Add("position", "Placeholder", {}, {{"dtype", DType::kInt64}, {"shape", PartialShape::Scalar()}});
    DF_TRY(ops.status());
    return position;
  }

  // A copy that reads batches, from `position` on, of `batch` samples (default: the input's).
  Status AddStep(const std::string& prefix, std::optional<Output> position, std::optional<int64_t> batch,
                 JobStep& step) {
    SubgraphCopyOptions options;
    options.prefix = prefix;
    options.device = device_;
    options.attrs = [&](const Node& node, AttrMap& attrs) { SetReaderAttrs(node, batch, attrs); };
    SubgraphMap map = shared_;
    for (const InputSpec* input : inputs_) map.outputs[SubgraphMap::OutputKey({input->position, 0})] = *position;
    const Status copied = CopyFetches(model_, {spec_.eval->feeds, spec_.eval->metrics, {}}, options, map, graph_, step);
    if (!copied.ok()) {
      return Status(copied.code(), StrCat(copied.message(), "; so it is in 'eval', with what that feeds",
                                          batch ? StrCat(", in its last batch of ", *batch) : ""));
    }
    if (!position) return Status();
    step.signature.feeds = {*position};
    step.signature.feed_shapes = {PartialShape::Scalar()};
    return Status();
  }

  // In the order of the files: each sample once, in whatever order the mean takes them.
  void SetReaderAttrs(const Node& node, std::optional<int64_t> batch, AttrMap& attrs) const {
    const auto is_read = [&](const InputSpec* input) { return input->read == node.id; };
    if (std::none_of(inputs_.begin(), inputs_.end(), is_read)) return;
    attrs.Set("shuffle", false);
    if (!batch) return;
    std::vector<PartialShape> shapes = *attrs.Get<std::vector<PartialShape>>("shapes");
    for (PartialShape& shape : shapes) shape.set_dim(0, *batch);
    attrs.Set("shapes", std::move(shapes));
    attrs.Set("batch", *batch);
    attrs.Set("prefetch", int64_t{0});
  }

  const JobSpec& spec_;
  const Graph& model_;
  const SubgraphMap& shared_;
  const std::string& device_;
  Graph& graph_;
  std::vector<const InputSpec*> inputs_;  // that are gone over
};

}  // namespace

Result<EvaluationPass> AddEvaluation(const JobSpec& spec, const Graph& model, const SubgraphMap& shared,
                                     const std::string& device, Graph& graph) {
  return Evaluation(spec, model, shared, device, graph).Add();
}

}  // namespace dfrun
