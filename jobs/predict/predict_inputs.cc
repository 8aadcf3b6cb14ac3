#include "jobs/predict/predict_inputs.h"

#include <algorithm>
#include <utility>

#include "jobs/eval/eval_request.h"
#include "jobs/file_rules.h"
#include "src/base/text.h"
#include "src/graph/graph_ops.h"
#include "src/spec/added_input.h"
#include "src/spec/input_nodes.h"
#include "src/training/prediction.h"

namespace dfrun::jobs {
namespace {

// Gives an error of a command line's files its code: that of missing data, or of a wrong command line.
Status OfOption(const std::string& what, const Status& status) {
  if (status.ok()) return status;
  const Status error = AsInputError(status);
  const bool is_of_file = error.code() == Code::kNoInput || error.code() == Code::kResourceExhausted;
  return Error(is_of_file ? error.code() : Code::kUsage, what, ": ", error.message());
}

class SampleAdder {
 public:
  SampleAdder(const GivenSamples& options, const std::vector<Output>& wanted, Model& model)
      : options_(options), wanted_(wanted), model_(model), needed_(NodesBehind(model.graph, wanted)) {}

  Result<std::vector<FedOutput>> Add() {
    if (!options_.files.empty()) DF_TRY(AddFiles());
    std::vector<std::string> others;
    for (const std::string& text : options_.feeds) {
      DF_ASSIGN(const bool is_rows, AddDataset(text));
      if (!is_rows) others.push_back(text);
    }
    DF_TRY(AddOthers(others));
    DF_TRY(CheckOnce());
    return std::move(fed_);
  }

 private:
  JobSpec& job() { return *model_.job; }
  bool IsNeeded(NodeId node) const { return needed_[static_cast<size_t>(node)]; }

  // Adds an input like the one that is read, with the files of --input.
  Status AddFiles() {
    const std::string what = "--input " + Join(options_.files, " --input ");
    std::vector<const InputSpec*> read;
    for (const InputSpec& input : job().inputs) {
      if (IsNeeded(input.read)) read.push_back(&input);
    }
    if (read.size() != 1) {
      const auto name = [](const InputSpec* input) { return "'" + input->name + "'"; };
      return Error(Code::kUsage, what, ": what is fetched reads ",
                   read.empty() ? "no input" : "the inputs " + Join(read, ", ", name),
                   ", and --input gives the files of one; feed each tensor by --feed INPUT/TENSOR=FILE.h5:/path, or ",
                   "write an input of the spec and --feed INPUT=NEW");
    }
    const InputSpec like = *read[0];
    std::vector<bool> needed;
    for (const InputTensor& tensor : like.tensors) needed.push_back(IsNeeded(tensor.value.node));
    Result<InputSpec> added = AddInput(InputLike(like, options_.files, needed), model_.graph);
    DF_TRY(OfOption(StrCat(what, ", read by the keys of the input '", like.name, "'"), added.status()));
    for (const InputTensor& tensor : added->tensors) {
      const auto of_like = std::find_if(like.tensors.begin(), like.tensors.end(),
                                        [&](const InputTensor& other) { return other.name == tensor.name; });
      fed_.push_back({of_like->value, tensor.value});
    }
    job().inputs.push_back(*std::move(added));
    return Status();
  }

  // Adds an input that reads a dataset where the text feeds one that has a row a sample; returns whether it does.
  Result<bool> AddDataset(const std::string& text) {
    const Result<NameAndValue> split = SplitFeed(text);
    DF_TRY(OfOption("--feed " + text, split.status()));
    const std::string file = FileOfFeed(text);
    const Result<Output> target = model_.ParseInput(split->name);
    if (file.empty() || !target.ok() || NamesInput(split->name)) return false;
    const InputSpec* const owner = OwnerOf(*target);
    const PartialShape shape = model_.graph.shape(*target);
    const bool is_open = shape.known_rank() && shape.rank() > 0 && shape.dim(0) < 0;
    if (owner == nullptr && !(is_open && model_.graph.node(target->node).op->name == "Placeholder")) return false;
    InputSpec input = DatasetOf(text, *target, owner);
    input.config.files = {EscapedPattern(file)};
    Result<InputSpec> added = AddInput(std::move(input), model_.graph);
    DF_TRY(OfOption("--feed " + text, added.status()));
    PartialShape given = added->tensors[0].field.shape;
    std::vector<int64_t> sizes = {PartialShape::kUnknown};
    sizes.insert(sizes.end(), given.dims().begin(), given.dims().end());
    if (given = PartialShape(sizes); !given.IsCompatibleWith(shape)) {
      return Error(Code::kUsage, "--feed ", text, ": the dataset has the shape ", given, ", but '", split->name,
                   "' is ", shape);
    }
    fed_.push_back({*target, added->tensors[0].value});
    job().inputs.push_back(*std::move(added));
    return true;
  }

  InputSpec DatasetOf(const std::string& text, Output target, const InputSpec* owner) const {
    const PartialShape shape = model_.graph.shape(target);
    InputTensor tensor{.name = "rows", .field = {}, .value = {}, .location = {}};
    tensor.field.from = text.substr(text.rfind(":/") + 1);
    tensor.field.dtype = model_.graph.dtype(target);
    const PartialShape row(std::vector<int64_t>(shape.dims().begin() + 1, shape.dims().end()));
    if (row.IsFullyDefined()) tensor.field.shape = row;  // else as the file has it
    InputSpec input;
    if (owner != nullptr) input = InputLike(*owner, {}, std::vector<bool>(owner->tensors.size(), false));
    input.config.options = {};
    input.format = kHdf5;
    input.name = "fed/" + model_.graph.node(target.node).name;
    input.tensors = {std::move(tensor)};
    if (owner == nullptr) {
      input.all = true;
      input.with = InputSpec::kNoOther;
    }
    return input;
  }

  // A path as a pattern that matches it alone.
  static std::string EscapedPattern(const std::string& path) {
    std::string pattern;
    for (const char c : path) {
      if (std::string_view("*?[\\").find(c) != std::string_view::npos) pattern += '\\';
      pattern += c;
    }
    return pattern;
  }

  bool NamesInput(const std::string& name) const {
    const std::vector<InputSpec>& inputs = model_.job->inputs;
    return std::any_of(inputs.begin(), inputs.end(), [&](const InputSpec& input) { return input.name == name; });
  }

  // The input of the spec that the output is a tensor of; null: none.
  const InputSpec* OwnerOf(Output target) const {
    for (const InputSpec& input : model_.job->inputs) {
      for (const InputTensor& tensor : input.tensors) {
        if (tensor.value == target) return &input;
      }
    }
    return nullptr;
  }

  // Other inputs, outputs and values; a value becomes a constant of the graph.
  Status AddOthers(const std::vector<std::string>& texts) {
    DF_ASSIGN(const std::vector<Feed> feeds, ReadFeeds(model_, texts, options_.allow_paths, wanted_));
    for (const Feed& feed : feeds) {
      Output source = feed.source;
      if (!source.valid()) {
        GraphOps ops(model_.graph, "fed");
        source = ops.Const(model_.graph.node(feed.output.node).name + "/value", feed.value);
        DF_TRY(ops.status());
      }
      fed_.push_back({feed.output, source});
    }
    return Status();
  }

  Status CheckOnce() const {
    for (size_t i = 0; i < fed_.size(); ++i) {
      for (size_t k = 0; k < i; ++k) {
        if (!(fed_[i].target == fed_[k].target)) continue;
        return Error(Code::kUsage, "'", model_.graph.node(fed_[i].target.node).name, "' is fed twice: by --input and ",
                     "--feed, or by two --feed");
      }
    }
    return Status();
  }

  const GivenSamples& options_;
  const std::vector<Output>& wanted_;
  Model& model_;
  std::vector<bool> needed_;  // nodes of the spec's graph that `wanted` depends on
  std::vector<FedOutput> fed_;
};

}  // namespace

Result<std::vector<FedOutput>> AddSamples(const GivenSamples& options, const std::vector<Output>& wanted,
                                          Model& model) {
  return SampleAdder(options, wanted, model).Add();
}

std::vector<std::string> FilesOfSamples(const GivenSamples& options) {
  std::vector<std::string> files = options.files;
  for (const std::string& feed : options.feeds) {
    if (std::string file = FileOfFeed(feed); !file.empty()) files.push_back(std::move(file));
  }
  return files;
}

}  // namespace dfrun::jobs
