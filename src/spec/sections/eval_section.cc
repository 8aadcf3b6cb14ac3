// Reads `eval:`, one evaluation or several with names, and the choice of a metric of theirs.
#include <algorithm>
#include <set>

#include "src/base/text.h"
#include "src/spec/document.h"
#include "src/spec/schema/check_keys.h"
#include "src/spec/section.h"

namespace dfrun {
namespace {

const std::vector<KeyDef>& EvalKeys() {
  return Sections::Get("eval").key.keys;
}

class MetricsReader {
 public:
  explicit MetricsReader(const SectionContext& context)
      : context_(context), diagnostics_(context.reader.diagnostics()) {}

  std::vector<MetricSpec> Read(const Yaml& value) {
    if (value.is_map()) {
      ReadNamed(value);
    } else if (value.is_sequence()) {
      for (size_t i = 0; i < value.size(); ++i) ReadItem(value.item(i));
    } else {
      diagnostics_.Error(value.location(), "'metrics' must be a list of names, or a mapping of names to nodes, not ",
                         value.Describe());
    }
    return std::move(metrics_);
  }

 private:
  void ReadItem(const Yaml& item) {
    if (item.is_scalar()) return Add(item, std::string(item.text()));
    if (!item.is_map()) return diagnostics_.Error(item.location(), "'metrics' lists names, not ", item.Describe());
    // A quotient without a name of its own has that of its sum.
    const std::optional<Yaml> sum = FindKey(item, "sum");
    if (sum && FindKey(item, "over") && sum->is_scalar()) return Add(item, std::string(sum->text()));
    ReadNamed(item);
  }
  void ReadNamed(const Yaml& map) {
    for (size_t i = 0; i < map.size(); ++i) Add(map.value(i), std::string(map.key(i).text()));
  }
  void Add(const Yaml& value, std::string name) {
    std::optional<MetricSpec> metric = ReadMetric(value, std::move(name), "'metrics'", context_);
    if (!metric) return;
    if (!names_.insert(metric->name).second) {
      return diagnostics_.Error(metric->location, "'metrics' has the name '", metric->name, "' twice");
    }
    metrics_.push_back(*std::move(metric));
  }

  const SectionContext& context_;
  Diagnostics& diagnostics_;
  std::vector<MetricSpec> metrics_;
  std::set<std::string> names_;
};

// `what`: "'eval'" or "the evaluation 'test'". The keys have been checked.
std::optional<EvalSpec> EvalOf(const Yaml& section, const std::string& name, const std::string& what,
                               SourceLocation location, const SectionContext& context) {
  EvalSpec eval;
  eval.location = location;
  eval.name = name;
  Diagnostics& diagnostics = context.reader.diagnostics();
  if (!ReadKey(section, EvalKeys(), "every", context.reader, eval.every)) return {};
  if (!ReadStepsInFlight(section, context.reader, eval.steps_in_flight)) return {};
  if (const std::optional<Yaml> feed = FindKey(section, "feed")) {
    eval.feeds = ReadFeeds(*feed, name == "eval" ? "eval_feed" : StrCat("eval_feed/", name), context);
  }
  const std::optional<Yaml> metrics = FindKey(section, "metrics");
  if (!metrics) {
    diagnostics.Error(location, what, " lacks 'metrics', a list of scalars of the graph");
    return {};
  }
  eval.metrics = MetricsReader(context).Read(*metrics);
  return eval;
}

// A name stands in node names, and before '/' in metrics.jsonl, where other names begin with "memory/", "waiting/" and
// "wire/".
bool CheckName(const Yaml& key, Diagnostics& diagnostics) {
  const std::string_view name = key.text();
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.'; };
  if (name.empty() || !std::isalpha(static_cast<unsigned char>(name[0])) ||
      !std::all_of(name.begin(), name.end(), fits)) {
    diagnostics.Error(key.location(),
                      "an evaluation's name begins with a letter and has letters, digits, '_', '-' and ",
                      "'.', unlike '", name, "'");
    return false;
  }
  for (const std::string_view taken : {"memory", "waiting", "wire"}) {
    if (name != taken) continue;
    diagnostics.Error(key.location(), "metrics.jsonl has other values whose names begin with '", name,
                      "/': give the evaluation another name");
    return false;
  }
  return true;
}

void ReadNamedEvals(const Yaml& section, const SectionContext& context, JobSpec& job) {
  Diagnostics& diagnostics = context.reader.diagnostics();
  for (size_t i = 0; i < section.size(); ++i) {
    const Yaml key = section.key(i);
    const Yaml value = section.value(i);
    const std::string name(key.text());
    if (!value.is_map()) {
      diagnostics.Error(key.location(), "'", name, "' is no key of 'eval', which has ", Join(NamesOf(EvalKeys())),
                        DidYouMean(name, NamesOf(EvalKeys())), "; and the evaluation of that name would be a mapping");
      continue;
    }
    const std::string what = StrCat("the evaluation '", name, "'");
    if (!CheckName(key, diagnostics) || !CheckKeys(value, EvalKeys(), what, diagnostics)) continue;
    std::optional<EvalSpec> eval = EvalOf(value, name, what, key.location(), context);
    if (eval) job.evals.push_back(*std::move(eval));
  }
}

// Whether the section describes evaluations by their names: none of its keys is one of an evaluation.
bool HasNames(const Yaml& section) {
  if (!section.is_map() || section.size() == 0) return false;
  for (const KeyDef& key : EvalKeys()) {
    if (FindKey(section, key.name)) return false;
  }
  return true;
}

void ReadEval(const Yaml& section, SourceLocation location, const SectionContext& context, JobSpec& job) {
  if (context.document.FindSection("train") == nullptr) {
    context.reader.diagnostics().Error(location, "'eval' belongs to 'train', which this spec lacks");
  }
  if (HasNames(section)) return ReadNamedEvals(section, context, job);
  if (!CheckSection("eval", section, context.reader.diagnostics())) return;
  std::optional<EvalSpec> eval = EvalOf(section, "eval", "'eval'", location, context);
  if (eval) job.evals.push_back(*std::move(eval));
}

SPEC_SECTION(SectionDef{.key = {.name = "eval",
                                .kind = KeyKind::kEvaluations,
                                .keys = {{.name = "every", .kind = KeyKind::kInt, .minimum = 0, .default_text = "0"},
                                         {"feed", KeyKind::kExpressions},
                                         {.name = "metrics", .kind = KeyKind::kMetrics, .keys = QuotientKeys()},
                                         {.name = "steps_in_flight", .kind = KeyKind::kInt, .default_text = "1"}}},
                        .order = 120,
                        .form = SectionDef::Form::kEvaluation,
                        .read = &ReadEval});

// `takes`: "'metrics' lists scalars".
std::optional<Output> ScalarNamed(const Yaml& name, std::string_view takes, const SectionContext& context) {
  const std::optional<Output> output = context.lowering.Find(name);
  if (!output) return {};
  if (MayBeScalar(context.graph, *output)) return output;
  context.reader.diagnostics().Error(name.location(), takes, ", but '", name.text(), "' has shape ",
                                     context.graph.shape(*output));
  return {};
}

// A part of a quotient.
std::optional<Output> SummedNumber(const Yaml& map, std::string_view key, const SectionContext& context) {
  const Yaml value = *FindKey(map, key);
  Diagnostics& diagnostics = context.reader.diagnostics();
  if (!value.is_scalar()) {
    diagnostics.Error(value.location(), "'", key, "' must be the name of a scalar, not ", value.Describe());
    return {};
  }
  const std::optional<Output> output = ScalarNamed(value, StrCat("'", key, "' is a scalar"), context);
  if (!output) return {};
  const DType dtype = context.graph.dtype(*output);
  if (IsFloating(dtype) || IsInteger(dtype)) return output;
  diagnostics.Error(value.location(), "'", key, "' is summed over all samples, but '", value.text(), "' is ", dtype,
                    dtype == DType::kBool ? ": Cast(x, DstT=float32) makes numbers of it" : "");
  return {};
}

}  // namespace

const std::vector<KeyDef>& QuotientKeys() {
  static const std::vector<KeyDef>& keys =
      *new std::vector<KeyDef>{{.name = "sum", .kind = KeyKind::kText, .required = true},
                               {.name = "over", .kind = KeyKind::kText, .required = true}};
  return keys;
}

std::optional<MetricSpec> ReadMetric(const Yaml& value, std::string name, std::string_view what,
                                     const SectionContext& context) {
  Diagnostics& diagnostics = context.reader.diagnostics();
  if (value.is_scalar()) {
    const std::optional<Output> output = ScalarNamed(value, StrCat(what, " lists scalars"), context);
    if (!output) return {};
    return MetricSpec{std::move(name), *output, {}, value.location()};
  }
  if (!value.is_map()) {
    diagnostics.Error(value.location(), what, " takes the name of a scalar, or {sum: NAME, over: NAME}, not ",
                      value.Describe());
    return {};
  }
  if (!CheckKeys(value, QuotientKeys(), StrCat("a quotient of ", what), diagnostics)) return {};
  for (const KeyDef& key : QuotientKeys()) {
    if (FindKey(value, key.name)) continue;
    diagnostics.Error(value.location(), "a quotient of ", what, " lacks '", key.name,
                      "': write {sum: NAME, over: NAME}");
    return {};
  }
  const std::optional<Output> sum = SummedNumber(value, "sum", context);
  const std::optional<Output> over = SummedNumber(value, "over", context);
  if (!sum || !over) return {};
  return MetricSpec{std::move(name), *sum, *over, value.location()};
}

std::vector<KeyDef> GoalKeys() {
  return {{.name = "metric", .kind = KeyKind::kText, .required = true},
          {.name = "mode", .kind = KeyKind::kChoice, .required = true, .choices = {"max", "min"}}};
}

std::optional<GoalSpec> ReadGoal(const Yaml& map, const SectionContext& context) {
  Diagnostics& diagnostics = context.reader.diagnostics();
  const std::optional<Yaml> metric = FindKey(map, "metric");
  const std::optional<Yaml> mode = FindKey(map, "mode");
  if (!metric || !mode) {
    diagnostics.Error(map.location(),
                      "it takes a 'metric' of an evaluation, like eval/loss, and whether that is better ",
                      "where it is greater, 'mode: max', or less, 'mode: min'");
    return {};
  }
  std::optional<std::string> name = context.reader.Text(*metric, "'metric'");
  const std::optional<int> choice = context.reader.Choice(*mode, "'mode'", GoalKeys()[1].choices);
  if (!name || !choice) return {};
  return GoalSpec{*std::move(name), *choice == 0, metric->location()};
}

}  // namespace dfrun
