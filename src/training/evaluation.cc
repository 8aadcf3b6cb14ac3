#include "src/training/evaluation.h"

#include <algorithm>
#include <utility>

#include "src/graph/graph_ops.h"
#include "src/graph/location_prefix.h"
#include "src/graph/order/ancestors.h"
#include "src/training/copy_fetches.h"

namespace dfrun {
namespace {

std::vector<Output> Wanted(const PassRequest& request) {
  std::vector<Output> wanted;
  for (const FetchSpec& fetch : request.fetches) wanted.push_back(fetch.output);
  for (const NodeId target : request.targets) wanted.push_back({target, 0});
  return wanted;
}

// Whether a node that depends on `from` gives `output`.
bool NeedsNode(const Graph& graph, Output output, NodeId from) {
  AncestorWalk walk(graph);
  walk.Add(output.node);
  while (const Node* node = walk.Next()) {
    if (node->id == from) return true;
    walk.AddSources(*node);
  }
  return false;
}

PassRequest MetricsBut(const EvalSpec& eval, const std::vector<size_t>& left_out) {
  const bool has_name = eval.name != "eval";
  PassRequest request;
  request.feeds = eval.feeds;
  request.what = has_name ? StrCat("the metrics of the evaluation '", eval.name, "'") : "the metrics of 'eval'";
  request.location = eval.location;
  if (has_name) request.name = eval.name;
  for (size_t i = 0; i < eval.metrics.size(); ++i) {
    if (std::find(left_out.begin(), left_out.end(), i) != left_out.end()) continue;
    const MetricSpec& metric = eval.metrics[i];
    PassMetric& of_pass = request.metrics.emplace_back(PassMetric{metric.name, request.fetches.size(), {}});
    request.fetches.push_back({metric.name, metric.value, metric.location});
    if (!metric.over.valid()) continue;
    of_pass.over = request.fetches.size();
    request.fetches.push_back({metric.name + ":over", metric.over, metric.location});
  }
  return request;
}

class Pass {
 public:
  Pass(const JobSpec& spec, const Graph& model, const PassRequest& request, const SubgraphMap& shared,
       const std::string& device, Graph& graph)
      : spec_(spec), model_(model), request_(request), shared_(shared), device_(device), graph_(graph) {}

  Result<EvaluationPass> Add() {
    DF_TRY(FindInputs());
    EvaluationPass pass;
    pass.metrics = request_.metrics;
    if (!whole_.empty()) DF_TRY(AddBegin());
    if (walked_.empty()) {
      DF_TRY(AddStep(Below("eval/"), {}, graph_, pass.batch));
      return pass;
    }
    pass.samples = walked_[0]->num_samples - request_.batches.begin;
    pass.batch_samples = BatchOf(*walked_[0]);
    DF_TRY(AddPosition());
    DF_TRY(AddStep(Below("eval/"), {}, graph_, pass.batch));
    if (const int64_t rest = pass.samples % pass.batch_samples; rest != 0 && request_.batches.number == 0) {
      DF_TRY(AddStep(Below("eval_rest/"), rest, graph_, pass.rest.emplace()));
    }
    if (request_.finds_rows) DF_TRY(FindRows(pass));
    return pass;
  }

 private:
  // The prefix of a copy's nodes, which evaluations with names do not share.
  std::string Below(const char* prefix) const {
    return request_.name.empty() ? prefix : StrCat(prefix, request_.name, "/");
  }
  std::string OwnScope() const { return request_.name.empty() ? "evaluation" : StrCat("evaluation/", request_.name); }

  Status FindInputs() {
    DF_ASSIGN(const std::vector<size_t> inputs, InputsOf(spec_, model_, request_));
    for (const size_t i : inputs) {
      const InputSpec& input = spec_.inputs[i];
      const bool is_whole = request_.batches.samples == 0 && (input.all || input.batch >= input.num_samples);
      (is_whole ? whole_ : walked_).push_back(&input);
    }
    return CheckAlike();
  }

  int64_t BatchOf(const InputSpec& input) const {
    return request_.batches.samples == 0 ? input.batch : request_.batches.samples;
  }

  Status CheckAlike() const {
    for (const InputSpec* input : walked_) {
      const InputSpec& first = *walked_[0];
      if (input->num_samples == first.num_samples && BatchOf(*input) == BatchOf(first)) continue;
      return InvalidArgument(LocationPrefix(model_, request_.location), request_.what,
                             " are of two inputs that are gone over together: '", first.name, "' has ",
                             first.num_samples, " samples in batches of ", BatchOf(first), ", '", input->name, "' has ",
                             input->num_samples, " in batches of ", BatchOf(*input));
    }
    return Status();
  }

  Status AddPosition() {
    GraphOps ops(graph_, OwnScope(), device_);
    position_ = ops.Add("position", "Placeholder", {}, {{"dtype", DType::kInt64}, {"shape", PartialShape::Scalar()}});
    return ops.status();
  }
  // Adds the start position for inputs that are read whole: training may have left their positions elsewhere.
  Status AddBegin() {
    GraphOps ops(graph_, OwnScope(), device_);
    begin_ = ops.Const("begin", Tensor::Scalar<int64_t>(0));
    return ops.status();
  }

  // A copy in `graph` that reads batches of `batch` samples (default: those of the pass).
  Status AddStep(const std::string& prefix, std::optional<int64_t> batch, Graph& graph, JobStep& step) const {
    SubgraphCopyOptions options;
    options.prefix = prefix;
    options.device = device_;
    options.placement = request_.placement;
    options.placed_prefix = request_.placed_prefix;
    options.attrs = [&](const Node& node, AttrMap& attrs) { SetReaderAttrs(node, batch, attrs); };
    SubgraphMap map = shared_;
    for (const InputSpec* input : walked_) map.outputs[SubgraphMap::OutputKey({input->position, 0})] = position_;
    for (const InputSpec* input : whole_) map.outputs[SubgraphMap::OutputKey({input->position, 0})] = begin_;
    const Status copied =
        CopyFetches(model_, {request_.feeds, request_.fetches, request_.targets}, options, map, graph, step);
    if (!copied.ok()) {
      return Status(copied.code(), StrCat(copied.message(), "; so it is for ", request_.what, ", with what is fed",
                                          batch ? StrCat(", in the last batch of ", *batch) : ""));
    }
    if (!position_.valid()) return Status();
    step.signature.feeds = {position_};
    step.signature.feed_shapes = {PartialShape::Scalar()};
    return Status();
  }

  // Sets attrs for reading in the order of the files: each sample once, in whatever order a mean takes them. The sizes
  // of batches are known, also where feeds of the command line have left those of the graph open.
  void SetReaderAttrs(const Node& node, std::optional<int64_t> batch, AttrMap& attrs) const {
    const auto is_read = [&](const InputSpec* input) { return input->read == node.id; };
    const auto walked = std::find_if(walked_.begin(), walked_.end(), is_read);
    const auto whole = std::find_if(whole_.begin(), whole_.end(), is_read);
    if (walked == walked_.end() && whole == whole_.end()) return;
    attrs.Set("shuffle", false);
    const int64_t samples = walked == walked_.end() ? (*whole)->num_samples : batch.value_or(BatchOf(**walked));
    std::vector<PartialShape> shapes = *attrs.Get<std::vector<PartialShape>>("shapes");
    for (PartialShape& shape : shapes) shape.set_dim(0, samples);
    attrs.Set("shapes", std::move(shapes));
    if (walked == walked_.end()) return;
    if (batch) {
      attrs.Set("batch", samples);
      attrs.Set("prefetch", int64_t{0});
    } else if (const PassBatches& of_pass = request_.batches; of_pass.samples > 0) {
      attrs.Set("batch", samples * of_pass.count);
      attrs.Set("slice", of_pass.number);
      attrs.Set("slices", of_pass.count);
    }
  }

  // Finds the rows of fetches from their shapes in the last batch; where all batches are full, from shapes in batches
  // of one sample more, of which no step is made.
  Status FindRows(EvaluationPass& pass) const {
    if (pass.rest) {
      const int64_t samples = pass.samples % pass.batch_samples;
      return RowsBeside(graph_, samples, &*pass.rest, pass);
    }
    Graph scratch = graph_.Clone();
    JobStep larger;
    const bool may_differ = AddStep(Below("eval_rows/"), pass.batch_samples + 1, scratch, larger).ok();
    return RowsBeside(scratch, pass.batch_samples + 1, may_differ ? &larger : nullptr, pass);
  }
  Status RowsBeside(const Graph& graph, int64_t samples, const JobStep* other, EvaluationPass& pass) const {
    for (size_t i = 0; i < request_.fetches.size(); ++i) {
      const Output fetch = pass.batch.signature.fetches[i];
      const ShapeAtBatch at{graph_.shape(fetch), pass.batch_samples};
      std::optional<ShapeAtBatch> beside;
      if (other != nullptr) beside = ShapeAtBatch{graph.shape(other->signature.fetches[i]), samples};
      pass.rows.push_back(RowsByShapes(at, beside, NeedsNode(graph_, fetch, position_.node)));
      const bool stacks = request_.batches.samples == 0 && pass.rest && pass.rows.back() == FetchRows::kOther;
      if (stacks) DF_TRY(CheckStackable(i, at, *beside));
    }
    return Status();
  }
  Status CheckStackable(size_t fetch, const ShapeAtBatch& at, const ShapeAtBatch& rest) const {
    if (at.shape.IsCompatibleWith(rest.shape)) return Status();
    return InvalidArgument("'", request_.fetches[fetch].name, "' has the shape ", at.shape, " in a batch of ",
                           at.samples, " samples and ", rest.shape, " in the last, of ", rest.samples,
                           ": it is no row a sample, and values of the batches that differ in shape cannot be stacked; "
                           "give the input a batch that divides its ",
                           walked_[0]->num_samples, " samples, or `batch: all`");
  }

  const JobSpec& spec_;
  const Graph& model_;
  const PassRequest& request_;
  const SubgraphMap& shared_;
  const std::string& device_;
  Graph& graph_;
  Output position_;                       // position of the batch that a step reads
  Output begin_;                          // 0
  std::vector<const InputSpec*> walked_;  // inputs that hold more than a batch
  std::vector<const InputSpec*> whole_;
};

}  // namespace

PassRequest MetricsOf(const EvalSpec& eval) {
  return MetricsBut(eval, {});
}

Result<std::vector<UnfedMetric>> FindUnfedMetrics(const Graph& model, const EvalSpec& eval) {
  const std::vector<bool> stop(static_cast<size_t>(model.num_nodes()), false);
  SubgraphMap fed;
  for (const FeedSpec& feed : eval.feeds) fed.outputs[SubgraphMap::OutputKey(feed.target)] = feed.value;
  std::vector<UnfedMetric> unfed;
  for (size_t i = 0; i < eval.metrics.size(); ++i) {
    std::vector<Output> values = {eval.metrics[i].value};
    if (eval.metrics[i].over.valid()) values.push_back(eval.metrics[i].over);
    DF_ASSIGN(const std::vector<NodeId> nodes, Ancestors(model, values, stop, &fed));
    const auto placeholder =
        std::find_if(nodes.begin(), nodes.end(), [&](NodeId id) { return model.node(id).op->name == "Placeholder"; });
    if (placeholder != nodes.end()) unfed.push_back({i, *placeholder});
  }
  return unfed;
}

Result<PassRequest> FedMetricsOf(const Graph& model, const EvalSpec& eval) {
  DF_ASSIGN(const std::vector<UnfedMetric> unfed, FindUnfedMetrics(model, eval));
  std::vector<size_t> left_out;
  for (const UnfedMetric& metric : unfed) left_out.push_back(metric.metric);
  return MetricsBut(eval, left_out);
}

Result<std::vector<size_t>> InputsOf(const JobSpec& spec, const Graph& model, const PassRequest& request) {
  std::vector<bool> reads(static_cast<size_t>(model.num_nodes()), false);
  const std::vector<bool> stop = reads;
  const std::vector<Output> wanted = Wanted(request);
  const auto find = [&](const std::vector<Output>& outputs, const SubgraphMap* replaced) -> Status {
    DF_ASSIGN(const std::vector<NodeId> nodes, Ancestors(model, outputs, stop, replaced));
    for (const NodeId id : nodes) reads[static_cast<size_t>(id)] = true;
    return Status();
  };
  DF_TRY(find(wanted, nullptr));
  SubgraphMap fed;
  std::vector<Output> values;
  for (const FeedSpec& feed : request.feeds) {
    fed.outputs[SubgraphMap::OutputKey(feed.target)] = feed.value;
    if (reads[static_cast<size_t>(feed.target.node)]) values.push_back(feed.value);
  }
  std::fill(reads.begin(), reads.end(), false);
  DF_TRY(find(wanted, &fed));
  DF_TRY(find(values, nullptr));
  std::vector<size_t> inputs;
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    if (reads[static_cast<size_t>(spec.inputs[i].read)]) inputs.push_back(i);
  }
  return inputs;
}

Result<EvaluationPass> AddPass(const JobSpec& spec, const Graph& model, const PassRequest& request,
                               const SubgraphMap& shared, const std::string& device, Graph& graph) {
  return Pass(spec, model, request, shared, device, graph).Add();
}

}  // namespace dfrun
