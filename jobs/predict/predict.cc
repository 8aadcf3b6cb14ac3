// `dfrun predict SPEC`: computes a row for each sample on all ranks, and writes them to an HDF5 or CSV file.
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "jobs/command.h"
#include "jobs/eval/eval_request.h"
#include "jobs/eval/eval_variables.h"
#include "jobs/file_rules.h"
#include "jobs/model.h"
#include "jobs/output_file.h"
#include "jobs/predict/partial_file.h"
#include "jobs/predict/predict_inputs.h"
#include "jobs/predict/row_sinks.h"
#include "jobs/ranks/ranks.h"
#include "src/base/counted.h"
#include "src/base/crc32c.h"
#include "src/base/json/log_line.h"
#include "src/base/stop_request.h"
#include "src/base/text.h"
#include "src/graph/node_arithmetic.h"
#include "src/job/find_checkpoint.h"
#include "src/session/session.h"
#include "src/session/start_tasks.h"
#include "src/training/build_job_graph.h"
#include "src/training/prediction.h"
#include "src/training/variable_placement.h"

namespace dfrun::jobs {
namespace {

using Clock = std::chrono::steady_clock;

// Time for a step to end after a signal; its results are dropped.
constexpr int64_t kGraceS = 2;
// The least time between two notes of the rows that are done: a kill loses the work of so long. Notes wait for the
// disk; they take no more than one part in so many of the time.
constexpr std::chrono::milliseconds kNoteInterval(500);
constexpr int kNotePart = 20;
// Steps of a part that have begun and not ended: one is computed while the next one's samples are read.
constexpr size_t kStepsInFlight = 2;

struct PredictOptions {
  std::string spec;
  std::vector<std::string> sets;
  std::string restore;
  std::string evaluation;
  std::vector<std::string> fetches;
  GivenSamples samples;
  std::vector<std::string> assigns;
  std::vector<std::string> inits;
  std::string batch;
  std::string out;
  bool pads = false;
  bool resume = false;
  bool force = false;
  bool soft_placement = false;
  RankOptions ranks;
};

void Say(const std::string& text) {
  WriteLine(stderr, LogLevel::kInfo, "dfrun: ", text);
}

bool EndsIn(const std::string& path, std::string_view end) {
  return path.size() > end.size() && path.ends_with(end);
}

// Returns a text that changes with the files, without reading them.
std::string StampOf(const std::vector<std::string>& files) {
  std::string text;
  for (const std::string& file : files) {
    struct stat info = {};
    if (::stat(file.c_str(), &info) != 0) continue;
    text += StrCat(file, " ", info.st_size, " ", info.st_mtim.tv_sec, ".", info.st_mtim.tv_nsec, "\n");
  }
  return StrCat(files.size(), " files, crc32c ", Crc32c(text.data(), text.size()));
}

// Returns a text that changes with the values.
std::string DigestOf(const std::map<NodeId, Tensor>& values) {
  uint32_t crc = 0;
  for (const auto& [variable, value] : values) {
    if (IsPlain(value.dtype())) {
      crc = ExtendCrc32c(crc, value.raw(), value.num_bytes());
      continue;
    }
    for (const std::string& text : value.values<std::string>()) crc = ExtendCrc32c(crc, text.data(), text.size());
  }
  return StrCat(values.size(), " variables, crc32c ", crc);
}

// Runs the prediction of one command, on rank 0.
class Predictor {
 public:
  Predictor(const PredictOptions& options, Runtime& runtime) : options_(options), runtime_(runtime) {}

  Status Run() {
    DF_TRY(CheckOptions());
    DF_TRY(CheckOutput(CommandLineInputs()));
    ModelOptions wanted{options_.spec, options_.sets, {}, runtime_.size()};
    wanted.feeds = options_.samples.feeds;
    DF_ASSIGN(Model model, LoadRunnable(wanted));
    for (const std::string& line : model.mode_feeds) Say(line);
    DF_TRY(CheckOutput(FilesOf(model)));
    DF_TRY(ChooseOneEvaluation(options_.spec, options_.evaluation, model));
    DF_TRY(Resolve(model));
    SetSessionOptions(model);
    DF_TRY(AsSpecError(options_.spec, AssignTasks(session_options_.jobs, runtime_.size()).status()));
    DF_ASSIGN(const Cluster cluster, StartTasks(runtime_, session_options_));
    DF_TRY(Plan(model, cluster));
    if (partial_) return partial_->Leave(Compute(model));
    return Compute(model);
  }

 private:
  Status CheckOptions() const {
    if (!IsSpec(options_.spec)) {
      return Error(Code::kUsage, options_.spec, " is no spec (.yaml); `dfrun eval` fetches values of other graphs");
    }
    if (!is_csv() && !EndsIn(options_.out, ".h5") && !EndsIn(options_.out, ".hdf5")) {
      return Error(Code::kUsage, "--out ", options_.out, ": the name of the file must end in .h5, .hdf5 or .csv");
    }
    if (!options_.batch.empty() && options_.batch != "all" && ParseAs<int64_t>(options_.batch).value_or(0) < 1) {
      return Error(Code::kUsage, "--batch ", options_.batch, ": it is a number of samples, or `all`");
    }
    return CheckFetchNames(options_.fetches);
  }

  bool is_csv() const { return EndsIn(options_.out, ".csv"); }

  std::vector<std::string> CommandLineInputs() const {
    std::vector<std::string> inputs = FilesOfSamples(options_.samples);
    for (const std::string& text : options_.assigns) inputs.push_back(FileOfFeed(text));
    inputs.push_back(options_.spec);
    inputs.push_back(RunOfCheckpointName(options_.restore));
    return inputs;
  }

  // Checks that the output may be written, and that it is none of `inputs`, which later checks keep.
  Status CheckOutput(std::vector<std::string> inputs) {
    inputs_.insert(inputs_.end(), std::make_move_iterator(inputs.begin()), std::make_move_iterator(inputs.end()));
    target_ = {"--out", options_.out, options_.force, inputs_};
    return target_.Check();
  }

  Status Resolve(Model& model) {
    for (const std::string& name : options_.fetches) {
      std::vector<std::string>& names = request_.wanted.names;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    DF_ASSIGN(request_.wanted.fetches, ResolveFetches(model, request_.wanted.names));
    DF_ASSIGN(inits_, ResolveNodes(model.graph, "--init", options_.inits));
    DF_ASSIGN(request_.feeds, AddSamples(options_.samples, request_.wanted.fetches, model));
    if (!model.job->train) return Status();
    return WarnOfEffects(model, request_.feeds, {.fetches = request_.wanted.fetches, .asks_for_nodes = true});
  }

  void SetSessionOptions(const Model& model) {
    session_options_.jobs = model.tasks;
    session_options_.memory_limits = model.job->memory_limits;
    session_options_.soft_placement = options_.soft_placement || model.job->soft_placement;
    FileRules rules = RulesOfModel(options_.spec, options_.samples.allow_paths);
    AllowSets(options_.sets, rules);
    for (const std::string& file : FilesOfSamples(options_.samples)) AllowDirectoryOf(file, rules);
    for (const std::string& assign : options_.assigns) AllowDirectoryOfFeed(assign, rules);
    AllowDirectoryOf(RunOfCheckpointName(options_.restore), rules);
    // The parts write the temporary file, and nothing else.
    rules.write_roots = {PartialFile::PathFor(options_.out)};
    rules.may_replace = true;
    session_options_.files = rules;
  }

  // Chooses batches and ranks, and builds the graph.
  Status Plan(Model& model, const Cluster& cluster) {
    const Result<PredictionFacts> found = FindPredictionFacts(*model.job, request_, model.graph);
    DF_TRY(AsSpecError(options_.spec, found.status()));
    samples_ = found->samples;
    std::vector<std::string> workers = WorkerDevices(cluster);
    ChooseBatch(*found, cluster);
    if (found->changing >= 0 || found->bound >= 0) {
      if (runtime_.size() > 1) SayOneCopy(model, *found);
      workers.clear();
    }
    in_flight_ = found->changing >= 0 ? 1 : kStepsInFlight;
    may_resume_ = found->changing < 0;
    // A run may save a newer checkpoint meanwhile: the record names the one that the rows are computed with.
    if (!options_.restore.empty()) {
      DF_ASSIGN(checkpoint_, FindCheckpoint("--restore", options_.restore));
    }
    if (model.job->init_from && checkpoint_.empty() && inits_.empty()) DF_TRY(ReadFirstValues(model));
    DF_TRY(OpenPartial(model));
    const int64_t begin = partial_ ? partial_->done() : 0;
    const int64_t steps = (samples_ - begin + batch_ - 1) / batch_;
    if (workers.size() > static_cast<size_t>(std::max<int64_t>(steps, 1))) workers.resize(static_cast<size_t>(steps));
    Result<Prediction> prediction =
        AddPrediction(*model.job, request_, std::min(batch_, samples_), begin, workers, model.graph);
    DF_TRY(AsSpecError(options_.spec, prediction.status()));
    prediction_ = *std::move(prediction);
    for (const PredictionPart& part : prediction_.parts) DF_TRY(CheckFed(model, options_.spec, part.batch.signature));
    return CheckRows();
  }

  Status ReadFirstValues(const Model& model) {
    RunSignature fetches;
    fetches.fetches = request_.wanted.fetches;
    DF_ASSIGN(const std::vector<std::string> wanted, VariablesOf(model.graph, {&fetches}));
    DF_ASSIGN(first_values_, ReadInitFrom(model, wanted));
    return Status();
  }

  void SayOneCopy(const Model& model, const PredictionFacts& facts) const {
    const Node& node = model.graph.node(facts.changing >= 0 ? facts.changing : facts.bound);
    Say(facts.changing >= 0
            ? StrCat("'", node.name, "' (op ", node.op->name,
                     ") has a state of its own: all batches are computed in order by one copy of the model")
            : StrCat("'", node.name, "' is bound to ", node.device,
                     ": all batches are computed by one copy of the model"));
  }

  // A row that may depend on its batch is computed in batches that no option and no number of ranks changes.
  void ChooseBatch(const PredictionFacts& facts, const Cluster& cluster) {
    const auto has_own = [](const ClusterDevice& device) { return device.has_own_memory; };
    const auto gpu = std::find_if(cluster.devices.begin(), cluster.devices.end(), has_own);
    std::string why = facts.mixer;
    if (why.empty() && gpu != cluster.devices.end()) why = StrCat("what ", gpu->name.ToString(), " computes");
    if (why.empty() && facts.changing >= 0) why = "a node with a state of its own";
    fixed_batch_ = !why.empty();
    batch_ = facts.own_batch;
    if (!fixed_batch_ && options_.batch == "all") batch_ = facts.samples;
    if (!fixed_batch_ && !options_.batch.empty() && options_.batch != "all") {
      batch_ = *ParseAs<int64_t>(options_.batch);
    }
    batch_ = std::min(batch_, std::max<int64_t>(facts.samples, 1));
    if (!fixed_batch_) return;
    Say(StrCat("by ", why, " a row may depend on its batch, if only in its last bits: all are computed in batches of ",
               batch_, options_.batch.empty() ? "" : ", whatever --batch says"));
  }

  // Checks that each fetch has a row a sample, of a known size.
  Status CheckRows() const {
    for (const PredictedRows& fetch : prediction_.fetches) {
      const bool is_padded = options_.pads && fetch.rows != FetchRows::kOther && fetch.shape.known_rank();
      if (is_padded && !IsPlain(fetch.dtype) && !fetch.shape.IsFullyDefined()) {
        return Error(Code::kBadSpec, "--pad: the rows of '", fetch.name, "' are ", fetch.dtype, fetch.shape,
                     ", and only numbers are padded");
      }
      if (is_padded) continue;
      if (fetch.rows == FetchRows::kOther) {
        return Error(Code::kBadSpec, "--fetch ", fetch.name, ": it has no row for each sample; `dfrun eval --fetch ",
                     fetch.name, "` gives its values of the batches");
      }
      if (fetch.rows == FetchRows::kUnknown || !fetch.shape.IsFullyDefined()) {
        return Error(Code::kBadSpec, "--fetch ", fetch.name, ": the graph does not say the size of its rows, ",
                     fetch.shape, "; --pad has them padded to the largest");
      }
    }
    return Status();
  }

  // Whether the rows' sizes come out of the values.
  bool HasOpenRows() const {
    return std::any_of(prediction_.fetches.begin(), prediction_.fetches.end(), [](const PredictedRows& fetch) {
      return fetch.rows == FetchRows::kUnknown || !fetch.shape.IsFullyDefined();
    });
  }

  // Opens the temporary file where the rows that are done outlive the process.
  Status OpenPartial(const Model& model) {
    const bool has_strings = std::any_of(request_.wanted.fetches.begin(), request_.wanted.fetches.end(),
                                         [&](const Output& fetch) { return !IsPlain(model.graph.dtype(fetch)); });
    is_stored_ = has_strings && !is_csv();
    may_resume_ = may_resume_ && !is_stored_;
    if (options_.resume && !may_resume_) {
      Say(StrCat(is_stored_ ? "strings are written to an HDF5 file at the end alone"
                            : "a node with a state of its own cannot go on in the middle",
                 ": --resume begins with the first row"));
    }
    if (is_stored_) return Status();
    RowRecord record{.settings = {}, .rows = samples_};
    DF_ASSIGN(record.settings, Settings(model));
    const auto mode = options_.force                   ? PartialFile::Mode::kForce
                      : options_.resume && may_resume_ ? PartialFile::Mode::kResume
                                                       : PartialFile::Mode::kNew;
    DF_ASSIGN(PartialFile partial, PartialFile::Open(target_, mode, std::move(record)));
    partial_.emplace(std::move(partial));
    if (partial_->is_resumed()) Say(StrCat("going on behind row ", partial_->done(), " of ", samples_));
    return Status();
  }

  // Returns all that decides the bytes of the file.
  Result<std::vector<std::pair<std::string, std::string>>> Settings(const Model& model) const {
    std::string checkpoint = "none";
    if (!checkpoint_.empty()) {
      DF_ASSIGN(const FileDigest digest, DigestFile(checkpoint_ + "/manifest.json"));
      checkpoint = StrCat(checkpoint_, ", manifest crc32c ", digest.crc32c);
    }
    const std::string graph = ExportGraphDef(model.graph, GraphDefFormat::kBinary);
    std::vector<std::string> files;
    for (const InputSpec& input : model.job->inputs) {
      files.insert(files.end(), input.config.files.begin(), input.config.files.end());
    }
    for (const std::string& assign : options_.assigns) {
      if (std::string file = FileOfFeed(assign); !file.empty()) files.push_back(std::move(file));
    }
    return std::vector<std::pair<std::string, std::string>>{
        {"version of dfrun", DFRUN_VERSION},
        {"--fetch", Join(options_.fetches, " ")},
        {"set of feeds", Join(options_.samples.feeds, " ")},
        {"--evaluation", options_.evaluation},
        {"--assign", Join(options_.assigns, " ")},
        {"--init", Join(options_.inits, " ")},
        {"--pad", options_.pads ? "given" : "not given"},
        {"fixed batch", fixed_batch_ ? StrCat(batch_) : "none"},
        {"checkpoint", checkpoint},
        {"set of first values", DigestOf(first_values_)},
        {"set of input files", StampOf(files)},
        {"graph", StrCat("crc32c ", Crc32c(graph.data(), graph.size()))}};
  }

  Status Compute(Model& model) {
    DF_TRY(BeginSink(model));
    if (prediction_.begin < prediction_.samples) {
      DF_TRY(AddVariableSteps(model));
      SetArithmetic(model.job->arithmetic, model.graph);
      DF_ASSIGN(session_, Session::Create(runtime_, std::move(model.graph), session_options_));
      for (const FedStep& step : before_) DF_TRY(RunOnce(step));
      DF_TRY(RunBatches());
      DF_TRY(Sync());
      DF_TRY(session_->Close());
    }
    DF_TRY(sink_->Finish());
    Report();
    return Status();
  }

  Status BeginSink(Model& model) {
    const SinkRequest request{.fetches = prediction_.fetches,
                              .rows = samples_,
                              .target = target_,
                              .path = is_csv() ? PathsOf(model) : nullptr,
                              .pads = options_.pads};
    if (is_stored_) {
      sink_ = MakeStoredRows(request);
    } else if (options_.pads && HasOpenRows()) {
      sink_ = MakePaddedRows(request, *partial_, is_csv());
    } else {
      sink_ = is_csv() ? MakeCsvRows(request, *partial_) : MakePlacedRows(request, *partial_);
    }
    DF_TRY(sink_->Begin());
    const std::vector<RowsInFile> places = sink_->Places();
    if (places.empty()) return Status();
    DF_TRY(AddRowWriters(places, prediction_, model.graph));
    DF_ASSIGN(sync_, AddFileSyncs(partial_->path(), prediction_, model.graph));
    return Status();
  }

  // The paths of the samples, where each sample of the input that is read is a file.
  PathOfSample PathsOf(const Model& model) {
    PassRequest pass = RequestOf(*model.job, request_.feeds, request_.wanted);
    const Result<std::vector<size_t>> inputs = InputsOf(*model.job, model.graph, pass);
    if (!inputs.ok() || inputs->empty()) return nullptr;
    const InputSpec& input = model.job->inputs[inputs->front()];
    const SampleFormat* const format = SampleFormats::Find(input.format);
    const std::pair<std::string, std::string> path = {"path", "path"};
    const bool are_files = format != nullptr && std::find(format->default_fields.begin(), format->default_fields.end(),
                                                          path) != format->default_fields.end();
    if (!are_files) return nullptr;
    int64_t record = 0;
    auto left_out = input.record_index.left_out.begin();
    const auto end = input.record_index.left_out.end();
    auto paths = std::make_shared<std::vector<std::string>>();
    for (const RecordIndex::Piece& piece : input.record_index.pieces) {
      for (int64_t i = 0; i < piece.records; ++i, ++record) {
        if (left_out != end && *left_out == record) {
          ++left_out;
          continue;
        }
        paths->push_back(input.config.files[static_cast<size_t>(piece.file)]);
      }
    }
    return [paths](int64_t sample) -> std::string_view { return (*paths)[static_cast<size_t>(sample)]; };
  }

  // Adds the steps that give the variables their values: initial ones, saved ones, those of the command line.
  Status AddVariableSteps(Model& model) {
    std::vector<const RunSignature*> runs;
    for (const PredictionPart& part : prediction_.parts) {
      runs.push_back(&part.batch.signature);
      if (part.rest) runs.push_back(&part.rest->signature);
    }
    RunSignature spread = prediction_.spread;
    if (!spread.targets.empty()) runs.push_back(&spread);
    DF_ASSIGN(std::vector<std::string> wanted, VariablesOf(model.graph, runs));
    // The copies get their values from the variables themselves.
    for (const NodeId assign : spread.targets) {
      std::erase(wanted, model.graph.node(model.graph.node(assign).inputs[0].node).name);
    }
    DF_ASSIGN(const std::vector<Assignment> assigned,
              ReadAssignments(model.graph, options_.assigns, options_.samples.allow_paths));
    DF_ASSIGN(FedStep initial, AddInitialValues(model.graph, *model.job));
    before_.push_back(std::move(initial));
    FedStep first;
    for (auto& [variable, value] : first_values_) DF_TRY(AddAssigned(model.graph, variable, std::move(value), first));
    before_.push_back(std::move(first));
    for (const NodeId init : inits_) {
      FedStep step;
      step.signature.targets = {init};
      before_.push_back(std::move(step));
    }
    if (!checkpoint_.empty()) {
      DF_ASSIGN(FedStep saved, AddSavedValues(model, checkpoint_, runs, wanted, inits_.empty()));
      before_.push_back(std::move(saved));
    } else if (!wanted.empty() && assigned.empty() && inits_.empty() && !model.job->init_from) {
      Say("the variables have their initial values; --restore gives those of a checkpoint or of a run's newest one");
    }
    FedStep given;
    for (const Assignment& a : assigned) DF_TRY(AddAssigned(model.graph, a.variable, a.value, given));
    before_.push_back(std::move(given));
    FedStep copies;
    copies.signature = std::move(spread);
    before_.push_back(std::move(copies));
    return Status();
  }

  Status RunOnce(const FedStep& step) {
    if (step.signature.targets.empty()) return Status();
    DF_ASSIGN(const Session::Handle handle, Prepare(step.signature));
    DF_TRY(CheckStop());
    return session_->RunStep(handle, step.feeds, {});
  }

  Result<Session::Handle> Prepare(const RunSignature& signature) {
    Result<Session::Handle> handle = session_->Prepare(signature);
    DF_TRY(AsFileError(options_.spec, handle.status()));
    return handle;
  }

  // Returns the error of a signal. A job that noted rows goes on with them when it is started again.
  Status CheckStop() const {
    const int signal = runtime_.stop_signal();
    if (signal == 0) [[likely]]
      return Status();
    const bool saves = partial_ && may_resume_ && partial_->done() > 0;
    return Error(StopCode(signal, saves), "ended by ", SignalName(signal));
  }

  struct Started {
    int64_t first = 0;
    int64_t samples = 0;
    size_t fetches = 0;
    std::unique_ptr<PendingStep> pending;
  };

  Status RunBatches() {
    started_at_ = Clock::now();
    next_note_ = started_at_ + kNoteInterval;
    std::deque<Started> started;
    const Status status = RunAll(started);
    started.clear();
    if (status.ok() || status.code() != CheckStop().code()) return status;
    static_cast<void>(Note());  // the rows of steps that have ended are kept
    return CheckStop();
  }

  Status RunAll(std::deque<Started>& started) {
    const Prediction& p = prediction_;
    const auto parts = static_cast<int64_t>(p.parts.size());
    const int64_t full = (p.samples - p.begin) / p.batch;
    for (int64_t b = 0; b < full; ++b) {
      const int64_t part = b % parts;
      const PredictionPart& of = p.parts[static_cast<size_t>(part)];
      const int64_t position = p.begin + b / parts * parts * p.batch;
      DF_TRY(Start(of.batch, position, p.begin + b * p.batch, p.batch, started));
    }
    if (p.parts[0].rest) {
      const int64_t first = p.begin + full * p.batch;
      // Steps of two signatures are in no order.
      while (!started.empty()) DF_TRY(TakeFirst(started));
      DF_TRY(Start(*p.parts[0].rest, first, first, p.samples - first, started));
    }
    while (!started.empty()) DF_TRY(TakeFirst(started));
    return Status();
  }

  Status Start(const JobStep& step, int64_t position, int64_t first, int64_t samples, std::deque<Started>& started) {
    while (started.size() >= in_flight_ * prediction_.parts.size()) DF_TRY(TakeFirst(started));
    DF_ASSIGN(const Session::Handle handle, Prepare(step.signature));
    DF_TRY(CheckStop());
    const Tensor feeds[] = {Tensor::Scalar<int64_t>(position)};
    DF_ASSIGN(std::unique_ptr<PendingStep> pending, session_->StartStep(handle, feeds));
    started.push_back({first, samples, step.signature.fetches.size(), std::move(pending)});
    return Status();
  }

  // Waits for the step that began first.
  Status TakeFirst(std::deque<Started>& started) {
    Started first = std::move(started.front());
    started.pop_front();
    std::vector<Tensor> values(first.fetches);
    DF_TRY(first.pending->Wait(values));
    DF_TRY(sink_->Take(first.first, first.samples, values));
    done_ = first.first + first.samples;
    return Clock::now() < next_note_ ? Status() : Note();
  }

  Status Sync() {
    if (sync_.targets.empty()) return partial_ && !is_stored_ ? partial_->file().Sync() : Status();
    DF_ASSIGN(const Session::Handle handle, Prepare(sync_));
    return session_->RunStep(handle, {}, {});
  }

  // Notes the rows so far, which are on the disk then.
  Status Note() {
    if (!partial_ || !may_resume_ || done_ <= partial_->record().done) return Status();
    const Clock::time_point begin = Clock::now();
    DF_TRY(Sync());
    DF_TRY(partial_->Note(done_, sink_->bytes()));
    const Clock::time_point end = Clock::now();
    next_note_ = end + std::max<Clock::duration>(kNoteInterval, (end - begin) * kNotePart);
    return Status();
  }

  void Report() const {
    const double seconds = std::chrono::duration<double>(Clock::now() - started_at_).count();
    const auto text = [](const PredictedRows& fetch) { return StrCat(fetch.name, " ", fetch.dtype, fetch.shape); };
    const int64_t computed = prediction_.samples - prediction_.begin;
    std::string line = StrCat(options_.out, ": ", samples_, " rows of ", Join(prediction_.fetches, ", ", text));
    if (computed > 0 && seconds > 0) {
      line += StrCat(", ", std::llround(static_cast<double>(computed) / seconds), " a second on ",
                     Counted(static_cast<int64_t>(prediction_.parts.size()), "rank"));
    }
    WriteLine(stdout, LogLevel::kInfo, "", line);
  }

  const PredictOptions& options_;
  Runtime& runtime_;
  std::vector<std::string> inputs_;  // files and directories that the command reads
  OutputFile target_;
  PredictionRequest request_;
  std::vector<NodeId> inits_;
  std::string checkpoint_;                 // directory of the checkpoint that --restore names; empty: none
  std::map<NodeId, Tensor> first_values_;  // by `init_from`, where it decides
  SessionOptions session_options_;
  int64_t samples_ = 0;
  int64_t batch_ = 0;
  bool fixed_batch_ = false;
  size_t in_flight_ = 1;
  bool may_resume_ = true;  // a later command can go on behind the rows that are done
  bool is_stored_ = false;  // values are kept in memory until the end
  Prediction prediction_;
  std::optional<PartialFile> partial_;
  std::unique_ptr<RowSink> sink_;
  RunSignature sync_;            // brings the rows that the parts have written to the disk
  std::vector<FedStep> before_;  // steps that give variables their values
  std::unique_ptr<Session> session_;
  int64_t done_ = 0;  // rows [0, done_) have been taken
  Clock::time_point started_at_;
  Clock::time_point next_note_;
};

void AddModelOptions(Options& args, PredictOptions& options) {
  args.Value("spec", options.spec, "The spec of the model").Required();
  args.Values("--set", options.sets, kSetHelp);
  args.Value(
      "--restore", options.restore,
      "Give the variables their values in this checkpoint: RUN for the newest of a run directory, RUN@best, RUN@STEP");
  args.Value("--evaluation", options.evaluation, "The evaluation of the spec whose feeds hold, where it has several");
  args.Values("--fetch", options.fetches, "NAME[:port]: the values to write, which have a row for each sample")
      .Required();
  args.Values("--input", options.samples.files,
              "Read the samples from this file, by the keys of the input that --fetch depends on");
  args.Values("--feed", options.samples.feeds,
              "INPUT=INPUT: this input's samples; NAME=FILE.h5:/path: a row of this dataset for each sample; or "
              "NAME=0.5: this value");
  args.Values("--assign", options.assigns, "NAME=FILE.h5:/path or NAME=0.5: give this variable this value");
  args.Values("--init", options.inits, "Run this node once before the first step");
}

void AddRunOptions(Options& args, PredictOptions& options) {
  args.Value("--out", options.out, "FILE.h5 or FILE.csv for the rows").Required();
  args.Value("--batch", options.batch,
             "Samples of a batch, or `all`; default: the input's `batch`, at most 1024 of all");
  args.Flag("--pad", options.pads, "Pad rows whose sizes differ with zeros to the largest; else they are an error");
  args.Flag("--resume", options.resume, "Go on behind the rows that an earlier command has left in OUT.partial");
  args.Flag("--force", options.force,
            "Begin anew, and let --out replace a file that dfrun did not write, and OUT.partial");
  args.Flag("--soft-placement", options.soft_placement,
            "Nodes whose device is not there go where they may; else that is an error");
  AddAllowPaths(args, options.samples.allow_paths);
  DeclareRankOptions(args, options.ranks);
  DeclareStall(args, options.ranks);
  DeclareLogJson(args, options.ranks);
}

RunCommand SetupPredict(Options& args) {
  auto options = std::make_shared<PredictOptions>();
  options->ranks.grace_s = kGraceS;
  AddModelOptions(args, *options);
  AddRunOptions(args, *options);
  return [options]() -> Result<int> {
    return RunMasterOrWorker(options->ranks, [&](Runtime& runtime) { return Predictor(*options, runtime).Run(); });
  };
}

COMMAND("predict", "Computes a row for each sample, and writes them to a file.",
        "dfrun predict spec.yaml --restore run --fetch logits --out logits.h5", SetupPredict);

}  // namespace
}  // namespace dfrun::jobs
