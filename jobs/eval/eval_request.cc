#include "jobs/eval/eval_request.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "jobs/eval/eval_variables.h"
#include "kernels/io/convert_elements.h"
#include "src/base/json/log_line.h"
#include "src/base/text.h"
#include "src/graph/named_node.h"
#include "src/graph/order/ancestors.h"
#include "src/spec/expr/literal.h"
#include "src/spec/input_feeds.h"
#include "src/spec/input_nodes.h"
#include "src/spec/tied_inputs.h"
#include "src/storage/dataset_paths.h"
#include "src/storage/hdf5_file.h"

namespace dfrun::jobs {

namespace {

constexpr char kFeedForm[] = "it must be NAME=FILE.h5:/path/of/dataset, or NAME= and a number or a list of them";

using Paths = std::vector<std::string>;

// The files of values. One helper process reads all of them.
struct ValueFiles {
  const Paths& allow_paths;
  std::shared_ptr<Hdf5Helpers> helpers = std::make_shared<Hdf5Helpers>();
};

Result<Tensor> ReadDatasetAt(const std::string& text, size_t colon, const ValueFiles& files) {
  const Result<std::unique_ptr<Hdf5File>> file =
      Hdf5File::Open(text.substr(0, colon), {.roots = files.allow_paths}, files.helpers);
  if (!file.ok()) return OfDataset(file.status());
  Result<Tensor> value = (*file)->Read(text.substr(colon + 1), SystemAllocator());
  if (!value.ok()) return OfDataset(value.status());
  return value;
}

// Reads a dataset or a literal; returns nullopt if the text is neither.
Result<std::optional<Tensor>> ReadValue(const std::string& text, DType dtype, const ValueFiles& files) {
  const Result<std::optional<Tensor>> literal = ParseLiteral(text, dtype);
  if (!literal.ok()) return Error(Code::kUsage, literal.status().message());
  if (literal->has_value()) return *literal;
  if (const size_t colon = text.rfind(":/"); colon != std::string::npos) {
    DF_ASSIGN(Tensor value, ReadDatasetAt(text, colon, files));
    return std::optional<Tensor>(std::move(value));
  }
  return std::optional<Tensor>();
}

// Returns the index of an element of a tensor: "3", or "[2,5]".
std::string IndexText(const Shape& shape, int64_t element) {
  std::vector<int64_t> index(static_cast<size_t>(shape.rank()));
  for (int i = shape.rank() - 1; i >= 0; --i) {
    index[static_cast<size_t>(i)] = element % shape[i];
    element /= shape[i];
  }
  return StrCat("[", Join(index, ","), "]");
}

// Converts a value in the way in which the input sections of specs convert the content of files.
Result<Tensor> Converted(std::string_view what, const Tensor& value, DType dtype) {
  DF_ASSIGN(Tensor converted, Tensor::Allocate(SystemAllocator(), dtype, value.shape()));
  const auto failed = ConvertElements(value.dtype(), value.raw(), dtype, converted.raw(), value.num_elements());
  if (!failed) return converted;
  return Error(Code::kUsage, "'", what, "' is ", dtype, ", and element ", IndexText(value.shape(), failed->element),
               " of the value, ", failed->text, ", is no ", dtype);
}

// Converts the value for a node of this dtype and shape.
Result<Tensor> Fitted(std::string_view what, const Tensor& value, DType dtype, const PartialShape& shape) {
  if (value.dtype() != dtype && !IsConvertible(value.dtype(), dtype)) {
    return Error(Code::kUsage, "the value is ", value.dtype(), value.shape(), ", which cannot be converted to ", dtype,
                 ", which '", what, "' is");
  }
  if (!shape.IsCompatibleWith(value.shape())) {
    return Error(Code::kUsage, "the value has the shape ", value.shape(), ", but '", what, "' is ", shape);
  }
  return value.dtype() == dtype ? value : Converted(what, value, dtype);
}

const InputSpec* FindInput(const Model& model, const std::string& name) {
  if (!model.job) return nullptr;
  const auto found = std::find_if(model.job->inputs.begin(), model.job->inputs.end(),
                                  [&](const InputSpec& input) { return input.name == name; });
  return found == model.job->inputs.end() ? nullptr : &*found;
}

// Feeds the tensors of one input instead of those of another, as far as nodes that are `needed` read them.
Result<std::vector<Feed>> FeedInput(const Model& model, const InputSpec& target, const std::string& name,
                                    const std::vector<bool>& needed) {
  const InputSpec* source = FindInput(model, name);
  if (source == nullptr) {
    std::vector<std::string> names;
    for (const InputSpec& input : model.job->inputs) names.push_back(input.name);
    return Error(Code::kUsage, "an input is fed from another input of the spec, and '", name, "' is none of ",
                 Join(names), "; its tensors can be fed one by one: ", target.name, "/", target.tensors[0].name,
                 "=FILE.h5:/path");
  }
  std::vector<Feed> feeds;
  for (const InputTensor& t : target.tensors) {
    const auto from = std::find_if(source->tensors.begin(), source->tensors.end(),
                                   [&](const InputTensor& s) { return s.name == t.name; });
    if (from == source->tensors.end() && !needed[static_cast<size_t>(t.value.node)]) continue;
    if (from == source->tensors.end()) {
      return Error(Code::kUsage, "input '", name, "' lacks the tensor '", t.name, "' of input '", target.name, "'");
    }
    const Status fits = CheckInPlaceOf(target, t, *source, *from);
    if (!fits.ok()) return Error(Code::kUsage, fits.message());
    feeds.push_back({t.value, {}, from->value});
  }
  return feeds;
}

// Leaves the batch size open where tensors of an input are fed.
Status FreeFedInputs(const std::vector<Output>& fed, Model& model) {
  if (!model.job) return Status();
  std::vector<InputSpec> inputs;
  for (const InputSpec& input : model.job->inputs) {
    const bool is_fed = std::any_of(input.tensors.begin(), input.tensors.end(), [&](const InputTensor& t) {
      return std::find(fed.begin(), fed.end(), t.value) != fed.end();
    });
    if (is_fed) inputs.push_back(input);
  }
  return FreeBatchSizes(inputs, model.graph);
}

Result<Feed> FeedOutput(const Model& model, Output target, const std::string& text, const ValueFiles& files) {
  const Graph& graph = model.graph;
  const std::string name = OutputName(graph, target);
  if (graph.dtype(target) == DType::kResource) {
    return Error(Code::kUsage, "'", name, "' is a handle and no value; the value of a variable is given by --assign");
  }
  DF_ASSIGN(std::optional<Tensor> value, ReadValue(text, graph.dtype(target), files));
  if (!value && model.job) {
    const Result<Output> source = model.ParseOutput(text);
    if (source.ok() && graph.dtype(*source) == graph.dtype(target) &&
        graph.shape(*source).IsCompatibleWith(graph.shape(target))) {
      const Status same = CheckSameClasses(model.job->inputs, target, *source);
      if (!same.ok()) return Error(Code::kUsage, same.message());
      return Feed{target, {}, *source};
    }
    if (source.ok()) {
      return Error(Code::kUsage, "'", text, "' is ", graph.dtype(*source), graph.shape(*source), ", but '", name,
                   "' is ", graph.dtype(target), graph.shape(target));
    }
  }
  if (!value && graph.dtype(target) == DType::kString) value = Tensor::Scalar<std::string>(text);
  if (!value) return Error(Code::kUsage, kFeedForm);
  DF_ASSIGN(Tensor fitted, Fitted(name, *value, graph.dtype(target), graph.shape(target)));
  return Feed{target, std::move(fitted)};
}

// Returns the signature's name for the placeholder, or else its own name.
std::string NameToFeed(const Model& model, const std::string& placeholder) {
  if (model.signature.empty()) return placeholder;
  for (const SignatureTensor& input : model.meta->signatures.at(model.signature).inputs) {
    const Result<Output> output = model.graph.ParseOutput(input.tensor);
    if (output.ok() && model.graph.node(output->node).name == placeholder) return input.key;
  }
  return placeholder;
}

// Names an option in the error of its text. The error becomes a usage error, unless a dataset cannot be read.
Status InOption(const char* flag, const std::string& text, const Status& status) {
  if (status.ok()) return status;
  return Error(OfDataset(status).code() == status.code() ? status.code() : Code::kUsage, flag, " ", text, ": ",
               status.message());
}

Status InFeed(const std::string& text, const Status& status) {
  return InOption("--feed", text, status);
}

}  // namespace

Result<NameAndValue> SplitFeed(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) return Error(Code::kUsage, kFeedForm);
  return NameAndValue{text.substr(0, equals), text.substr(equals + 1)};
}

Status OfDataset(const Status& status) {
  const Code code = status.code();
  const bool is_missing = code == Code::kNotFound || code == Code::kNoInput || code == Code::kDataLoss;
  if (is_missing) return NoInput(status.message());
  const bool is_refused = code == Code::kBadSpec || code == Code::kResourceExhausted;
  return Error(is_refused ? code : Code::kIo, status.message());
}

std::vector<bool> NodesBehind(const Graph& graph, const std::vector<Output>& outputs) {
  if (outputs.empty()) return std::vector<bool>(static_cast<size_t>(graph.num_nodes()), true);
  AncestorWalk walk(graph);
  for (const Output& output : outputs) walk.Add(output.node);
  while (const Node* node = walk.Next()) walk.AddSources(*node);
  return std::move(walk).added();
}

Result<std::vector<Feed>> ReadFeeds(Model& model, const std::vector<std::string>& texts, const Paths& allow_paths,
                                    const std::vector<Output>& wanted) {
  const std::vector<bool> needed = NodesBehind(model.graph, wanted);
  std::vector<Output> targets;
  for (const std::string& text : texts) {
    const Result<NameAndValue> split = SplitFeed(text);
    DF_TRY(InFeed(text, split.status()));
    if (const InputSpec* input = FindInput(model, split->name)) {
      for (const InputTensor& t : input->tensors) targets.push_back(t.value);
      continue;
    }
    const Result<Output> target = model.ParseInput(split->name);
    DF_TRY(InFeed(text, target.status()));
    targets.push_back(*target);
  }
  DF_TRY(FreeFedInputs(targets, model));
  std::vector<Feed> feeds;
  std::vector<InputInPlace> places;
  const ValueFiles files{allow_paths};
  for (const std::string& text : texts) {
    const NameAndValue split = *SplitFeed(text);
    if (const InputSpec* input = FindInput(model, split.name)) {
      places.push_back({input, FindInput(model, split.value)});
      Result<std::vector<Feed>> fed = FeedInput(model, *input, split.value, needed);
      DF_TRY(InFeed(text, fed.status()));
      feeds.insert(feeds.end(), fed->begin(), fed->end());
      continue;
    }
    Result<Feed> feed = FeedOutput(model, *model.ParseInput(split.name), split.value, files);
    DF_TRY(InFeed(text, feed.status()));
    feeds.push_back(*std::move(feed));
  }
  if (model.job) {
    const auto counts = [&](const InputSpec& input) { return needed[static_cast<size_t>(input.read)]; };
    const Status tied = CheckTiesInPlace(model.job->inputs, places, counts);
    if (!tied.ok()) return Error(Code::kUsage, "--feed: ", tied.message());
  }
  for (size_t i = 0; i < feeds.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      if (feeds[k].output == feeds[i].output)
        return Error(Code::kUsage, "--feed: '", OutputName(model.graph, feeds[i].output), "' is fed twice");
    }
  }
  return feeds;
}

Result<std::vector<Assignment>> ReadAssignments(const Graph& graph, const std::vector<std::string>& texts,
                                                const Paths& allow_paths) {
  std::vector<Assignment> assignments;
  const ValueFiles files{allow_paths};
  for (const std::string& text : texts) {
    const auto fail = [&](const Status& status) { return InOption("--assign", text, status); };
    const Result<NameAndValue> split = SplitFeed(text);
    if (!split.ok()) return fail(split.status());
    const Result<NodeId> node = VariableOfName(graph, split->name);
    if (!node.ok()) return fail(node.status());
    DF_ASSIGN(const DType dtype, graph.node(*node).attrs.Get<DType>("dtype"));
    DF_ASSIGN(const PartialShape shape, graph.node(*node).attrs.Get<PartialShape>("shape"));
    const Result<std::optional<Tensor>> value = ReadValue(split->value, dtype, files);
    if (!value.ok()) return fail(value.status());
    if (!value->has_value()) return fail(Error(Code::kUsage, kFeedForm));
    Result<Tensor> fitted = Fitted(split->name, **value, dtype, shape);
    if (!fitted.ok()) return fail(fitted.status());
    assignments.push_back({*node, *std::move(fitted)});
  }
  return assignments;
}

Result<std::vector<Output>> ResolveFetches(const Model& model, const std::vector<std::string>& fetches) {
  std::vector<Output> outputs;
  for (const std::string& text : fetches) {
    const Result<Output> output = model.ParseOutput(text);
    if (!output.ok()) return Error(Code::kUsage, "--fetch ", text, ": ", output.status().message());
    outputs.push_back(*output);
  }
  return outputs;
}

Result<std::vector<NodeId>> ResolveNodes(const Graph& graph, const char* flag, const std::vector<std::string>& names) {
  std::vector<NodeId> nodes;
  for (const std::string& name : names) {
    const Result<NodeId> id = NamedNode(graph, name);
    if (!id.ok()) return Error(Code::kUsage, flag, " ", name, ": ", id.status().message());
    nodes.push_back(*id);
  }
  return nodes;
}

Status CheckFed(const Model& model, const std::string& path, const RunSignature& signature) {
  const Result<Graph> needed = PruneForRun(model.graph, signature);
  DF_TRY(AsFileError(path, needed.status()));
  for (const Node& node : needed->nodes()) {
    if (node.op->name != "Placeholder") continue;
    return Error(Code::kUsage, "the placeholder '", node.name, "' (", node.output_types[0].dtype, node.output_shapes[0],
                 ") has no value: give --feed ", NameToFeed(model, node.name), "=FILE.h5:/path");
  }
  return Status();
}

Status AsFileError(const std::string& path, const Status& status) {
  if (status.code() != Code::kInvalidArgument) return status;
  return Error(Code::kBadSpec, path, ": ", status.message());
}

Status ChooseOneEvaluation(const std::string& path, const std::string& evaluation, Model& model) {
  if (!evaluation.empty()) {
    if (!model.job) return Error(Code::kUsage, "--evaluation is one of a spec, and ", path, " is a graph");
    return ChooseEvaluation("--evaluation", evaluation, *model.job);
  }
  if (!model.job || model.job->evals.size() < 2) return Status();
  const auto name = [](const EvalSpec& eval) { return eval.name; };
  return Error(Code::kUsage, "the spec has several evaluations, which feed the model differently: say which, ",
               "--evaluation ", Join(model.job->evals, " or ", name));
}

Status WarnOfEffects(const Model& model, const std::vector<FedOutput>& fed, MeasuredValues measured) {
  if (model.job) measured.feeds = ReplacementsOf(*model.job, fed);
  DF_ASSIGN(const std::vector<EvaluationEffect> effects, FindEvaluationEffects(model.graph, measured));
  for (const std::string& text : DescribeEffects(model.graph, effects, "--feed ", model.job.has_value())) {
    WriteLine(stderr, LogLevel::kWarning, "dfrun: warning: ", text);
  }
  return Status();
}

Status CheckFetchNames(const std::vector<std::string>& fetches) {
  std::vector<std::string> names;
  for (const std::string& name : fetches) {  // a name may come twice
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  const std::optional<DatasetClash> clash = FindDatasetClash(names);
  if (!clash) return Status();
  const std::string& name = names[clash->at];
  const std::string& other = names[clash->other];
  if (!clash->is_below) {
    return Error(Code::kUsage, "--fetch ", name, ": the file cannot hold '", name, "' beside '", other,
                 "', which is the same dataset ", DatasetPath(name));
  }
  return Error(Code::kUsage, "--fetch ", other, ": the file cannot hold '", other, "' beside '", name,
               "', which lies below it; write --fetch ", other, ":0");
}

}  // namespace dfrun::jobs
