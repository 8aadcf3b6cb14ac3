// The content of a spec, typed and checked, but for the graph, which is beside it in LoadedSpec.
//
// Every SourceLocation is the position of a value in LoadedSpec::graph.files(); that of a default has the file -1.
// Names of nodes are resolved: an Output is one of LoadedSpec::graph.
// docs/spec.md is the language; load.h makes these.
#ifndef DFRUN_SRC_SPEC_JOB_SPEC_H_
#define DFRUN_SRC_SPEC_JOB_SPEC_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/framework/device/device_report.h"
#include "src/framework/device/memory_limit.h"
#include "src/framework/op/arithmetic.h"
#include "src/framework/values/shape.h"
#include "src/graph/graph.h"
#include "src/graph/wire_compression.h"
#include "src/spec/schedule.h"
#include "src/spec/schema/alternative.h"
#include "src/storage/sample_source.h"

namespace dfrun {

// An entry of cluster.jobs, in the spec's order. Without the section there is one job "worker" of kRest.
struct JobSize {
  static constexpr int kRest = -1;  // the ranks that the other jobs leave; at most one job has it
  std::string job;
  int tasks = kRest;
  SourceLocation location;
};

// A tensor of an input section.
struct InputTensor {
  std::string name;   // "image"
  SampleField field;  // dtype and shape in a sample; unknown sizes are padded to the batch's largest
  Output value;       // the Identity node "<section>/<name>", [batch, sample's shape...]
  SourceLocation location;
};

// A section of `inputs:`. Its nodes: the variable "<name>/position" (int64 scalar, samples consumed since the start of
// training; in LoadedSpec::variables), the HDF5Reader or SampleReader "<name>/read", and an Identity per tensor. One
// that goes `with` another has batch, order and position of that one: equal positions are one variable.
// The graph holds the whole batch: the reader's attrs are slice 0 of slices 1.
struct InputSpec {
  std::string name;
  std::string format;   // a name of SampleFormats
  SampleConfig config;  // with the files that exist, by paths that this process can open
  std::vector<InputTensor> tensors;
  int64_t num_samples = 0;
  int64_t batch = 0;               // samples a step over all replicas; num_samples for `all`
  bool all = false;                // `batch: all`: the whole set every step
  std::optional<bool> split = {};  // for `all`: whether replicas get a slice each, as with other batches
  bool shuffle = false;
  int64_t shuffle_buffer = 0;  // samples; 0: all
  int64_t readers = 1;         // threads on each device
  int64_t prefetch = 2;        // batches
  RecordIndex record_index;    // index of the files' records
  bool skips_errors = false;
  std::string with = {};  // the input whose rows belong to these; "none": no other's do, whatever it looks like
  SourceLocation with_location = {};
  NodeId position = -1;
  NodeId read = -1;
  SourceLocation location;
  SourceLocation batch_location;

  static constexpr const char* kNoOther = "none";
  bool follows() const { return !with.empty() && with != kNoOther; }
  // Whether each replica reads a slice of its own.
  bool is_sliced() const { return !all || split.value_or(false); }
};

// A variable of the graph: VariableV2, a ref of its dtype.
struct VariableSpec {
  // The result of the replicas' assignments in a step: the mean of their values, the sum of their changes, or the value
  // of the first replica. kUnsaid: the replicas assign the variable itself, in any order.
  enum class Reduce { kUnsaid, kMean, kSum, kFirst };

  NodeId node = -1;
  Output init;  // the first value; depends on no placeholder and no other variable
  bool trainable = true;
  bool finite = true;  // a value that is not finite is an error when the variable is saved
  Reduce reduce = Reduce::kUnsaid;
  bool frozen = false;  // `freeze` of `train` names it

  // Whether the optimizer changes it: it has a gradient, slots and an update where the loss depends on it.
  bool is_trained() const { return trainable && !frozen; }
};

// The readers of `target` read `value` instead. Shapes agree except for unknown sizes and, between inputs, the batch.
struct FeedSpec {
  Output target;
  Output value;
  SourceLocation location;
};

// An output and the name under which its value is reported.
struct FetchSpec {
  std::string name;
  Output output;
  SourceLocation location;
};

// A value of an evaluation, and the name under which it is reported: that of `value`, or the quotient of two numbers
// that are summed over all samples first.
struct MetricSpec {
  std::string name;
  Output value;
  Output over = {};  // the divisor; not valid: there is none
  SourceLocation location;
};

// The metric of an evaluation by which values of variables are compared.
struct GoalSpec {
  std::string metric;  // its name in metrics.jsonl: "eval/accuracy"
  bool is_max = false;
  SourceLocation location;
};

// The end of a training that no longer gets better.
struct StopSpec {
  GoalSpec goal;
  int64_t patience = 1;     // evaluations behind each other that are not better than the best before them
  double min_delta = 0;     // by which a better one exceeds it
  int64_t after_steps = 0;  // evaluations of earlier steps are not counted
  SourceLocation location;
};

struct TrainSpec {
  // kPs: parameters on the tasks of job `ps`; kSpread: over all tasks of `worker`; kByCost: over those of them that
  // compute replicas, and over others where that pays (variable_placement.h), which cannot be written in a spec.
  // Default: kPs if there is a job `ps`, else kByCost.
  enum class Parameters { kPs, kSpread, kByCost };
  // kPs: each variable is on one task, which sends it to the replicas and updates it. kAllreduce: each task that
  // computes replicas has a copy of each trainable variable, and updates it by gradients that the tasks reduce
  // together.
  enum class DataParallel { kPs, kAllreduce };
  // The effect of a loss, or of a gradient, that is not finite: the job ends, the step makes no updates, or the updates
  // are made all the same. kUnchecked cannot be written in a spec: no node checks them.
  enum class OnNan { kStop, kSkip, kWarn, kUnchecked };
  // The values that gradients read and that the step computes a second time instead of keeping them. kAuto: by costs.
  enum class Recompute { kNone, kAuto, kNamed };

  Output loss;            // a floating-point scalar
  Output loss_over = {};  // valid: the loss is the sum of `loss` over all replicas, divided by the sum of this scalar
  SourceLocation loss_location;
  Alternative optimizer;  // chosen from Optimizers(), src/spec/schema/alternatives.h
  Alternative strategy;   // chosen from Strategies()
  ScheduleSpec learning_rate;
  int64_t steps = 0;                // in all; for `epochs`, as many as use the samples of `input` so often
  std::optional<double> clip_norm;  // global norm of all gradients, > 0
  int64_t log_every = 10;           // steps
  Parameters parameters = Parameters::kByCost;
  DataParallel data_parallel = DataParallel::kPs;
  int64_t bucket_bytes = int64_t{1} << 20;  // kAllreduce: smaller gradients are reduced together; 0: none are
  OnNan on_nan = OnNan::kStop;
  int64_t most_skipped = 50;             // kSkip: steps behind each other without updates, after which the job ends
  std::vector<std::string> freeze = {};  // patterns of names (src/base/name_pattern.h); see VariableSpec::frozen
  Recompute recompute = Recompute::kNone;
  std::vector<std::string> recomputed = {};  // kNamed: patterns of names of nodes
  int input = -1;  // index into JobSpec::inputs: the first that the loss reads; -1: it reads none
  std::optional<StopSpec> stop;
  SourceLocation location;
  std::map<std::string, SourceLocation, std::less<>> values = {};  // positions of the section's values, by key

  // The position of the value of a key; that of the section where the spec does not have the key.
  SourceLocation LocationOf(std::string_view key) const {
    const auto value = values.find(key);
    return value == values.end() ? location : value->second;
  }
};

struct RunSpec {
  int64_t steps = 1;
  std::vector<FeedSpec> feeds;  // values are computed anew in each step
  std::vector<FetchSpec> fetches;
  std::vector<NodeId> targets;      // nodes that each step runs for their effect
  std::string save = "fetches.h5";  // the file of the run directory for the results of the last step
  int steps_in_flight = 1;          // at most: those that are asked for before the first of them has ended
  SourceLocation location;
};

struct EvalSpec {
  std::string name = "eval";        // metrics are reported as "<name>/<metric>"
  int64_t every = 0;                // steps; 0: at the end only
  std::vector<FeedSpec> feeds;      // `{batch: test}` is one feed a tensor
  std::vector<MetricSpec> metrics;  // scalars
  int steps_in_flight = 1;          // steps of one evaluation, see RunSpec::steps_in_flight
  SourceLocation location;
};

// The checkpoints that are kept for a metric.
struct BestSpec {
  GoalSpec goal;
  int keep = 1;  // number of them
};

struct CheckpointSpec {
  int64_t every = 0;  // steps; 0: at the end only
  int keep = 5;       // newest ones; 0: all
  std::optional<BestSpec> best;
  bool tensorflow = false;  // whether they have the files by which TensorFlow reads them
  SourceLocation location;
};

// Values that variables begin with in the stead of their `init`, from a checkpoint or a file of another program.
struct InitFromSpec {
  enum class Choice { kTaken, kExcluded, kNew };  // kExcluded: by `only` or `except`; kNew: by `new`
  // Patterns of names (src/base/name_pattern.h) with equal numbers of stars: those in the file, and the variables'.
  struct Rename {
    std::string there;
    std::string here;
    SourceLocation location;
  };

  std::string name;      // the run, checkpoint or file, as a path that this process can open, with an '@' perhaps
  std::string as_given;  // the text of the spec
  std::vector<Choice> choices;  // by JobSpec::variables; positions of inputs are kExcluded
  std::vector<Rename> renames;
  SourceLocation location;
};

// A precision-recall curve of a summary.
struct PrCurveSpec {
  std::string name;
  Output labels;       // bool, or a number that is 0 or 1
  Output predictions;  // floating-point, from 0 to 1, as many as labels
  SourceLocation location;
};

// A variable whose rows a projector shows at the end.
struct EmbeddingSpec {
  std::string name;
  size_t variable = 0;  // index in JobSpec::variables; its rank is 2
  std::string labels;   // file with a line a row, as a path that this process can open; empty: none
  SourceLocation location;
};

// Values to look at, beside the loss and the metrics. Scalars are reported in each logged step, the others in steps of
// their own.
struct SummariesSpec {
  int64_t every = 1000;            // steps between those of the values that are not scalars
  std::vector<FetchSpec> scalars;  // values of the training steps
  bool gradient_norm = false;      // a scalar too: the global norm of all gradients
  std::vector<size_t> weights;     // indices in JobSpec::variables of those whose histograms are made
  std::vector<size_t> gradients;   // indices of trained variables, of whose gradients they are made
  std::vector<FetchSpec> values;   // histograms of any numbers
  std::vector<FetchSpec> images;   // [batch, height, width, 1, 3 or 4]
  std::vector<FetchSpec> audio;    // [batch, frames, channels] from -1 to 1
  std::vector<FetchSpec> text;     // strings of any shape
  std::vector<PrCurveSpec> pr_curves;
  std::vector<EmbeddingSpec> embeddings;
  int64_t sample_rate = 44100;  // frames of audio a second, Hz
  SourceLocation location;

  // The outputs that steps with summaries read, those of scalars among them.
  std::vector<Output> Outputs() const {
    std::vector<Output> outputs;
    for (const auto* list : {&scalars, &values, &images, &audio, &text}) {
      for (const FetchSpec& fetch : *list) outputs.push_back(fetch.output);
    }
    for (const PrCurveSpec& curve : pr_curves) outputs.insert(outputs.end(), {curve.labels, curve.predictions});
    return outputs;
  }
};

// How nodes get their devices, where the spec does not say.
struct PlacementSpec {
  enum class Kind { kRules, kSimulated };
  Kind kind = Kind::kRules;
  std::string file;       // a file of devices (src/graph/placement_file.h), which counts before `kind`; "": none
  std::string cost_file;  // the speeds of the machine, for kSimulated; "": assumed
  std::string profile;    // a run whose traced times count before these; "": none
  int64_t moves = 2000;   // the simulation tries so many changes of a placement, for kSimulated
  SourceLocation location = {};
};

struct JobSpec {
  std::string path;  // path of the spec, as given
  std::string name;  // default: the file's name without its ending
  // The params of the spec's own file and those that the command line sets: names and texts.
  std::vector<std::pair<std::string, std::string>> params;
  int64_t seed = 0;
  std::vector<JobSize> jobs;
  DeviceCounts device_counts;                            // from cluster: by type, where it counts them
  MemoryLimits memory_limits;                            // from cluster: by type, for each device and rank
  WireCompression compression = WireCompression::kNone;  // from cluster: for edges whose source does not say
  bool soft_placement = false;                           // from cluster: whether the devices that nodes name are wishes
  PlacementSpec placement;
  Arithmetic arithmetic;  // from precision and train
  std::vector<InputSpec> inputs;
  std::vector<VariableSpec> variables;  // all variables of the graph, in its order
  std::optional<TrainSpec> train;       // not both of train and run
  std::optional<RunSpec> run;
  std::vector<EvalSpec> evals;               // only with train; their names differ
  std::optional<CheckpointSpec> checkpoint;  // absent: none is written
  std::optional<InitFromSpec> init_from;     // absent: each variable begins with its `init`
  SummariesSpec summaries;
  bool events = true;                 // whether a run directory has event files
  bool fingerprint = true;            // whether logged steps have a fingerprint of the variables
  int64_t trace_steps = 0;            // steps to trace; 0: none
  std::vector<std::string> warnings;  // warnings about its text, each with its location: Diagnostics::Warnings()
};

// A spec, with the form of its model that its steps run: that of training where it has `train:`, else that of
// evaluation.
struct LoadedSpec {
  JobSpec job;
  Graph graph;
  // The values, in order, of entries of the graph that are not one node of that name: conditionals, loops and calls
  // with several values.
  std::map<std::string, std::vector<Output>, std::less<>> values = {};
  bool training = false;  // the mode that the graph is for
  // The form of the model for the other mode; null: the graph is that of both. Variables and inputs have the same names
  // in both, `job` has their ids in its own graph. It has no other form itself.
  std::shared_ptr<const LoadedSpec> other = {};
  // Errors in the sections of the job that are about the other form (SectionDef::form): those name what is not here.
  Status sections = {};
  // A line for each feed, of evaluations or of `run:`, that has the place of a constant of the mode.
  std::vector<std::string> mode_feeds = {};
  std::vector<std::string> files = {};  // the spec's own, and those that it includes
  std::string printed = {};             // PrintSpec(), where it is asked for

  // The form for a mode.
  const LoadedSpec& form(bool for_training) const {
    return other != nullptr && other->training == for_training ? *other : *this;
  }
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_JOB_SPEC_H_
