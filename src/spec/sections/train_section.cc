#include <algorithm>
#include <cmath>
#include <vector>

#include "src/graph/order/ancestors.h"
#include "src/spec/schema/alternatives.h"
#include "src/spec/schema/check_keys.h"
#include "src/spec/schema/name_patterns.h"
#include "src/spec/section.h"

namespace dfrun {
namespace {

// Reads `train:`; a function that fails has reported why.
class TrainReader {
 public:
  TrainReader(const Yaml& map, SourceLocation location, const SectionContext& context)
      : map_(map), context_(context), diagnostics_(context.reader.diagnostics()) {
    spec_.location = location;
  }

  std::optional<TrainSpec> Read() {
    if (!CheckSection("train", map_, diagnostics_)) return {};
    for (size_t i = 0; i < map_.size(); ++i) spec_.values.emplace(map_.key(i).text(), map_.value(i).location());
    bool good = ReadFreeze();
    good = ReadRecompute() && good;
    good = ReadLoss() && good;
    good = ReadAlternative(Optimizers(), spec_.optimizer) && good;
    good = ReadAlternative(Strategies(), spec_.strategy) && good;
    good = ReadLearningRate() && good;
    good = ReadCounts() && good;
    good = ReadDataParallel() && good;
    good = ReadParameters() && good;
    good = ReadOnNan() && good;
    good = ReadStop() && good;
    if (!good || !ReadLength() || !CheckLastRate() || !CheckAlternatives() || !CheckCopiesStayEqual()) return {};
    return spec_;
  }

 private:
  template <class... Args>
  bool Fail(SourceLocation location, const Args&... args) {
    diagnostics_.Error(location, args...);
    return false;
  }

  bool ReadLoss() {
    const std::optional<Yaml> loss = FindKey(map_, "loss");
    if (!loss) return Fail(spec_.location, "'train' lacks 'loss', the name of a scalar of the graph");
    if (loss->is_map()) {
      const std::optional<MetricSpec> quotient = ReadMetric(*loss, "loss", "'loss'", context_);
      return quotient && UseLoss(*FindKey(*loss, "sum"), quotient->value, quotient->over);
    }
    if (!loss->is_scalar()) return Fail(loss->location(), "'loss' must be a name, not ", loss->Describe());
    const std::optional<Output> output = context_.lowering.Find(*loss);
    return output && UseLoss(*loss, *output, {});
  }

  bool UseLoss(const Yaml& name, Output loss, Output over) {
    spec_.loss = loss;
    spec_.loss_over = over;
    spec_.loss_location = name.location();
    const Graph& graph = context_.graph;
    if (IsFloating(graph.dtype(loss)) && MayBeScalar(graph, loss)) {
      FindInputs();
      return true;
    }
    return Fail(name.location(), "the loss must be a floating-point scalar, but '", name.text(), "' is ",
                graph.dtype(loss), graph.shape(loss));
  }

  // Finds the inputs that the loss depends on.
  void FindInputs() {
    AncestorWalk walk(context_.graph);
    walk.Add(spec_.loss.node);
    if (spec_.loss_over.valid()) walk.Add(spec_.loss_over.node);
    while (const Node* node = walk.Next()) {
      for (Output input : node->inputs) walk.Add(input.node);
    }
    for (size_t i = 0; i < context_.inputs.size(); ++i) {
      if (!walk.added()[context_.inputs[i].read]) continue;
      read_.push_back(&context_.inputs[i]);
      if (spec_.input < 0) spec_.input = static_cast<int>(i);
    }
  }

  bool ReadAlternative(const Alternatives& all, Alternative& out) {
    std::optional<Alternative> chosen = all.Read(map_, context_.reader);
    if (!chosen) return false;
    out = *std::move(chosen);
    return true;
  }

  const KeyDef& Key(std::string_view key) const { return *FindKeyDef(Sections::Get("train").key.keys, key); }

  template <class T>
  bool ReadNumber(std::string_view key, T& out) {
    return ReadKey(map_, Sections::Get("train").key.keys, key, context_.reader, out);
  }

  bool ReadLearningRate() {
    const std::optional<Yaml> rate = FindKey(map_, "learning_rate");
    if (!rate) return Fail(spec_.location, "'train' lacks 'learning_rate'");
    std::optional<ScheduleSpec> schedule = ReadSchedule(*rate, context_.reader);
    if (!schedule) return false;
    spec_.learning_rate = *std::move(schedule);
    return true;
  }

  // Rates that grow are greatest in the last step.
  bool CheckLastRate() {
    const double rate = LearningRateAt(spec_.learning_rate, spec_.steps - 1);
    if (std::isfinite(static_cast<float>(rate))) return true;
    return Fail(FindKey(map_, "learning_rate")->location(), "'learning_rate' is ", rate, " in the last of ",
                spec_.steps, " steps, which is beyond float32: a 'factor' above 1 makes it grow");
  }

  bool ReadCounts() {
    bool good = ReadNumber("log_every", spec_.log_every);
    if (FindKey(map_, "clip_norm")) {
      double norm = 0;
      good = ReadNumber("clip_norm", norm) && good;
      spec_.clip_norm = norm;
    }
    return good;
  }

  template <class Enum>
  bool ReadChoice(const Yaml& value, std::string_view key, Enum& out) {
    const std::optional<int> choice = context_.reader.Choice(value, StrCat("'", key, "'"), Key(key).choices);
    if (choice) out = static_cast<Enum>(*choice);
    return choice.has_value();
  }

  bool IsByAllreduce() const { return spec_.data_parallel == TrainSpec::DataParallel::kAllreduce; }

  bool ReadDataParallel() {
    const std::optional<Yaml> value = FindKey(map_, "data_parallel");
    if (value && !ReadChoice(*value, "data_parallel", spec_.data_parallel)) return false;
    const std::optional<Yaml> bucket = FindKey(map_, "bucket_bytes");
    if (bucket && !IsByAllreduce())
      return Fail(bucket->location(), "'bucket_bytes' is about gradients that tasks reduce together: write ",
                  "'data_parallel: allreduce' with it");
    return ReadNumber("bucket_bytes", spec_.bucket_bytes);
  }

  // Refuses compressed gradients with copies of variables: a task keeps its own gradients uncompressed, so each task
  // would update its copies by other values.
  bool CheckCopiesStayEqual() {
    if (!IsByAllreduce()) return true;
    constexpr std::string_view kWhy =
        "the copies of a variable that tasks have with 'data_parallel: allreduce' would not stay equal if gradients "
        "travelled compressed: ";
    if (spec_.strategy.values().contains("compress_gradients") && spec_.strategy.flag("compress_gradients"))
      return Fail(FindKey(map_, "compress_gradients")->location(), kWhy,
                  "leave out 'compress_gradients', or write 'data_parallel: ps'");
    if (context_.cluster.compression() != WireCompression::kNone)
      return Fail(FindKey(map_, "data_parallel")->location(), kWhy,
                  "leave out 'compress' of 'cluster', or write 'data_parallel: ps'");
    return true;
  }

  bool ReadParameters() {
    const bool has_ps = context_.cluster.HasJob("ps");
    spec_.parameters = has_ps && !IsByAllreduce() ? TrainSpec::Parameters::kPs : TrainSpec::Parameters::kByCost;
    const std::optional<Yaml> value = FindKey(map_, "parameters");
    if (!value) return true;
    if (!ReadChoice(*value, "parameters", spec_.parameters)) return false;
    if (spec_.parameters == TrainSpec::Parameters::kPs && IsByAllreduce())
      return Fail(value->location(), "with 'data_parallel: allreduce' variables are where replicas are computed, not ",
                  "on job 'ps': leave out 'parameters', or write 'data_parallel: ps'");
    if (spec_.parameters == TrainSpec::Parameters::kPs && !has_ps)
      return Fail(value->location(), "the cluster has no job 'ps': write cluster: {jobs: {ps: 1, worker: rest}}");
    return true;
  }

  bool ReadOnNan() {
    const std::optional<Yaml> value = FindKey(map_, "on_nan");
    if (!value) return true;
    return value->is_map() ? ReadMostSkipped(*value) : ReadChoice(*value, "on_nan", spec_.on_nan);
  }

  bool ReadMostSkipped(const Yaml& map) {
    const std::vector<KeyDef>& keys = Key("on_nan").keys;
    if (!CheckKeys(map, keys, "'on_nan'", diagnostics_)) return false;
    if (!FindKey(map, "skip"))
      return Fail(map.location(), "'on_nan' as a mapping says after how many steps the job ends: {skip: 50}");
    spec_.on_nan = TrainSpec::OnNan::kSkip;
    return ReadKey(map, keys, "skip", context_.reader, spec_.most_skipped);
  }

  bool ReadStop() {
    const std::optional<Yaml> map = FindKey(map_, "stop");
    if (!map) return true;
    const std::vector<KeyDef>& keys = Key("stop").keys;
    if (!CheckKeys(*map, keys, "'stop'", diagnostics_)) return false;
    std::optional<GoalSpec> goal = ReadGoal(*map, context_);
    if (!goal) return false;
    StopSpec& stop = spec_.stop.emplace();
    stop.goal = *std::move(goal);
    stop.location = map->location();
    if (!FindKey(*map, "patience"))
      return Fail(map->location(), "'stop' lacks 'patience', how many evaluations may pass without a better one");
    const std::optional<Yaml> epochs = FindKey(*map, "after_epochs");
    if (epochs && FindKey(*map, "after_steps"))
      return Fail(map->location(), "'stop' takes one of 'after_steps' and 'after_epochs', not both");
    const auto number = [&](std::string_view key, auto& out) { return ReadKey(*map, keys, key, context_.reader, out); };
    if (!number("patience", stop.patience) || !number("after_steps", stop.after_steps)) return false;
    if (!number("min_delta", stop.min_delta)) return false;
    if (stop.min_delta < 0) return Fail(FindKey(*map, "min_delta")->location(), "'min_delta' is at least 0");
    double count = 0;
    return !epochs || (number("after_epochs", count) && ReadEpochs(*epochs, "after_epochs", count, stop.after_steps));
  }

  // The steps of so many epochs.
  bool ReadEpochs(const Yaml& value, std::string_view key, double epochs, int64_t& steps) {
    if (spec_.input < 0)
      return Fail(value.location(), "the loss reads no input that epochs could count: write '",
                  key == "epochs" ? "steps" : "after_steps", "'");
    const InputSpec& input = context_.inputs[spec_.input];
    const double needed = StepsOf(epochs * static_cast<double>(input.num_samples), static_cast<double>(input.batch));
    constexpr double kMaxSteps = 1e15;
    if (needed > kMaxSteps) return Fail(value.location(), "too many epochs");
    steps = static_cast<int64_t>(needed);
    return true;
  }

  // The variables that the patterns choose are marked when all of them are known (load.cc).
  bool ReadFreeze() {
    const std::optional<Yaml> value = FindKey(map_, "freeze");
    if (!value) return true;
    const std::optional<std::vector<LocatedPattern>> patterns = ReadNamePatterns(*value, "'freeze'", context_.reader);
    if (!patterns) return false;
    for (const LocatedPattern& located : *patterns) spec_.freeze.push_back(located.pattern.text());
    if (!diagnostics_.ok()) return true;  // variables may be missing for other reasons, which have been reported
    MatchNames(*patterns, NamesOfVariables(context_), "variable of the graph", diagnostics_);
    return diagnostics_.ok();
  }

  bool ReadRecompute() {
    const std::optional<Yaml> value = FindKey(map_, "recompute");
    if (!value || context_.reader.Is(*value, "none")) return true;
    spec_.recompute = TrainSpec::Recompute::kAuto;
    if (context_.reader.Is(*value, "auto")) return true;
    spec_.recompute = TrainSpec::Recompute::kNamed;
    const auto patterns = ReadNamePatterns(*value, "'recompute' (none, auto or names of nodes)", context_.reader);
    if (!patterns) return false;
    for (const LocatedPattern& located : *patterns) spec_.recomputed.push_back(located.pattern.text());
    if (!diagnostics_.ok()) return true;  // nodes may be missing for other reasons, which have been reported
    std::vector<std::string> names;
    for (const Node& node : context_.graph.nodes()) names.push_back(node.name);
    MatchNames(*patterns, names, "node of the graph", diagnostics_);
    return diagnostics_.ok();
  }

  bool ReadLength() {
    const std::optional<Yaml> epochs = FindKey(map_, "epochs");
    const std::optional<Yaml> steps = FindKey(map_, "steps");
    if (epochs.has_value() == steps.has_value())
      return Fail(spec_.location, "'train' needs one of 'epochs' and 'steps'", epochs ? ", not both" : "");
    if (steps) return ReadNumber("steps", spec_.steps);
    double count = 0;
    return ReadNumber("epochs", count) && ReadEpochs(*epochs, "epochs", count, spec_.steps);
  }

  // The number of batches with so many samples. A quotient that is above a whole number by rounding alone counts as
  // that number.
  static double StepsOf(double samples, double batch) {
    const double steps = samples / batch;
    const double nearest = std::round(steps);
    constexpr double kRounding = 1e-12;
    return std::max(1.0, std::abs(steps - nearest) <= kRounding * nearest ? nearest : std::ceil(steps));
  }

  bool CheckAlternatives() {
    bool good = true;
    for (const auto check :
         {Optimizers().Find(spec_.optimizer.name())->check, Strategies().Find(spec_.strategy.name())->check}) {
      if (check != nullptr) good = check(spec_, read_, diagnostics_) && good;
    }
    return good;
  }

  const Yaml& map_;
  const SectionContext& context_;
  Diagnostics& diagnostics_;
  TrainSpec spec_;
  std::vector<const InputSpec*> read_;
};

void ReadTrain(const Yaml& section, SourceLocation location, const SectionContext& context, JobSpec& job) {
  job.train = TrainReader(section, location, context).Read();
  const std::optional<Yaml> deterministic = job.train ? FindKey(section, "deterministic") : std::nullopt;
  if (!deterministic) return;
  job.arithmetic.deterministic = context.reader.Bool(*deterministic, "'deterministic'").value_or(true);
}

std::vector<KeyDef> StopKeys() {
  std::vector<KeyDef> keys = GoalKeys();
  keys.push_back({.name = "patience", .kind = KeyKind::kInt, .required = true, .minimum = 1});
  keys.push_back({.name = "min_delta", .kind = KeyKind::kNumber, .default_text = "0"});
  keys.push_back({.name = "after_epochs", .kind = KeyKind::kPositive});
  keys.push_back({.name = "after_steps", .kind = KeyKind::kInt, .minimum = 0});
  return keys;
}

// Buckets are those of gradients that tasks reduce together.
bool IsByAllreduce(const Yaml& train, const ValueReader& reader) {
  const std::optional<Yaml> value = FindKey(train, "data_parallel");
  return value && reader.Is(*value, "allreduce");
}

// The choices of `parameters`, `data_parallel` and `on_nan` are in the order of TrainSpec's enums.
SPEC_SECTION(SectionDef{
    .key = {.name = "train",
            .kind = KeyKind::kMapping,
            .keys = {{.name = "loss", .kind = KeyKind::kMetric, .required = true, .keys = QuotientKeys()},
                     {.name = "optimizer", .kind = KeyKind::kAlternative, .alternatives = &Optimizers},
                     {.name = "learning_rate", .kind = KeyKind::kSchedule, .required = true, .keys = ScheduleKeys()},
                     {.kind = KeyKind::kAlternativeKeys, .alternatives = &Optimizers},
                     {"clip_norm", KeyKind::kPositive},
                     {"freeze", KeyKind::kNames},
                     {.name = "recompute", .kind = KeyKind::kNames, .default_text = "none"},
                     {.name = "epochs", .kind = KeyKind::kPositive, .excludes = {"steps"}},
                     {.name = "steps", .kind = KeyKind::kInt, .minimum = 1, .excludes = {"epochs"}},
                     {.kind = KeyKind::kAlternativeKeys, .alternatives = &Strategies},
                     {.name = "log_every", .kind = KeyKind::kInt, .minimum = 1, .default_text = "10"},
                     {.name = "deterministic", .kind = KeyKind::kBool, .default_text = "true"},
                     {.name = "parameters", .kind = KeyKind::kChoice, .choices = {"ps", "spread"}},
                     {.name = "data_parallel",
                      .kind = KeyKind::kChoice,
                      .choices = {"ps", "allreduce"},
                      .default_text = "ps"},
                     {.name = "bucket_bytes",
                      .kind = KeyKind::kBytes,
                      .minimum = 0,
                      .default_text = "1MiB",
                      .has_default = &IsByAllreduce},
                     {.name = "on_nan",
                      .kind = KeyKind::kChoice,
                      .choices = {"stop", "skip", "warn"},
                      .keys = {{.name = "skip", .kind = KeyKind::kInt, .required = true, .minimum = 1}},
                      .default_text = "stop"},
                     {.name = "stop", .kind = KeyKind::kMapping, .keys = StopKeys()},
                     {.name = "strategy", .kind = KeyKind::kAlternative, .alternatives = &Strategies}}},
    .order = 100,
    .form = SectionDef::Form::kTraining,
    .read = &ReadTrain});

}  // namespace

bool MayBeScalar(const Graph& graph, Output output) {
  const PartialShape& shape = graph.shape(output);
  return !shape.known_rank() || shape.rank() == 0;
}

}  // namespace dfrun
