#include "jobs/model.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "src/base/text.h"
#include "src/graph/graph_def/file_kind.h"
#include "src/graph/graph_def/graph_file.h"
#include "src/passes/functions/lower_functions.h"
#include "src/passes/loosen_shapes.h"
#include "src/training/build_job_graph.h"

namespace dfrun::jobs {
namespace {

// Returns how many tasks of each job the device names of the nodes mention.
std::map<std::string, int> TasksNamed(const Graph& graph) {
  std::map<std::string, int> named;
  for (const Node& node : graph.nodes()) {
    if (node.device.empty()) continue;
    const Result<DeviceName> name = DeviceName::Parse(node.device);
    if (!name.ok() || !name->job) continue;  // placement reports what is wrong with the name
    int& tasks = named[*name->job];
    tasks = std::max(tasks, name->task.value_or(0) + 1);
  }
  return named;
}

// Returns a tensor of the chosen signature; null if it has none of this key.
const SignatureTensor* FindTensor(const Model& model, std::vector<SignatureTensor> ModelSignature::*which,
                                  const std::string& key) {
  if (model.signature.empty()) return nullptr;
  const std::vector<SignatureTensor>& tensors = model.meta->signatures.at(model.signature).*which;
  const auto found =
      std::find_if(tensors.begin(), tensors.end(), [&](const SignatureTensor& t) { return t.key == key; });
  return found == tensors.end() ? nullptr : &*found;
}

Model ModelOf(LoadedSpec spec) {
  std::vector<JobTasks> tasks = TasksOf(spec.job);
  Model model{std::move(spec.graph), std::move(spec.job), std::move(tasks), std::move(spec.values)};
  model.device_counts = model.job->device_counts;
  model.training = spec.training;
  model.other = std::move(spec.other);
  model.sections = spec.sections;
  model.mode_feeds = spec.mode_feeds;
  model.files = std::move(spec.files);
  model.printed = std::move(spec.printed);
  return model;
}

}  // namespace

LoadedSpec Model::TakeSpec() {
  return {*std::move(job), std::move(graph), std::move(values), training,          std::move(other),
          sections,        mode_feeds,       std::move(files),  std::move(printed)};
}

bool IsSpec(const std::string& path) {
  const std::string_view view = path;
  const auto ends = [&](std::string_view end) {
    return view.size() >= end.size() && view.substr(view.size() - end.size()) == end;
  };
  return ends(".yaml") || ends(".yml");
}

Status CheckMayBeSpec(const std::string& path) {
  const Result<FileIdentity> identity = IdentifyFile(path);
  if (!identity.ok() || IsSpec(path) || identity->is_text) return Status();  // reading the file reports what is wrong
  if (identity->kind != FileKind::kOther) {
    return Error(Code::kBadSpec, path, ": this is ", identity->what,
                 ", no spec; `dfrun eval` runs graphs, `dfrun check` says what they hold");
  }
  return Error(Code::kBadSpec, path, ": this is ", identity->what, ", no spec", identity->advice.empty() ? "" : "; ",
               identity->advice);
}

std::vector<JobTasks> TasksOfDevices(const Graph& graph) {
  std::vector<JobTasks> out;
  for (const auto& [job, tasks] : TasksNamed(graph)) out.push_back({job, tasks});
  if (out.empty()) return out;
  const auto worker = std::find_if(out.begin(), out.end(), [](const JobTasks& t) { return t.job == "worker"; });
  (worker == out.end() ? out.back() : *worker).tasks = JobTasks::kRest;
  return out;
}

Result<Output> Model::ParseOutput(const std::string& text) const {
  if (const SignatureTensor* found = FindTensor(*this, &ModelSignature::outputs, text)) {
    return graph.ParseOutput(found->tensor);
  }
  const size_t colon = text.rfind(':');
  const auto found = values.find(text.substr(0, colon));
  if (found == values.end()) return graph.ParseOutput(text);
  const std::vector<Output>& outputs = found->second;
  const std::optional<size_t> port =
      colon == std::string::npos ? std::optional<size_t>(0) : ParseAs<size_t>(text.substr(colon + 1));
  if (port && *port < outputs.size()) return outputs[*port];
  if (graph.Find(found->first) >= 0) return graph.ParseOutput(text);
  return NotFound("there is no output '", text, "': '", found->first, "' has ", outputs.size(), " values");
}

Result<Output> Model::ParseInput(const std::string& text) const {
  const SignatureTensor* found = FindTensor(*this, &ModelSignature::inputs, text);
  return found == nullptr ? ParseOutput(text) : graph.ParseOutput(found->tensor);
}

int Model::RanksNeeded() const {
  const std::map<std::string, int> named = TasksNamed(graph);
  const auto needed = [&](const std::string& job) { return named.count(job) > 0 ? named.at(job) : 1; };
  if (tasks.empty()) return needed("worker");
  int ranks = 0;
  for (const JobTasks& t : tasks) ranks += t.tasks == JobTasks::kRest ? needed(t.job) : t.tasks;
  return ranks;
}

std::vector<NodeId> Sinks(const Graph& graph) {
  const Consumers consumers = graph.BuildConsumers();
  std::vector<NodeId> out;
  for (const Node& node : graph.nodes()) {
    if (consumers.of(node.id).empty()) out.push_back(node.id);
  }
  return out;
}

Result<Model> LoadSpecModel(const ModelOptions& options) {
  DF_TRY(CheckMayBeSpec(options.path));
  SpecOptions spec_options;
  spec_options.sets = options.sets;
  spec_options.ranks = options.ranks;
  spec_options.device_counts = options.device_counts;
  spec_options.feeds = options.feeds;
  spec_options.prints = options.prints;
  DF_ASSIGN(LoadedSpec spec, LoadSpec(options.path, spec_options));
  if (options.form == ModelOptions::Form::kJob) return ModelOf(std::move(spec));
  const bool training = options.form == ModelOptions::Form::kTraining;
  if (&spec.form(training) == &spec) {
    spec.other.reset();
    return ModelOf(std::move(spec));
  }
  const LoadedSpec& form = *spec.other;
  return ModelOf({form.job, form.graph.Clone(), form.values, training, {}, form.sections, form.mode_feeds});
}

Result<Model> LoadModel(const ModelOptions& options) {
  if (IsSpec(options.path)) {
    if (options.tags.empty()) return LoadSpecModel(options);
    return Error(Code::kUsage, "--tag chooses among the graphs of a SavedModel, and '", options.path, "' is a spec");
  }
  if (options.form == ModelOptions::Form::kTraining) {
    return Error(Code::kUsage, "--training is for the model of a spec, and '", options.path, "' is a graph");
  }
  if (!options.sets.empty()) {
    return Error(Code::kUsage, "--set is for the params and keys of a spec, and '", options.path, "' is a graph");
  }
  DF_ASSIGN(GraphFile file, ReadGraphFile(options.path, options.tags));
  std::vector<JobTasks> tasks = TasksOfDevices(file.graph);
  Model model{std::move(file.graph), std::nullopt, std::move(tasks), {}, std::move(file.meta)};
  model.device_counts = options.device_counts;
  return model;
}

Result<Model> LoadRunnable(const ModelOptions& options) {
  DF_ASSIGN(Model model, LoadModel(options));
  const auto in_file = [&](const Status& status) {
    return status.ok() ? status : Error(Code::kBadSpec, options.path, ": ", status.message());
  };
  const bool has_calls = CallsFunctions(model.graph);
  if (has_calls) DF_TRY(in_file(LowerFunctions(model.graph, {.keeps_refused = true})));
  if (!model.job) DF_TRY(in_file(LoosenVariableShapes(model.graph)));  // before it is asked what a run needs
  if (!has_calls) return model;
  model.tasks = TasksOfDevices(model.graph);
  return model;
}

std::string ListSignatures(const Model& model) {
  std::string text;
  if (!model.meta) return text;
  for (const auto& [name, signature] : model.meta->signatures) text += StrCat("\n  ", PrintSignature(name, signature));
  return text;
}

Status ChooseSignature(const std::string& name, Model& model) {
  if (!model.meta || model.meta->signatures.empty()) {
    return name.empty() ? Status() : Error(Code::kUsage, "--signature ", name, ": the model has no signatures");
  }
  const std::map<std::string, ModelSignature>& signatures = model.meta->signatures;
  const auto preset = signatures.size() == 1 ? signatures.begin() : signatures.find("serving_default");
  const auto chosen = name.empty() ? preset : signatures.find(name);
  if (chosen == signatures.end()) {
    if (name.empty()) return Status();
    return Error(Code::kUsage, "--signature ", name, ": the model has none of this name, but:", ListSignatures(model));
  }
  for (const auto* tensors : {&chosen->second.inputs, &chosen->second.outputs}) {
    for (const SignatureTensor& tensor : *tensors) {
      const Status there = model.graph.ParseOutput(tensor.tensor).status();
      if (there.ok()) continue;
      return Error(Code::kBadSpec, "signature '", chosen->first, "': its '", tensor.key, "': ", there.message());
    }
  }
  model.signature = chosen->first;
  return Status();
}

}  // namespace dfrun::jobs
