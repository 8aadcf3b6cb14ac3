// Reads the sections run, eval, checkpoint, summaries and trace.
#include <algorithm>
#include <set>

#include "src/spec/document.h"
#include "src/spec/section.h"

namespace dfrun {
namespace {

const InputSpec* FindInput(std::string_view name, const SectionContext& context) {
  auto it =
      std::find_if(context.inputs.begin(), context.inputs.end(), [&](const InputSpec& i) { return i.name == name; });
  return it == context.inputs.end() ? nullptr : &*it;
}

// Feeds every tensor of input `target` from the tensor of the same name of `source`.
void FeedInput(const InputSpec& target, const InputSpec& source, SourceLocation location, std::vector<FeedSpec>& feeds,
               Diagnostics& diagnostics) {
  for (const InputTensor& t : target.tensors) {
    auto from = std::find_if(source.tensors.begin(), source.tensors.end(),
                             [&](const InputTensor& s) { return s.name == t.name; });
    if (from == source.tensors.end()) {
      diagnostics.Error(location, "input '", source.name, "' lacks the tensor '", t.name, "' of input '", target.name,
                        "'");
    } else if (from->field.dtype != t.field.dtype || !(from->field.shape == t.field.shape)) {
      diagnostics.Error(location, "'", source.name, "/", t.name, "' has samples ", from->field.dtype, from->field.shape,
                        ", but those of '", target.name, "/", t.name, "' are ", t.field.dtype, t.field.shape);
    } else {
      feeds.push_back({t.value, from->value, location});
    }
  }
}

void FeedValue(const Yaml& name, const Yaml& value, std::string_view section, const SectionContext& context,
               std::vector<FeedSpec>& feeds) {
  Diagnostics& diagnostics = context.reader.diagnostics();
  if (!value.is_scalar()) return diagnostics.Error(value.location(), "a feed is an expression, not ", value.Describe());
  const std::optional<Output> target = context.lowering.Find(name);
  if (!target) return;
  const Graph& graph = context.graph;
  const DType dtype = graph.dtype(*target);
  const PartialShape shape = graph.shape(*target);
  WantedValue wanted{dtype, {}};
  if (const Result<Shape> known = shape.ToShape(); known.ok()) wanted.shape = *known;
  std::string node(name.text());
  std::replace(node.begin(), node.end(), ':', '_');  // of "x:1"
  const std::optional<Output> fed = context.lowering.AddExpression(value, StrCat(section, "/", node), &wanted);
  if (!fed) return;
  if (graph.dtype(*fed) != dtype || !graph.shape(*fed).IsCompatibleWith(shape)) {
    return diagnostics.Error(value.location(), "'", name.text(), "' is ", dtype, shape, ", but is fed ",
                             graph.dtype(*fed), graph.shape(*fed));
  }
  feeds.push_back({*target, *fed, name.location()});
}

std::vector<FeedSpec> ReadFeeds(const Yaml& map, std::string_view section, const SectionContext& context) {
  std::vector<FeedSpec> feeds;
  Diagnostics& diagnostics = context.reader.diagnostics();
  if (!CheckMap(map, "'feed'", diagnostics)) return feeds;
  for (size_t i = 0; i < map.size(); ++i) {
    const Yaml name = map.key(i);
    const Yaml value = map.value(i);
    const InputSpec* target = FindInput(name.text(), context);
    if (target == nullptr) {
      FeedValue(name, value, section, context, feeds);
      continue;
    }
    const std::optional<std::string> source_name = context.reader.Text(value, StrCat("what feeds '", name.text(), "'"));
    if (!source_name) continue;
    if (const InputSpec* source = FindInput(*source_name, context)) {
      FeedInput(*target, *source, value.location(), feeds, diagnostics);
      continue;
    }
    std::vector<std::string> names;
    for (const InputSpec& input : context.inputs) names.push_back(input.name);
    diagnostics.Error(value.location(), "an input is fed from another input, and '", *source_name, "' is none",
                      DidYouMean(*source_name, names));
  }
  return feeds;
}

bool ReadCount(const Yaml& map, std::string_view key, int64_t minimum, ValueReader& reader, int64_t& out) {
  const std::optional<Yaml> value = FindKey(map, key);
  if (!value) return true;
  const std::optional<int64_t> number = reader.Int(*value, StrCat("'", key, "'"), minimum);
  if (number) out = *number;
  return number.has_value();
}

// A session tells so many steps of one kind apart.
constexpr int64_t kMostStepsInFlight = 64;

bool ReadStepsInFlight(const Yaml& section, ValueReader& reader, int& out) {
  int64_t steps = out;
  if (!ReadCount(section, "steps_in_flight", 1, reader, steps)) return false;
  if (steps > kMostStepsInFlight) {
    reader.diagnostics().Error(FindKey(section, "steps_in_flight")->location(), "'steps_in_flight' is ", steps,
                               "; at most ", kMostStepsInFlight, " steps are in flight at a time");
    return false;
  }
  out = static_cast<int>(steps);
  return true;
}

// Reads names of nodes, also of nodes without outputs.
std::vector<NodeId> ReadTargets(const Yaml& list, const SectionContext& context) {
  std::vector<NodeId> targets;
  Diagnostics& diagnostics = context.reader.diagnostics();
  if (!list.is_sequence()) {
    diagnostics.Error(list.location(), "'targets' must be a list of names, not ", list.Describe());
    return targets;
  }
  for (size_t i = 0; i < list.size(); ++i) {
    const Yaml name = list.item(i);
    if (!name.is_scalar()) {
      diagnostics.Error(name.location(), "'targets' lists names, not ", name.Describe());
    } else if (const std::optional<NodeId> node = context.lowering.FindNode(name)) {
      targets.push_back(*node);
    }
  }
  return targets;
}

// Reads fetches with names, {words: sorted, counts: "sums:1"}.
std::vector<FetchSpec> ReadNamedFetches(const Yaml& map, const SectionContext& context) {
  std::vector<FetchSpec> fetches;
  for (size_t i = 0; i < map.size(); ++i) {
    const Yaml value = map.value(i);
    if (!value.is_scalar()) {
      context.reader.diagnostics().Error(value.location(), "'fetch' gives names to nodes, not to ", value.Describe());
      continue;
    }
    const std::optional<Output> output = context.lowering.Find(value);
    if (output) fetches.push_back({std::string(map.key(i).text()), *output, value.location()});
  }
  return fetches;
}

// Results are reported by name, so names must differ.
void CheckNames(const std::vector<FetchSpec>& fetches, std::string_view what, Diagnostics& diagnostics) {
  std::set<std::string_view> seen;
  for (const FetchSpec& fetch : fetches) {
    if (!seen.insert(fetch.name).second) {
      diagnostics.Error(fetch.location, what, " has the name '", fetch.name, "' twice");
    }
  }
}

// Results become datasets of one HDF5 file, in which no dataset can be below another.
void CheckDatasets(const std::vector<FetchSpec>& fetches, Diagnostics& diagnostics) {
  std::set<std::string_view> names;
  for (const FetchSpec& fetch : fetches) names.insert(fetch.name);
  for (const FetchSpec& fetch : fetches) {
    const std::string_view name = fetch.name;
    if (name.find_first_not_of("./") == std::string_view::npos || name.front() == '/') {
      diagnostics.Error(fetch.location, "'", name, "' cannot name a dataset of the file that 'fetch' is saved in");
    }
    for (size_t slash = name.find('/'); slash != std::string_view::npos; slash = name.find('/', slash + 1)) {
      if (!names.contains(name.substr(0, slash))) continue;
      diagnostics.Error(fetch.location, "'", name, "' lies below '", name.substr(0, slash),
                        "', which is fetched too, and ", "an HDF5 file cannot hold both: fetch '",
                        name.substr(0, slash), ":0', or name them, {a: x}");
    }
  }
}

// Reads the name of a file in the run directory.
bool ReadFileName(const Yaml& value, ValueReader& reader, std::string& out) {
  std::optional<std::string> name = reader.Text(value, "'save'");
  if (!name) return false;
  if (!name->ends_with(".h5") || name->find('/') != std::string::npos || name->front() == '.') {
    reader.diagnostics().Error(value.location(),
                               "'save' is the name of a file in the run directory, like result.h5, not '", *name, "'");
    return false;
  }
  out = *std::move(name);
  return true;
}

std::optional<RunSpec> RunOf(const Yaml& section, SourceLocation location, const SectionContext& context) {
  RunSpec run;
  run.location = location;
  if (!Sections::Check("run", section, context.reader.diagnostics())) return {};
  if (!ReadCount(section, "steps", 1, context.reader, run.steps)) return {};
  if (!ReadStepsInFlight(section, context.reader, run.steps_in_flight)) return {};
  if (const std::optional<Yaml> feed = FindKey(section, "feed")) run.feeds = ReadFeeds(*feed, "feed", context);
  if (const std::optional<Yaml> fetch = FindKey(section, "fetch")) {
    run.fetches = fetch->is_map() ? ReadNamedFetches(*fetch, context) : ReadFetches(*fetch, "'fetch'", false, context);
    CheckNames(run.fetches, "'fetch'", context.reader.diagnostics());
    CheckDatasets(run.fetches, context.reader.diagnostics());
  }
  const std::optional<Yaml> targets = FindKey(section, "targets");
  if (targets) run.targets = ReadTargets(*targets, context);
  const auto is_empty = [](const std::optional<Yaml>& names) {
    return !names || ((names->is_sequence() || names->is_map()) && names->size() == 0);
  };
  if (is_empty(FindKey(section, "fetch")) && is_empty(targets)) {
    context.reader.diagnostics().Error(location,
                                       "'run' computes nothing: list in 'fetch' the values that it shall give, or in "
                                       "'targets' nodes that it shall run for what they do");
  }
  if (const std::optional<Yaml> save = FindKey(section, "save")) {
    if (!ReadFileName(*save, context.reader, run.save)) return {};
  }
  return run;
}

std::optional<EvalSpec> EvalOf(const Yaml& section, SourceLocation location, const SectionContext& context) {
  EvalSpec eval;
  eval.location = location;
  Diagnostics& diagnostics = context.reader.diagnostics();
  if (!Sections::Check("eval", section, diagnostics)) return {};
  if (!ReadCount(section, "every", 0, context.reader, eval.every)) return {};
  if (!ReadStepsInFlight(section, context.reader, eval.steps_in_flight)) return {};
  if (const std::optional<Yaml> feed = FindKey(section, "feed")) eval.feeds = ReadFeeds(*feed, "eval_feed", context);
  const std::optional<Yaml> metrics = FindKey(section, "metrics");
  if (!metrics) {
    diagnostics.Error(location, "'eval' lacks 'metrics', a list of scalars of the graph");
    return {};
  }
  eval.metrics = ReadFetches(*metrics, "'metrics'", true, context);
  CheckNames(eval.metrics, "'metrics'", diagnostics);
  return eval;
}

std::optional<CheckpointSpec> CheckpointOf(const Yaml& section, SourceLocation location,
                                           const SectionContext& context) {
  CheckpointSpec checkpoint;
  checkpoint.location = location;
  if (!Sections::Check("checkpoint", section, context.reader.diagnostics())) return {};
  int64_t keep = checkpoint.keep;
  if (!ReadCount(section, "every", 0, context.reader, checkpoint.every)) return {};
  if (!ReadCount(section, "keep", 0, context.reader, keep)) return {};
  checkpoint.keep = static_cast<int>(std::min<int64_t>(keep, 1 << 20));
  return checkpoint;
}

void ReadRun(const Yaml& section, SourceLocation location, const SectionContext& context, JobSpec& job) {
  if (context.document.FindSection("train") != nullptr)
    context.reader.diagnostics().Error(location, "a job has one of 'train' and 'run', not both");
  job.run = RunOf(section, location, context);
}

void ReadEval(const Yaml& section, SourceLocation location, const SectionContext& context, JobSpec& job) {
  if (context.document.FindSection("train") == nullptr)
    context.reader.diagnostics().Error(location, "'eval' belongs to 'train', which this spec lacks");
  job.eval = EvalOf(section, location, context);
}

void ReadCheckpoint(const Yaml& section, SourceLocation location, const SectionContext& context, JobSpec& job) {
  job.checkpoint = CheckpointOf(section, location, context);
}

void ReadSummaries(const Yaml& section, SourceLocation, const SectionContext& context, JobSpec& job) {
  if (!Sections::Check("summaries", section, context.reader.diagnostics())) return;
  const std::optional<Yaml> scalars = FindKey(section, "scalars");
  if (!scalars) return;
  job.summaries = ReadFetches(*scalars, "'scalars'", true, context);
  CheckNames(job.summaries, "'scalars'", context.reader.diagnostics());
}

void ReadTrace(const Yaml& section, SourceLocation, const SectionContext& context, JobSpec& job) {
  int64_t steps = 0;
  if (!Sections::Check("trace", section, context.reader.diagnostics())) return;
  if (ReadCount(section, "steps", 0, context.reader, steps)) job.trace_steps = steps;
}

SPEC_SECTION(SectionDef{.key = {.name = "run",
                                .kind = KeyKind::kMapping,
                                .keys = {{"steps", KeyKind::kInt},
                                         {"feed", KeyKind::kExpressions},
                                         {"fetch", KeyKind::kFetches},
                                         {"targets", KeyKind::kNames},
                                         {"save", KeyKind::kText},
                                         {"steps_in_flight", KeyKind::kInt}}},
                        .order = 110,
                        .read = &ReadRun});
SPEC_SECTION(SectionDef{.key = {.name = "eval",
                                .kind = KeyKind::kMapping,
                                .keys = {{"every", KeyKind::kInt},
                                         {"feed", KeyKind::kExpressions},
                                         {"metrics", KeyKind::kNames},
                                         {"steps_in_flight", KeyKind::kInt}}},
                        .order = 120,
                        .read = &ReadEval});
SPEC_SECTION(SectionDef{.key = {.name = "checkpoint",
                                .kind = KeyKind::kMapping,
                                .keys = {{"every", KeyKind::kInt}, {"keep", KeyKind::kInt}}},
                        .order = 130,
                        .read = &ReadCheckpoint});
SPEC_SECTION(SectionDef{.key = {.name = "summaries", .kind = KeyKind::kMapping, .keys = {{"scalars", KeyKind::kNames}}},
                        .order = 140,
                        .read = &ReadSummaries});
SPEC_SECTION(SectionDef{.key = {.name = "trace", .kind = KeyKind::kMapping, .keys = {{"steps", KeyKind::kInt}}},
                        .order = 150,
                        .read = &ReadTrace});

}  // namespace

std::vector<FetchSpec> ReadFetches(const Yaml& list, std::string_view what, bool scalars,
                                   const SectionContext& context) {
  std::vector<FetchSpec> fetches;
  Diagnostics& diagnostics = context.reader.diagnostics();
  if (!list.is_sequence()) {
    diagnostics.Error(list.location(), what, " must be a list of names, not ", list.Describe());
    return fetches;
  }
  for (size_t i = 0; i < list.size(); ++i) {
    const Yaml name = list.item(i);
    if (!name.is_scalar()) {
      diagnostics.Error(name.location(), what, " lists names, not ", name.Describe());
      continue;
    }
    const std::optional<Output> output = context.lowering.Find(name);
    if (!output) continue;
    if (scalars && !MayBeScalar(context.graph, *output)) {
      diagnostics.Error(name.location(), what, " lists scalars, but '", name.text(), "' has shape ",
                        context.graph.shape(*output));
      continue;
    }
    fetches.push_back({std::string(name.text()), *output, name.location()});
  }
  return fetches;
}

}  // namespace dfrun
