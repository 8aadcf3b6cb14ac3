#include <algorithm>
#include <cmath>
#include <vector>

#include "src/graph/upstream.h"
#include "src/spec/section.h"

namespace dfrun {
namespace {

// Reads `train:`; a function that fails has reported why.
class TrainReader {
 public:
  TrainReader(const Yaml& map, SourcePlace place, const SectionContext& context)
      : map_(map), context_(context), diagnostics_(context.reader.diagnostics()) {
    spec_.place = place;
  }

  std::optional<TrainSpec> Read() {
    if (!CheckKeys(map_,
                   {"loss", "optimizer", "learning_rate", "momentum", "nesterov", "beta1", "beta2", "epsilon",
                    "clip_norm", "epochs", "steps", "replicas", "log_every", "parameters", "on_nan"},
                   "the section 'train'", diagnostics_))
      return {};
    bool good = ReadLoss();
    good = ReadOptimizer() && good;
    good = ReadLearningRate() && good;
    good = ReadCounts() && good;
    good = ReadParameters() && good;
    good = ReadOnNan() && good;
    if (!good || !ReadLength() || !CheckReplicas()) return {};
    return spec_;
  }

 private:
  template <class... Args>
  bool Fail(SourcePlace place, const Args&... args) {
    diagnostics_.Error(place, args...);
    return false;
  }

  bool ReadLoss() {
    const std::optional<Yaml> loss = FindKey(map_, "loss");
    if (!loss) return Fail(spec_.place, "'train' lacks 'loss', the name of a scalar of the graph");
    if (!loss->is_scalar()) return Fail(loss->place(), "'loss' must be a name, not ", loss->Describe());
    const std::optional<Output> output = context_.lowering.Find(*loss);
    if (!output) return false;
    spec_.loss = *output;
    spec_.loss_place = loss->place();
    const Graph& graph = context_.graph;
    if (IsFloating(graph.dtype(*output)) && MayBeScalar(graph, *output)) {
      FindInputs();
      return true;
    }
    return Fail(loss->place(), "the loss must be a floating-point scalar, but '", loss->text(), "' is ",
                graph.dtype(*output), graph.shape(*output));
  }

  // Finds the inputs that the loss depends on.
  void FindInputs() {
    Upstream walk(context_.graph);
    walk.Add(spec_.loss.node);
    while (const Node* node = walk.Next()) {
      for (Output input : node->inputs) walk.Add(input.node);
    }
    for (size_t i = 0; i < context_.inputs.size(); ++i) {
      if (!walk.added()[context_.inputs[i].read]) continue;
      read_.push_back(&context_.inputs[i]);
      if (spec_.input < 0) spec_.input = static_cast<int>(i);
    }
  }

  bool ReadOptimizer() {
    using Kind = OptimizerSpec::Kind;
    OptimizerSpec& o = spec_.optimizer;
    if (const std::optional<Yaml> name = FindKey(map_, "optimizer")) {
      const std::optional<int> kind = context_.reader.Choice(*name, "'optimizer'", {"sgd", "momentum", "adam"});
      if (!kind) return false;
      o.kind = static_cast<Kind>(*kind);
    }
    if (const std::optional<Yaml> nesterov = OptimizerKey("nesterov", Kind::kMomentum)) {
      const std::optional<bool> is_on = context_.reader.Bool(*nesterov, "'nesterov'");
      if (!is_on) return false;
      o.nesterov = *is_on;
    }
    return ReadRate("momentum", Kind::kMomentum, o.momentum) && ReadRate("beta1", Kind::kAdam, o.beta1) &&
           ReadRate("beta2", Kind::kAdam, o.beta2) && ReadEpsilon() && keys_fit_;
  }

  // A key of one optimizer.
  std::optional<Yaml> OptimizerKey(std::string_view key, OptimizerSpec::Kind kind) {
    const std::optional<Yaml> value = FindKey(map_, key);
    if (!value || spec_.optimizer.kind == kind) return value;
    constexpr std::string_view kNames[] = {"sgd", "momentum", "adam"};
    keys_fit_ = Fail(value->place(), "'", key, "' is a key of optimizer '", kNames[static_cast<int>(kind)],
                     "', but this is '", kNames[static_cast<int>(spec_.optimizer.kind)], "'");
    return {};
  }

  bool ReadRate(std::string_view key, OptimizerSpec::Kind kind, double& out) {
    const std::optional<Yaml> value = OptimizerKey(key, kind);
    if (!value) return true;
    const std::optional<double> number = context_.reader.Number(*value, StrCat("'", key, "'"));
    if (!number) return false;
    if (*number < 0 || *number >= 1) return Fail(value->place(), "'", key, "' must be in [0, 1)");
    out = *number;
    return true;
  }

  bool ReadEpsilon() {
    const std::optional<Yaml> value = OptimizerKey("epsilon", OptimizerSpec::Kind::kAdam);
    return !value || ReadPositive(*value, "epsilon", spec_.optimizer.epsilon);
  }

  bool ReadPositive(const Yaml& value, std::string_view key, double& out) {
    const std::optional<double> number = context_.reader.Number(value, StrCat("'", key, "'"));
    if (!number) return false;
    if (!(*number > 0)) return Fail(value.place(), "'", key, "' must be above 0");
    out = *number;
    return true;
  }

  bool ReadLearningRate() {
    const std::optional<Yaml> rate = FindKey(map_, "learning_rate");
    if (!rate) return Fail(spec_.place, "'train' lacks 'learning_rate'");
    std::optional<ScheduleSpec> schedule = ReadSchedule(*rate, context_.reader);
    if (!schedule) return false;
    spec_.learning_rate = *std::move(schedule);
    return true;
  }

  bool ReadCount(std::string_view key, int64_t& out) {
    const std::optional<Yaml> value = FindKey(map_, key);
    if (!value) return true;
    const std::optional<int64_t> number = context_.reader.Int(*value, StrCat("'", key, "'"), 1);
    if (number) out = *number;
    return number.has_value();
  }

  bool ReadCounts() {
    int64_t replicas = 1;
    bool good = ReadCount("replicas", replicas) && ReadCount("log_every", spec_.log_every);
    constexpr int64_t kMaxReplicas = 1 << 16;
    if (replicas > kMaxReplicas)
      good = Fail(FindKey(map_, "replicas")->place(), "more than ", kMaxReplicas, " replicas");
    spec_.replicas = static_cast<int>(std::min(replicas, kMaxReplicas));
    if (const std::optional<Yaml> clip = FindKey(map_, "clip_norm")) {
      double norm = 0;
      good = ReadPositive(*clip, "clip_norm", norm) && good;
      spec_.clip_norm = norm;
    }
    return good;
  }

  bool ReadParameters() {
    const bool has_ps = context_.cluster.HasJob("ps");
    spec_.parameters = has_ps ? TrainSpec::Parameters::kPs : TrainSpec::Parameters::kSpread;
    const std::optional<Yaml> value = FindKey(map_, "parameters");
    if (!value) return true;
    const std::optional<int> choice = context_.reader.Choice(*value, "'parameters'", {"ps", "spread"});
    if (!choice) return false;
    spec_.parameters = static_cast<TrainSpec::Parameters>(*choice);
    if (*choice == 0 && !has_ps)
      return Fail(value->place(), "the cluster has no job 'ps': write cluster: {jobs: {ps: 1, worker: rest}}");
    return true;
  }

  bool ReadOnNan() {
    const std::optional<Yaml> value = FindKey(map_, "on_nan");
    if (!value) return true;
    const std::optional<int> choice = context_.reader.Choice(*value, "'on_nan'", {"stop", "skip", "warn"});
    if (choice) spec_.on_nan = static_cast<TrainSpec::OnNan>(*choice);
    return choice.has_value();
  }

  bool ReadLength() {
    const std::optional<Yaml> epochs = FindKey(map_, "epochs");
    const std::optional<Yaml> steps = FindKey(map_, "steps");
    if (epochs.has_value() == steps.has_value())
      return Fail(spec_.place, "'train' needs one of 'epochs' and 'steps'", epochs ? ", not both" : "");
    if (steps) return ReadCount("steps", spec_.steps);
    double count = 0;
    if (!ReadPositive(*epochs, "epochs", count)) return false;
    if (spec_.input < 0) return Fail(epochs->place(), "the loss reads no input that epochs could count: write 'steps'");
    const InputSpec& input = context_.inputs[spec_.input];
    const double needed = StepsOf(count * static_cast<double>(input.num_samples), static_cast<double>(input.batch));
    constexpr double kMostSteps = 1e15;
    if (needed > kMostSteps) return Fail(epochs->place(), "too many epochs");
    spec_.steps = static_cast<int64_t>(needed);
    return true;
  }

  // The number of batches with so many samples. A quotient that is above a whole number by rounding alone counts as
  // that number.
  static double StepsOf(double samples, double batch) {
    const double steps = samples / batch;
    const double nearest = std::round(steps);
    constexpr double kRounding = 1e-12;
    return std::max(1.0, std::abs(steps - nearest) <= kRounding * nearest ? nearest : std::ceil(steps));
  }

  bool CheckReplicas() {
    bool good = true;
    for (const InputSpec* input : read_) {
      if (input->all || input->batch % spec_.replicas == 0) continue;
      good = Fail(input->batch_place, "a batch of ", input->batch, " cannot be cut into equal slices for ",
                  spec_.replicas, " replicas");
    }
    return good;
  }

  const Yaml& map_;
  const SectionContext& context_;
  Diagnostics& diagnostics_;
  TrainSpec spec_;
  std::vector<const InputSpec*> read_;
  bool keys_fit_ = true;
};

}  // namespace

bool MayBeScalar(const Graph& graph, Output output) {
  const PartialShape& shape = graph.shape(output);
  return !shape.known_rank() || shape.rank() == 0;
}

std::optional<TrainSpec> ReadTrain(const Yaml& section, SourcePlace place, const SectionContext& context) {
  return TrainReader(section, place, context).Read();
}

}  // namespace dfrun
