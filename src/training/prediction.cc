#include "src/training/prediction.h"

#include <algorithm>
#include <utility>

#include "src/graph/graph_ops.h"
#include "src/graph/order/ancestors.h"
#include "src/graph/order/batch_rows.h"

namespace dfrun {
namespace {

// The nodes of the model that the fetches depend on, and those that what is fed depends on.
std::vector<bool> NeededBy(const JobSpec& job, const PredictionRequest& request, const Graph& model) {
  AncestorWalk walk(model);
  for (const Output& fetch : request.wanted.fetches) walk.Add(fetch.node);
  for (const FeedSpec& feed : ReplacementsOf(job, request.feeds)) walk.Add(feed.value.node);
  while (const Node* node = walk.Next()) walk.AddSources(*node);
  return std::move(walk).added();
}

bool IsReader(const Node& node) {
  return node.op->name == "HDF5Reader" || node.op->name == "SampleReader";
}

// Whether the node's device names a job or a task.
bool NamesTask(const Node& node) {
  const Result<DeviceName> name = DeviceName::Parse(node.device);
  return name.ok() && (name->job || name->task);
}

// Finds the first node that may mix the samples of a batch, in a pass of `batch` samples that is added to a copy of the
// graph.
class MixerSearch {
 public:
  MixerSearch(const JobSpec& job, const PredictionRequest& request, const Graph& graph, std::vector<size_t> inputs)
      : job_(job), request_(request), graph_(graph), inputs_(std::move(inputs)) {}

  Result<std::string> Find(int64_t batch) const {
    PassRequest pass_request = RequestOf(job_, request_.feeds, request_.wanted);
    pass_request.finds_rows = false;
    pass_request.batches.samples = batch;
    Graph scratch = graph_.Clone();
    DF_ASSIGN(const EvaluationPass pass,
              AddPass(job_, graph_, pass_request, SharedNodes(request_.feeds, graph_), /*device=*/"", scratch));
    std::vector<std::pair<Output, SampleRows>> sources;
    for (const size_t i : inputs_) {
      const InputSpec& input = job_.inputs[i];
      const NodeId read = scratch.Find("eval/" + graph_.node(input.read).name);
      for (size_t port = 0; read >= 0 && port < input.tensors.size(); ++port) {
        // The padding of samples of different sizes follows from the batch.
        const bool is_padded = !input.tensors[port].field.shape.IsFullyDefined();
        sources.emplace_back(Output{read, static_cast<int32_t>(port)},
                             is_padded ? SampleRows::Mixed() : SampleRows::Rows());
      }
    }
    DF_ASSIGN(const BatchRows rows, BatchRows::Of(scratch, sources, batch));
    for (const Output& fetch : pass.batch.signature.fetches) {
      if (rows.of(fetch) == SampleRows::Rows()) continue;
      const NodeId mixer = rows.FirstMixer(scratch, fetch);
      return mixer < 0 ? StrCat("'", scratch.node(fetch.node).name, "'") : TextOf(scratch.node(mixer));
    }
    return std::string();
  }

 private:
  std::string TextOf(const Node& node) const {
    if (IsReader(node)) return StrCat("'", NameInSpec(node), "', whose samples are padded to the longest of a batch,");
    return StrCat("'", NameInSpec(node), "' (op ", node.op->name, ")");
  }
  static std::string NameInSpec(const Node& node) {
    constexpr std::string_view kScope = "eval/";
    return node.name.starts_with(kScope) ? node.name.substr(kScope.size()) : node.name;
  }

  const JobSpec& job_;
  const PredictionRequest& request_;
  const Graph& graph_;
  const std::vector<size_t> inputs_;
};

// Adds the copies of one prediction.
class PredictionAdder {
 public:
  PredictionAdder(const JobSpec& job, const PredictionRequest& request, Graph& graph)
      : job_(job), request_(request), model_(graph.Clone()), graph_(graph), needed_(NeededBy(job, request, model_)) {}

  Result<Prediction> Add(int64_t batch, int64_t begin, std::vector<std::string> workers) {
    out_.batch = batch;
    out_.begin = begin;
    if (workers.size() <= 1) workers = {""};
    for (size_t i = 0; i < workers.size(); ++i) DF_TRY(AddPart(i, workers));
    return std::move(out_);
  }

 private:
  Status AddPart(size_t number, const std::vector<std::string>& workers) {
    PassRequest request = RequestOf(job_, request_.feeds, request_.wanted);
    request.finds_rows = number == 0;
    request.name = StrCat("predict_", number);
    request.batches = {.samples = out_.batch,
                       .begin = out_.begin,
                       .number = static_cast<int64_t>(number),
                       .count = static_cast<int64_t>(workers.size())};
    SubgraphMap shared = SharedNodes(request_.feeds, model_);
    if (number > 0) DF_TRY(AddVariables(request.name, workers[number], shared));
    const int first = graph_.num_nodes();
    DF_ASSIGN(EvaluationPass pass, AddPass(job_, model_, request, shared, workers[number], graph_));
    if (workers.size() > 1) DF_TRY(BindToTask(first, workers[number]));
    if (number == 0) Describe(pass);
    out_.parts.push_back({workers[number], std::move(pass.batch), std::move(pass.rest)});
    return Status();
  }

  void Describe(const EvaluationPass& pass) {
    out_.samples = pass.samples + out_.begin;
    for (size_t i = 0; i < pass.batch.names.size(); ++i) {
      const Output fetch = pass.batch.signature.fetches[i];
      PredictedRows rows{.name = pass.batch.names[i], .dtype = graph_.dtype(fetch), .shape = {}, .rows = pass.rows[i]};
      const PartialShape& shape = graph_.shape(fetch);
      if (shape.known_rank() && shape.rank() > 0) {
        rows.shape = PartialShape(std::vector<int64_t>(shape.dims().begin() + 1, shape.dims().end()));
      }
      out_.fetches.push_back(std::move(rows));
    }
  }

  // Adds a copy of each variable, which one node of `spread` gives its value.
  Status AddVariables(const std::string& scope, const std::string& device, SubgraphMap& shared) {
    for (const VariableSpec& variable : job_.variables) {
      const Node node = model_.node(variable.node);
      if (!needed_[static_cast<size_t>(variable.node)]) continue;
      AttrMap attrs = node.attrs;
      if (attrs.Find("shared_name") != nullptr) attrs.Set("shared_name", std::string());
      GraphOps ops(graph_, scope, device);
      const Output copy = ops.Add(node.name, node.op->name, {}, std::move(attrs));
      DF_TRY(ops.status());
      shared.nodes[variable.node] = copy.node;
      DF_TRY(AddSpread(node, copy));
    }
    return Status();
  }

  Status AddSpread(const Node& variable, Output copy) {
    const std::string name = graph_.node(copy.node).name;
    GraphOps ops(graph_, name);
    Output value{variable.id, 0};
    const bool is_ref = variable.output_types[0].is_ref;
    if (!is_ref) {
      DF_ASSIGN(const DType dtype, variable.attrs.Get<DType>("dtype"));
      value = ops.Add("value", "ReadVariableOp", {value}, {{"dtype", dtype}});
    }
    const Output assign = ops.Add("assign", is_ref ? "Assign" : "AssignVariableOp", {copy, value});
    DF_TRY(ops.status());
    graph_.mutable_node(assign.node).colocate_with = name;
    out_.spread.targets.push_back(assign.node);
    return Status();
  }

  // Binds the constraints of copied nodes that name a type of device alone to the part's task.
  Status BindToTask(int first, const std::string& device) {
    DF_ASSIGN(DeviceName task, DeviceName::Parse(device));
    task.type = {};
    task.index = {};
    for (NodeId id = first; id < graph_.num_nodes(); ++id) {
      Node& node = graph_.mutable_node(id);
      if (node.device.empty() || node.device == device) continue;
      DF_ASSIGN(const DeviceName own, DeviceName::Parse(node.device));
      const Result<DeviceName> both = own.Merge(task);
      if (both.ok()) node.device = both->ToString();
    }
    return Status();
  }

  const JobSpec& job_;
  const PredictionRequest& request_;
  const Graph model_;
  Graph& graph_;
  const std::vector<bool> needed_;  // by node of the model
  Prediction out_;
};

}  // namespace

Result<PredictionFacts> FindPredictionFacts(const JobSpec& job, const PredictionRequest& request, const Graph& graph) {
  const PassRequest pass = RequestOf(job, request.feeds, request.wanted);
  DF_ASSIGN(const std::vector<size_t> inputs, InputsOf(job, graph, pass));
  if (inputs.empty()) {
    return Error(Code::kUsage, "what is fetched reads no input, so that there are no samples to predict; ",
                 "`dfrun eval` fetches it once");
  }
  const InputSpec& input = job.inputs[inputs[0]];
  PredictionFacts facts;
  facts.samples = input.num_samples;
  facts.own_batch = input.all ? std::min(input.num_samples, kMaxSamplesOfAll) : input.batch;
  const MixerSearch search(job, request, graph, inputs);
  DF_ASSIGN(facts.mixer, search.Find(facts.own_batch));
  if (facts.mixer.empty()) {
    // Facts that hold by chance at one size do not hold at the next.
    const Result<std::string> beside = search.Find(facts.own_batch + 1);
    facts.mixer = beside.ok() ? *beside : StrCat("the graph, which allows no batch but ", facts.own_batch, ",");
  }
  const std::vector<bool> needed = NeededBy(job, request, graph);
  for (const Node& node : graph.nodes()) {
    if (!needed[static_cast<size_t>(node.id)]) continue;
    const bool is_changing = ChangesByItself(node) && !IsReader(node) && node.num_outputs() > 0;
    if (is_changing && facts.changing < 0) facts.changing = node.id;
    if (NamesTask(node) && !node.op->traits.is_variable && facts.bound < 0) facts.bound = node.id;
  }
  return facts;
}

Result<Prediction> AddPrediction(const JobSpec& job, const PredictionRequest& request, int64_t batch, int64_t begin,
                                 const std::vector<std::string>& workers, Graph& graph) {
  return PredictionAdder(job, request, graph).Add(batch, begin, workers);
}

Status AddRowWriters(const std::vector<RowsInFile>& files, Prediction& prediction, Graph& graph) {
  for (size_t number = 0; number < prediction.parts.size(); ++number) {
    PredictionPart& part = prediction.parts[number];
    GraphOps ops(graph, StrCat("predict_", number), part.device);
    const auto write = [&](JobStep& step, int64_t behind) {
      RunSignature& run = step.signature;
      for (size_t i = 0; i < files.size(); ++i) {
        run.fetches[i] = ops.Add(
            "write", "_WriteRows", {run.feeds[0], run.fetches[i]},
            {{"path", files[i].path}, {"offset", files[i].offset}, {"behind", behind}, {"total", prediction.samples}});
      }
    };
    write(part.batch, static_cast<int64_t>(number) * prediction.batch);
    if (part.rest) write(*part.rest, 0);
    DF_TRY(ops.status());
  }
  return Status();
}

Result<RunSignature> AddFileSyncs(const std::string& path, const Prediction& prediction, Graph& graph) {
  RunSignature run;
  for (size_t number = 0; number < prediction.parts.size(); ++number) {
    GraphOps ops(graph, StrCat("predict_", number), prediction.parts[number].device);
    const Output sync = ops.Add("sync", "_SyncFile", {}, {{"path", path}});
    DF_TRY(ops.status());
    run.targets.push_back(sync.node);
  }
  return run;
}

}  // namespace dfrun
