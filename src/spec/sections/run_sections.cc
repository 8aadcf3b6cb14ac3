// Reads the sections run, checkpoint and trace.
#include <algorithm>
#include <set>

#include "src/spec/document.h"
#include "src/spec/input_feeds.h"
#include "src/spec/schema/check_keys.h"
#include "src/spec/section.h"
#include "src/spec/tied_inputs.h"
#include "src/storage/dataset_paths.h"

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
    } else if (const Status fits = CheckInPlaceOf(target, t, source, *from); !fits.ok()) {
      diagnostics.Error(location, fits);
    } else {
      feeds.push_back({t.value, from->value, location});
    }
  }
}

void FeedValue(const Yaml& name, const Yaml& value, std::string_view prefix, const SectionContext& context,
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
  std::replace(node.begin(), node.end(), ':', '_');  // the colon in "x:1"
  const std::optional<Output> fed = context.lowering.AddExpression(value, StrCat(prefix, "/", node), &wanted);
  if (!fed) return;
  if (graph.dtype(*fed) != dtype || !graph.shape(*fed).IsCompatibleWith(shape)) {
    return diagnostics.Error(value.location(), "'", name.text(), "' is ", dtype, shape, ", but is fed ",
                             graph.dtype(*fed), graph.shape(*fed));
  }
  const Status same = CheckSameClasses(context.inputs, *target, *fed);
  if (!same.ok()) return diagnostics.Error(value.location(), same);
  feeds.push_back({*target, *fed, name.location()});
}

bool ReadCount(const Yaml& map, std::string_view key, int64_t minimum, ValueReader& reader, int64_t& out) {
  const std::optional<Yaml> value = FindKey(map, key);
  if (!value) return true;
  const std::optional<int64_t> number = reader.Int(*value, StrCat("'", key, "'"), minimum);
  if (number) out = *number;
  return number.has_value();
}

// A session tells so many steps of one kind apart.
constexpr int64_t kMaxStepsInFlight = 64;

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
  std::vector<std::string> names;
  for (const FetchSpec& fetch : fetches) {
    names.push_back(fetch.name);
    if (!DatasetPath(fetch.name).empty() && fetch.name.front() != '/') continue;
    diagnostics.Error(fetch.location, "'", fetch.name, "' cannot name a dataset of the file that 'fetch' is saved in");
  }
  const std::optional<DatasetClash> clash = FindDatasetClash(names);
  if (!clash || names[clash->at] == names[clash->other]) return;  // equal names are reported elsewhere
  const std::string& name = names[clash->at];
  const std::string& other = names[clash->other];
  const SourceLocation location = fetches[clash->at].location;
  if (clash->is_below) {
    return diagnostics.Error(location, "'", name, "' lies below '", other, "', which is fetched too, and an HDF5 file ",
                             "cannot hold both: fetch '", other, ":0', or name them, {a: x}");
  }
  diagnostics.Error(location, "'", name, "' is the dataset ", DatasetPath(name),
                    " of the file that 'fetch' is saved in, ", "and '", other, "' is too: name them, {a: x}");
}

// The bound of file systems, less the ending of the temporary file that is renamed to it.
constexpr size_t kLongestSaveName = 240;

// Reads the name of a file in the run directory.
bool ReadFileName(const Yaml& value, ValueReader& reader, std::string& out) {
  std::optional<std::string> name = reader.Text(value, "'save'");
  if (!name) return false;
  if (!name->ends_with(".h5") || name->find('/') != std::string::npos || name->front() == '.') {
    reader.diagnostics().Error(value.location(),
                               "'save' is the name of a file in the run directory, like result.h5, not '", *name, "'");
    return false;
  }
  if (name->size() > kLongestSaveName) {
    reader.diagnostics().Error(value.location(), "'save' has ", name->size(), " bytes; a file's name has at most ",
                               kLongestSaveName, " here");
    return false;
  }
  out = *std::move(name);
  return true;
}

std::optional<RunSpec> RunOf(const Yaml& section, SourceLocation location, const SectionContext& context) {
  RunSpec run;
  run.location = location;
  if (!CheckSection("run", section, context.reader.diagnostics())) return {};
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

std::vector<KeyDef> BestKeys() {
  std::vector<KeyDef> keys = GoalKeys();
  keys.push_back({.name = "keep", .kind = KeyKind::kInt, .minimum = 1, .default_text = "1"});
  return keys;
}

std::optional<BestSpec> BestOf(const Yaml& map, const SectionContext& context) {
  if (!CheckKeys(map, BestKeys(), "'best'", context.reader.diagnostics())) return {};
  std::optional<GoalSpec> goal = ReadGoal(map, context);
  int64_t keep = 1;
  if (!goal || !ReadCount(map, "keep", 1, context.reader, keep)) return {};
  return BestSpec{*std::move(goal), static_cast<int>(std::min<int64_t>(keep, 1 << 20))};
}

std::optional<CheckpointSpec> CheckpointOf(const Yaml& section, SourceLocation location,
                                           const SectionContext& context) {
  CheckpointSpec checkpoint;
  checkpoint.location = location;
  if (!CheckSection("checkpoint", section, context.reader.diagnostics())) return {};
  int64_t keep = checkpoint.keep;
  if (!ReadCount(section, "every", 0, context.reader, checkpoint.every)) return {};
  if (!ReadCount(section, "keep", 0, context.reader, keep)) return {};
  checkpoint.keep = static_cast<int>(std::min<int64_t>(keep, 1 << 20));
  if (const std::optional<Yaml> best = FindKey(section, "best")) {
    checkpoint.best = BestOf(*best, context);
    if (!checkpoint.best) return {};
  }
  if (const std::optional<Yaml> tensorflow = FindKey(section, "tensorflow")) {
    checkpoint.tensorflow = context.reader.Bool(*tensorflow, "'tensorflow'").value_or(false);
  }
  return checkpoint;
}

void ReadRun(const Yaml& section, SourceLocation location, const SectionContext& context, JobSpec& job) {
  if (context.document.FindSection("train") != nullptr)
    context.reader.diagnostics().Error(location, "a job has one of 'train' and 'run', not both");
  job.run = RunOf(section, location, context);
}

void ReadCheckpoint(const Yaml& section, SourceLocation location, const SectionContext& context, JobSpec& job) {
  job.checkpoint = CheckpointOf(section, location, context);
}

void ReadTrace(const Yaml& section, SourceLocation, const SectionContext& context, JobSpec& job) {
  int64_t steps = 0;
  if (!CheckSection("trace", section, context.reader.diagnostics())) return;
  if (ReadCount(section, "steps", 0, context.reader, steps)) job.trace_steps = steps;
}

SPEC_SECTION(SectionDef{.key = {.name = "run",
                                .kind = KeyKind::kMapping,
                                .keys = {{.name = "steps", .kind = KeyKind::kInt, .default_text = "1"},
                                         {"feed", KeyKind::kExpressions},
                                         {"fetch", KeyKind::kFetches},
                                         {"targets", KeyKind::kNames},
                                         {.name = "save", .kind = KeyKind::kText, .default_text = "fetches.h5"},
                                         {.name = "steps_in_flight", .kind = KeyKind::kInt, .default_text = "1"}}},
                        .order = 110,
                        .form = SectionDef::Form::kEvaluation,
                        .read = &ReadRun});
SPEC_SECTION(SectionDef{.key = {.name = "checkpoint",
                                .kind = KeyKind::kMapping,
                                .keys = {{.name = "every", .kind = KeyKind::kInt, .default_text = "0"},
                                         {.name = "keep", .kind = KeyKind::kInt, .default_text = "5"},
                                         {.name = "best", .kind = KeyKind::kMapping, .keys = BestKeys()},
                                         {.name = "tensorflow", .kind = KeyKind::kBool, .default_text = "false"}}},
                        .order = 130,
                        .read = &ReadCheckpoint});
SPEC_SECTION(SectionDef{.key = {.name = "trace",
                                .kind = KeyKind::kMapping,
                                .keys = {{.name = "steps", .kind = KeyKind::kInt, .default_text = "0"}}},
                        .order = 150,
                        .read = &ReadTrace});

}  // namespace

std::vector<FeedSpec> ReadFeeds(const Yaml& map, std::string_view prefix, const SectionContext& context) {
  std::vector<FeedSpec> feeds;
  std::vector<InputInPlace> places;
  Diagnostics& diagnostics = context.reader.diagnostics();
  if (!CheckMap(map, "'feed'", diagnostics)) return feeds;
  for (size_t i = 0; i < map.size(); ++i) {
    const Yaml name = map.key(i);
    const Yaml value = map.value(i);
    const InputSpec* target = FindInput(name.text(), context);
    if (target == nullptr) {
      FeedValue(name, value, prefix, context, feeds);
      continue;
    }
    const std::optional<std::string> source_name = context.reader.Text(value, StrCat("what feeds '", name.text(), "'"));
    if (!source_name) continue;
    if (const InputSpec* source = FindInput(*source_name, context)) {
      FeedInput(*target, *source, value.location(), feeds, diagnostics);
      places.push_back({target, source});
      continue;
    }
    std::vector<std::string> names;
    for (const InputSpec& input : context.inputs) names.push_back(input.name);
    diagnostics.Error(value.location(), "an input is fed from another input, and '", *source_name, "' is none",
                      DidYouMean(*source_name, names));
  }
  if (const Status tied = CheckTiesInPlace(context.inputs, places); !tied.ok()) diagnostics.Error(map.location(), tied);
  return feeds;
}

bool ReadStepsInFlight(const Yaml& section, ValueReader& reader, int& out) {
  int64_t steps = out;
  if (!ReadCount(section, "steps_in_flight", 1, reader, steps)) return false;
  if (steps > kMaxStepsInFlight) {
    reader.diagnostics().Error(FindKey(section, "steps_in_flight")->location(), "'steps_in_flight' is ", steps,
                               "; at most ", kMaxStepsInFlight, " steps are in flight at a time");
    return false;
  }
  out = static_cast<int>(steps);
  return true;
}

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
