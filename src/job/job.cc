#include "src/job/job.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <memory>
#include <utility>

#include "src/base/file.h"
#include "src/base/text.h"
#include "src/checkpoint/store.h"
#include "src/checkpoint/tensorflow_files.h"
#include "src/job/backup_runs.h"
#include "src/job/capture_writer.h"
#include "src/job/evaluation_progress.h"
#include "src/job/fetched_file.h"
#include "src/job/finite_watch.h"
#include "src/job/first_values.h"
#include "src/job/idle_ranks.h"
#include "src/job/input_samples.h"
#include "src/job/job_evaluations.h"
#include "src/job/job_intervals.h"
#include "src/job/job_output.h"
#include "src/job/numerics_finding.h"
#include "src/job/place_job.h"
#include "src/job/resume_point.h"
#include "src/job/returned_rows.h"
#include "src/job/rule_change.h"
#include "src/job/run_directory.h"
#include "src/job/run_record.h"
#include "src/job/share_runs.h"
#include "src/job/start_report.h"
#include "src/job/step_devices.h"
#include "src/job/step_metrics.h"
#include "src/job/write_shards.h"
#include "src/job/zero_rate_watch.h"
#include "src/partition/partition.h"
#include "src/session/grace_period_watchdog.h"
#include "src/session/session.h"
#include "src/session/start_tasks.h"
#include "src/spec/replica_counts.h"
#include "src/storage/hdf5_library.h"
#include "src/training/build_job_graph.h"
#include "src/training/warnings/spec_warnings.h"

namespace dfrun {
namespace {

// The least time that a step gets after a signal.
constexpr double kMinGraceS = 1;

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

class Job {
 public:
  Job(Runtime& runtime, const LoadedSpec& spec, const JobOptions& options, std::vector<JobObserver*> observers)
      : runtime_(runtime), spec_(spec), options_(options), output_(spec, std::move(observers)), progress_(spec.job) {}

  Status Run();

 private:
  Status Prepare();
  Status Place(const Cluster& cluster);
  Status Start();
  void TellOtherSets() const;
  Status Resume();
  Status CheckFetchesThere() const;
  Status BeginWriting();
  void KeepShownGraph(const RunSignature& signature, const std::vector<Partition>& partitions);
  Status RunToEnd();
  Status RunSteps();
  Status EndEarly();
  Status CheckStop() const;
  bool is_stopping() const { return runtime_.stop_signal() != 0; }
  Status SaveTimed();
  void TellGuard() const;
  std::string Committed() const;
  Status WithAdvice(Status error) const;
  Status WithPlace(Status error);
  Status RunQuietly(int64_t steps);
  Status RunLogged(bool logs, bool summarizes);
  Status RunInFlight(int64_t stop);
  Status RunShares(int64_t stop);
  Status LogShares(const ShareLine& line, std::span<const Tensor> fingerprints = {});
  Result<std::vector<Tensor>> FingerprintsBetweenPeriods();
  void AddSkipped(NamedTensors& values) const;
  Status AfterStep();
  Status WriteTraceIfDue();
  Status Log();
  Status TellLogged(const NamedTensors& values, std::span<const Tensor> fingerprints, const ShareLine* line);
  Status TellSummaries();
  // Whether the step that ends as step `step` makes summaries.
  bool Summarizes(int64_t step) const { return summarized_ != nullptr && step % spec_.job.summaries.every == 0; }
  // Steps whose values are looked at go one after the other: the first finding is that of the first step.
  bool runs_in_flight() const {
    return spec_.job.run && spec_.job.run->steps_in_flight > 1 && !options_.check_numerics;
  }
  Status Step(Session::Handle handle, std::span<Tensor> fetches);
  // Whether replicas have variables of their own, which a step of the job brings together now and then.
  bool HasSyncs() const { return parts_.sync_every > 0; }
  Status SyncIfDue();
  Result<Tensor> ReadFindings();
  Status CheckReplicas();
  Status PrepareStep();
  DType RateDType() const;
  // The handles of a step: one, and one a replica that runs for itself.
  std::vector<Session::Handle> StepHandles() const;
  std::vector<std::string> DevicesUsed() const;
  Status EvaluateMissing();
  Status SaveBest();
  std::vector<std::string> MissingEvaluations() const;
  void TellMessage(const std::string& text) const { output_.TellMessage(text); }
  JobResults Results() const;
  Status BeginMetrics();
  Result<int64_t> ReturnedRows(bool usable = false);
  std::vector<WaitedTime> WaitedOf(RanksUse& use) const;
  Status Save();
  Status SaveAnew();
  Status WriteFetches();
  void TellStart(const Cluster& cluster) const;
  int64_t NextStop() const;
  Status BeginPeriod();
  Status EndPeriod();
  // Whether a resumed job has no steps left.
  bool NothingLeft() const { return saved_step_ >= 0 && is_done(); }
  bool is_done() const { return step_ >= intervals_.steps || progress_.is_stopped(); }
  std::string fetches_path() const { return StrCat(directory_->path(), "/", spec_.job.run->save); }
  int64_t trace_steps() const { return options_.trace_steps >= 0 ? options_.trace_steps : spec_.job.trace_steps; }
  bool IsDue(int64_t every) const { return every > 0 && step_ % every == 0; }
  double WallSeconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  Runtime& runtime_;
  const LoadedSpec& spec_;
  const JobOptions& options_;
  JobOutput output_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();

  PlacedJob placed_;
  JobGraph parts_;  // the graph itself has moved into the session
  std::vector<SavedSetting> settings_;
  JsonValue state_ = JsonValue::Object();  // Manifest::state of the next checkpoint
  std::vector<std::string> rules_;         // RulesConcerning() the job, where it is resumed
  std::unique_ptr<Session> session_;
  std::unique_ptr<RunDirectory> directory_;
  std::unique_ptr<CheckpointStore> store_;
  std::unique_ptr<CaptureWriter> captures_;
  std::unique_ptr<FiniteWatch> watch_;
  std::unique_ptr<ZeroRateWatch> zero_rate_;
  EvaluationProgress progress_;
  std::unique_ptr<JobEvaluations> evaluations_;
  std::unique_ptr<StepMetrics> own_metrics_;  // once the steps are prepared
  bool tells_waiting_ = false;                // see WaitedOf()
  std::unique_ptr<ShareRuns> shares_;         // where replicas run for themselves
  std::unique_ptr<BackupRuns> backup_;        // where there are backup replicas
  Session::Handle logged_ = nullptr;          // null there
  Session::Handle quiet_ = nullptr;           // the step of logged_ without its fetches
  Session::Handle summarized_ = nullptr;      // logged_ with summaries behind its fetches; null: there are none
  Session::Handle sync_ = nullptr;            // with HasSyncs() only, as the next two
  Session::Handle replica_findings_ = nullptr;
  int64_t synced_step_ = -1;     // the last step after which the replicas' variables were equal
  std::vector<Tensor> fetched_;  // the fetches of logged_ or of summarized_
  JobIntervals intervals_;
  int64_t step_ = 0;  // steps that are done
  int64_t saved_step_ = -1;
  std::string init_from_ = "null";  // RunFacts::init_from
  bool fetches_written_ = false;
  double save_s_ = 0;  // seconds that the last save took
};

Status Job::Run() {
  TellGuard();
  DF_TRY(CheckStop());
  DF_TRY(Prepare());
  DF_TRY(CheckStop());
  DF_TRY(WithPlace(Start()));
  if (NothingLeft()) return session_->Close();
  Status status = WithPlace(WithAdvice(RunToEnd()));
  output_.End(status);
  return status;
}

Status Job::RunToEnd() {
  TellGuard();
  Status ran = RunSteps();
  if (backup_ != nullptr) {
    const Status closed = backup_->Close();
    if (ran.ok()) ran = closed;
  }
  DF_TRY(ran);
  if (spec_.job.run) DF_TRY(WriteFetches());
  output_.WriteShownEmbeddings(*session_);
  return session_->Close();
}

Status Job::Prepare() {
  SessionOptions session_options;
  session_options.jobs = TasksOf(spec_.job);
  session_options.optimize = options_.optimize && !options_.check_numerics;
  session_options.check_numerics = options_.check_numerics;
  session_options.keep_bytes = kMaxCaptureBytes;
  session_options.without_passes = options_.without_passes;
  session_options.files = options_.files;
  session_options.memory_limits = spec_.job.memory_limits;
  session_options.soft_placement = spec_.job.soft_placement;
  session_options.compression = spec_.job.compression;
  if (spec_.job.events) {
    session_options.on_compiled = [this](const RunSignature& signature, const std::vector<Partition>& partitions) {
      KeepShownGraph(signature, partitions);
    };
  }
  DF_TRY(AsSpecError(spec_.job.path, AssignTasks(session_options.jobs, runtime_.size()).status()));
  DF_ASSIGN(const Cluster cluster, StartTasks(runtime_, session_options));
  DF_TRY(Place(cluster));
  Result<JobGraph> parts = BuildJobGraph(spec_, cluster, placed_.placement);
  DF_TRY(AsSpecError(spec_.job.path, parts.status()));
  parts_ = *std::move(parts);
  DF_ASSIGN(RunDirectory directory, RunDirectory::Open(options_.output, options_.resume));
  directory_ = std::make_unique<RunDirectory>(std::move(directory));
  const JobSpec& job = spec_.job;
  intervals_ = JobIntervals::Of(job, parts_.sync_every);
  const int keep = job.checkpoint ? job.checkpoint->keep : 0;
  if (job.checkpoint || options_.resume) settings_ = SettingsOf(spec_);
  if (options_.resume) rules_ = RulesConcerning(spec_, parts_);
  store_ = std::make_unique<CheckpointStore>(directory_->checkpoints(), keep);
  if (job.checkpoint || (job.run && !parts_.step.names.empty())) DF_TRY(LoadHdf5().status());
  FileRules& files = session_options.files;
  files.roots.push_back(directory_->path());
  files.write_roots.push_back(directory_->path());
  files.run_directory = std::filesystem::absolute(directory_->path()).string();
  DF_ASSIGN(session_, Session::Create(runtime_, std::move(parts_.graph), session_options));
  captures_ = std::make_unique<CaptureWriter>(
      parts_, *session_,
      CaptureTarget{directory_->capture(), options_.version, [this](const std::string& line) { TellMessage(line); }});
  evaluations_ = std::make_unique<JobEvaluations>(job, parts_, *session_, options_.check_numerics, output_, progress_);
  zero_rate_ = std::make_unique<ZeroRateWatch>(spec_, *session_);
  watch_ = std::make_unique<FiniteWatch>(job, parts_, *session_, *captures_);
  DF_TRY(AsSpecError(spec_.job.path, PrepareStep()));
  own_metrics_ = std::make_unique<StepMetrics>(job, parts_.step.names, RateDType());
  tells_waiting_ = AreAllHosts(DevicesUsed(), runtime_.ReportsOfRanks());
  TellStart(cluster);
  fetched_.resize(parts_.step.signature.fetches.size());
  if (!parts_.summarized.signature.fetches.empty()) {
    const Result<Session::Handle> summarized = session_->Prepare(parts_.summarized.signature);
    DF_TRY(AsSpecError(spec_.job.path, summarized.status()));
    summarized_ = *summarized;
    intervals_.summaries_every = job.summaries.every;
    if (job.train) session_->TellMemoryAfter(summarized_);
  }
  if (HasSyncs()) {
    DF_ASSIGN(sync_, session_->Prepare(parts_.sync));
    DF_ASSIGN(replica_findings_, session_->Prepare(parts_.replica_findings));
  }
  if (intervals_.log_every > 1 && shares_ == nullptr) {
    RunSignature quiet = parts_.step.signature;
    quiet.fetches.clear();
    DF_ASSIGN(quiet_, session_->Prepare(quiet));
  }
  // Evaluations are compiled before the first step rather than when they are due, so that data missing on a rank is
  // noticed early.
  for (const EvaluationPass& pass : parts_.evaluations) {
    if (!pass.metrics.empty()) DF_TRY(AsSpecError(job.path, session_->Prepare(pass.batch.signature).status()));
  }
  return Status();
}

// Chooses the devices that the spec leaves open, where it says so.
Status Job::Place(const Cluster& cluster) {
  const CompileOptions compile = {.cluster = cluster,
                                  .optimize = options_.optimize && !options_.check_numerics,
                                  .soft_placement = spec_.job.soft_placement,
                                  .compression = spec_.job.compression,
                                  .without_passes = options_.without_passes};
  const PlacementRequest request = {.costs = &options_.costs,
                                    .ranks_per_node = RanksPerHost(runtime_.hosts()),
                                    .resumed = options_.resume ? RunDirectory::PlacementOf(options_.output) : ""};
  Result<PlacedJob> placed = ChoosePlacement(spec_, runtime_, compile, request);
  DF_TRY(AsSpecError(spec_.job.path, placed.status()));
  placed_ = *std::move(placed);
  return Status();
}

Status Job::PrepareStep() {
  if (parts_.apart && parts_.apart->backup == 0) {
    shares_ = std::make_unique<ShareRuns>(parts_, *session_);
    DF_TRY(shares_->Prepare());
    if (!parts_.apart->state.fetches.empty()) DF_TRY(session_->Prepare(parts_.apart->state).status());
  } else {
    DF_ASSIGN(logged_, session_->Prepare(parts_.step.signature));
  }
  if (parts_.apart && parts_.apart->backup > 0) {
    backup_ = std::make_unique<BackupRuns>(parts_, *session_);
    DF_TRY(backup_->Prepare());
    watch_->SetBackup(*backup_);
  }
  if (!spec_.job.train) return Status();
  for (const Session::Handle handle : StepHandles()) session_->TellMemoryAfter(handle);
  return Status();
}

// The dtype in which steps take the learning rate.
DType Job::RateDType() const {
  return parts_.scheduled_rate.value_or(DType::kDouble);
}

std::vector<Session::Handle> Job::StepHandles() const {
  if (shares_ != nullptr) return shares_->handles();
  std::vector<Session::Handle> handles = {logged_};
  if (backup_ != nullptr) handles.insert(handles.end(), backup_->handles().begin(), backup_->handles().end());
  return handles;
}

std::vector<std::string> Job::DevicesUsed() const {
  return DevicesOf(*session_, StepHandles());
}

// The first lines of a run. A job may have fewer replicas than ranks, or name all of its devices, and then leaves some
// ranks unused. A resumed job would go on with other values of states that no checkpoint holds.
void Job::TellStart(const Cluster& cluster) const {
  const StartFacts facts = {.hosts = runtime_.hosts(),
                            .reports = runtime_.ReportsOfRanks(),
                            .devices_used = DevicesUsed(),
                            .steps = intervals_.steps};
  TellMessage(StartLine(spec_, facts));
  const auto warn = [this](const std::string& text) { TellMessage("warning: " + text); };
  for (const std::string& warning : WarningsOfRanks(facts.reports, facts.hosts)) warn(warning);
  for (const std::string& warning : WarningsOfSpec(spec_)) warn(warning);
  for (const std::string& line : placed_.lines) TellMessage(line);
  const std::string idle =
      DescribeIdleRanks(spec_, cluster, IdleRanksOf(*session_, StepHandles()), !placed_.placement.empty());
  if (!idle.empty()) warn(idle);
  if (!spec_.job.checkpoint) return;
  for (const std::string& state : parts_.unkept) warn(state + "; after --resume it begins anew");
}

// Gives the variables their values: from a checkpoint or from the spec.
Status Job::Start() {
  if (options_.resume) DF_TRY(Resume());
  if (NothingLeft()) return Status();
  if (saved_step_ < 0) {
    const auto tell = [this](const std::string& text) { TellMessage(text); };
    DF_ASSIGN(init_from_, GiveFirstValues(spec_, parts_, *session_, tell));
  }
  intervals_.trace_until = std::min(step_ + trace_steps(), intervals_.steps);
  if (step_ < intervals_.trace_until) session_->StartTrace();
  return BeginWriting();
}

// Takes over the run directory: everything that could keep the job from beginning has been done by now.
Status Job::BeginWriting() {
  if (spec_.job.run) DF_TRY(CheckReplaceable(fetches_path()));
  DF_TRY(directory_->Make());
  const bool is_placed = !placed_.placement.empty() && placed_.facts.kind != PlacedBy::kResumedRun;
  std::error_code ignored;  // one that stays is written anew, or read by a job that names it
  if (placed_.placement.empty()) std::filesystem::remove(directory_->placement(), ignored);
  if (is_placed) DF_TRY(WriteFileAtomically(directory_->placement(), PrintPlacement(placed_.placement, placed_.facts)));
  if (spec_.job.checkpoint) DF_TRY(store_->TryToSave(LeastBytesOf(parts_.kept), spec_.job.checkpoint->tensorflow));
  if (options_.resume_step) {
    DF_ASSIGN(const std::vector<std::string> aside, store_->SetAsideAfter(step_));
    if (!aside.empty()) TellMessage("the checkpoints of later steps are set aside: " + Join(aside));
  }
  return output_.Open(*directory_, parts_.fingerprints,
                      {.facts = {.version = options_.version,
                                 .spec = spec_.job.path,
                                 .files = spec_.files,
                                 .sets = options_.sets,
                                 .hosts = runtime_.hosts(),
                                 .ranks = runtime_.size(),
                                 .from_step = step_,
                                 .steps = intervals_.steps,
                                 .init_from = init_from_},
                       .evaluations = MissingEvaluations(),
                       .trace_until = intervals_.trace_until});
}

// Times of traced steps belong to the nodes of their own graph, mostly that of steps which are not logged.
void Job::KeepShownGraph(const RunSignature& signature, const std::vector<Partition>& partitions) {
  const RunSignature& step = parts_.step.signature;
  const bool is_quiet = trace_steps() > 0 && intervals_.log_every > 1;
  if (signature.targets != step.targets || signature.feeds != step.feeds) return;
  if (is_quiet ? !signature.fetches.empty() : signature.fetches != step.fetches) return;
  output_.ShowGraph(partitions);
}

// A param that was set and is not set now is mostly one that was forgotten.
void Job::TellOtherSets() const {
  const std::optional<std::vector<std::string>> before = RunRecord::SetsOf(directory_->record());
  if (!before || *before == options_.sets) return;
  const auto print = [](const std::vector<std::string>& sets) {
    return sets.empty() ? std::string("no --set") : "--set " + Join(sets, " --set ");
  };
  TellMessage(
      StrCat("the run that this one goes on from had ", print(*before), "; this one has ", print(options_.sets)));
}

Status Job::Resume() {
  Result<std::optional<ResumePoint>> looked =
      FindResumePoint(*store_, options_.resume_step, {spec_.job, parts_, settings_, rules_});
  TellOtherSets();  // other sets of checkpoints may be why nothing fits
  DF_ASSIGN(const std::optional<ResumePoint> point, std::move(looked));
  if (!point) {
    TellMessage(StrCat("no committed checkpoint in ", directory_->checkpoints(), ": starting at step 0"));
    return Status();
  }
  const CheckpointStore::Checkpoint& found = point->checkpoint;
  step_ = saved_step_ = found.manifest.step;
  const std::vector<std::string> lines = progress_.Resume(found.manifest.state);
  if (step_ < intervals_.steps && progress_.is_stopped()) {
    TellMessage(StrCat("the training ended at step ", step_, ": ", progress_.why_stopped(), "; nothing is left after ",
                       found.directory, "; a greater 'patience' lets it go on"));
    return Status();
  }
  if (NothingLeft()) {
    TellMessage(StrCat("all ", intervals_.steps, " steps are done: nothing is left after ", found.directory));
    return CheckFetchesThere();
  }
  for (const std::string& line : lines) TellMessage(line);
  store_->Protect(progress_.best_steps());
  if (const std::string differences = DescribeFit(found, point->fit); !differences.empty()) {
    TellMessage("warning: " + differences);
  }
  const RestoreStep step = RestoreFrom(found, point->fit, parts_);
  DF_ASSIGN(const Session::Handle restore, session_->Prepare(step.signature));
  session_->TellMemoryAfter(restore);
  DF_TRY(session_->RunStep(restore, step.feeds, {}));
  state_ = found.manifest.state;
  DF_ASSIGN(const int64_t returned, ReturnedRows(/*usable=*/true));
  if (const std::string left_out = TakeReturned(returned, state_); !left_out.empty())
    TellMessage("warning: " + left_out);
  watch_->Resume(found.manifest.skipped_steps());
  TellMessage(StrCat("resuming at step ", step_, " from ", found.directory));
  if (spec_.job.init_from) TellMessage("'init_from' is left out: the variables have the checkpoint's values");
  return Status();
}

// A job that is done wrote them before its last checkpoint.
Status Job::CheckFetchesThere() const {
  if (!spec_.job.run || parts_.step.names.empty()) return Status();
  const Result<FileDescriptor> file = FileDescriptor::OpenForReading(fetches_path());
  if (file.status().code() != Code::kNotFound) return file.status();
  return FailedPrecondition("what the last step fetched is no longer in ", fetches_path(),
                            "; go on from an older checkpoint with --resume=STEP, or begin anew with another --output");
}

// The next step at which there is something to do besides the step itself.
int64_t Job::NextStop() const {
  // Steps in flight are logged as they end. None is when a trace is written.
  const bool logs_later = runs_in_flight() || shares_ != nullptr;
  return intervals_.NextStop(step_, logs_later, /*stops_at_trace=*/logs_later || backup_ != nullptr);
}

// Lets the replicas of a training with backup run up to the next step at whose end nothing else may run.
Status Job::BeginPeriod() {
  return backup_ == nullptr || backup_->is_open() ? Status() : backup_->Open(step_, intervals_.NextDrain(step_));
}

Status Job::EndPeriod() {
  if (backup_ == nullptr || !(backup_->is_done() || is_stopping())) return Status();
  DF_TRY(backup_->Close());
  return WriteTraceIfDue();
}

Status Job::RunSteps() {
  output_.TellBegin(step_, intervals_.steps);
  DF_TRY(EvaluateMissing());
  DF_TRY(zero_rate_->Begin());
  DF_TRY(BeginMetrics());
  if (HasSyncs()) {
    DF_ASSIGN(const Tensor findings, ReadFindings());
    watch_->BeginReplicas(findings);
    if (IsDue(parts_.sync_every)) synced_step_ = step_;
  }
  while (!is_done()) {
    if (is_stopping()) return EndEarly();
    const int64_t stop = NextStop();
    DF_TRY(BeginPeriod());
    if (shares_ != nullptr) {
      DF_TRY(RunShares(stop));
    } else if (runs_in_flight()) {
      DF_TRY(RunInFlight(stop));
    } else {
      const bool logs = stop % intervals_.log_every == 0 || stop == intervals_.steps;
      const bool fetches = logs || Summarizes(stop);
      DF_TRY(RunQuietly(stop - step_ - (fetches ? 1 : 0)));
      if (fetches && !is_stopping()) DF_TRY(RunLogged(logs, Summarizes(stop)));
    }
    DF_TRY(EndPeriod());
    DF_TRY(SyncIfDue());
    if (is_stopping() && step_ < intervals_.steps) continue;
    DF_TRY(evaluations_->RunDue(Results()));
    DF_TRY(SaveBest());
    if (spec_.job.checkpoint && (IsDue(intervals_.save_every) || is_done())) DF_TRY(SaveTimed());
  }
  if (step_ < intervals_.steps) {
    output_.record().SetStopped(step_, progress_.why_stopped());
    TellMessage(
        StrCat("the training ends after step ", step_, " of ", intervals_.steps, ": ", progress_.why_stopped()));
  }
  return Status();
}

// Saves and ends the job at a signal, between two steps.
Status Job::EndEarly() {
  if (step_ > 0 && spec_.job.checkpoint) {
    runtime_.stop()->Disarm();
    Status saved = Save();
    if (!saved.ok()) return saved.Annotate(StrCat("saving step ", step_, " at ", SignalName(runtime_.stop_signal())));
  }
  return CheckStop();
}

// The error of a job that ends at a signal, if there is one.
Status Job::CheckStop() const {
  const int signal = runtime_.stop_signal();
  if (signal == 0) return Status();
  if (!spec_.job.checkpoint) {
    return Error(StopCode(signal, false), SignalName(signal), ": the job ends after step ", step_,
                 ", and nothing is saved, since the spec has no `checkpoint:` section");
  }
  return Error(StopCode(signal, true), SignalName(signal), ": the job ends after step ", step_, "; ",
               saved_step_ < 0 ? "there was nothing to save" : Committed(), "; start it again with --resume to go on");
}

// "step 40 is saved in run/checkpoints".
std::string Job::Committed() const {
  return StrCat("step ", saved_step_, " is saved in ", directory_->checkpoints());
}

// A lost rank says nothing of the job.
Status Job::WithAdvice(Status error) const {
  if (error.code() != Code::kUnavailable) return error;
  return Error(error.code(), error.message(), "; ", saved_step_ < 0 ? "nothing is saved" : Committed(),
               ": start the job again with --resume");
}

// A finding of --check-numerics says which step it was in, and where the node is in the spec.
Status Job::WithPlace(Status error) {
  if (!IsNumericsFinding(error)) return error;
  const bool has_begun = output_.is_open();
  if (has_begun) captures_->Write(error, step_ + 1);
  return Error(error.code(), LocationOfFinding(session_->graph(), error),
               has_begun ? StrCat("step ", step_ + 1) : "before the first step", ": ",
               DescribeFinding(spec_.job.inputs, error));
}

// Gives the stop guard its facts for a step that does not end in time after a signal. The time of a save is subtracted
// from the step's.
void Job::TellGuard() const {
  GracePeriodWatchdog* const guard = runtime_.stop();
  if (guard == nullptr) return;
  guard->SetSaves(spec_.job.checkpoint.has_value());
  guard->SetCommitted(saved_step_ < 0 ? "" : Committed());
  guard->SetGrace(GracePeriodWatchdog::Seconds(std::max(options_.grace_s - save_s_, kMinGraceS)));
}

Status Job::SaveTimed() {
  const double begin_s = WallSeconds();
  DF_TRY(Save());
  save_s_ = WallSeconds() - begin_s;
  TellGuard();
  return Status();
}

std::vector<WaitedTime> Job::WaitedOf(RanksUse& use) const {
  return tells_waiting_ ? std::move(use.waited) : std::vector<WaitedTime>();
}

// Begins to count samples and times. A job that goes on may have had another batch before.
Status Job::BeginMetrics() {
  if (!spec_.job.train) return Status();
  const int input = spec_.job.train->input;
  int64_t samples = 0;
  if (input >= 0 && step_ > 0) {
    const InputSpec& read = spec_.job.inputs[static_cast<size_t>(input)];
    const bool advances = std::find(parts_.advancing.begin(), parts_.advancing.end(), static_cast<size_t>(input)) !=
                          parts_.advancing.end();
    samples = step_ * read.batch;
    if (advances) {
      DF_ASSIGN(const std::vector<Tensor> position, session_->Run({}, {spec_.graph.node(read.position).name}));
      samples = position[0].scalar<int64_t>();
      DF_ASSIGN(const int64_t returned, ReturnedRows());
      samples -= returned;
    }
  }
  RanksUse use = session_->UseOfRanks();
  own_metrics_->Begin(step_, samples, WaitedOf(use));
  return Status();
}

// Rows that backup replicas have taken and no step has used; `usable`: those that this job can hand out.
Result<int64_t> Job::ReturnedRows(bool usable) {
  if (backup_ == nullptr || parts_.apart->returned.empty()) return 0;
  DF_ASSIGN(const std::vector<Tensor> shares, session_->Run({}, {parts_.apart->returned}));
  const InputSpec& input = spec_.job.inputs[static_cast<size_t>(spec_.job.train->input)];
  return CountReturned(shares[0], usable ? input.batch / ReplicasOf(*spec_.job.train) : 0);
}

Status Job::RunQuietly(int64_t steps) {
  if (steps <= 0) return Status();
  const StepsTimer timer(*own_metrics_);
  if (step_ >= intervals_.trace_until && backup_ == nullptr) {
    const int64_t before = session_->steps_run();
    // A rank knows its own replicas' findings alone, so that ranks would not end after the same step.
    DF_TRY(session_->RunSteps(quiet_, steps, HasSyncs() ? nullptr : &watch_->row(), step_));
    step_ += session_->steps_run() - before;
    return HasSyncs() ? Status() : watch_->AfterSteps(step_);
  }
  for (int64_t i = 0; i < steps && !is_stopping(); ++i) DF_TRY(Step(quiet_, {}));
  return Status();
}

Status Job::Step(Session::Handle handle, std::span<Tensor> fetches) {
  DF_TRY(backup_ == nullptr ? session_->RunStep(handle, {}, fetches, step_) : backup_->RunStep(handle, fetches, step_));
  return AfterStep();
}

// Brings the replicas' variables together.
Status Job::SyncIfDue() {
  if (!HasSyncs() || synced_step_ == step_ || (!IsDue(parts_.sync_every) && step_ != intervals_.steps)) return Status();
  const StepsTimer timer(*own_metrics_);
  DF_TRY(CheckReplicas());
  DF_TRY(session_->RunStep(sync_, {}, {}));
  synced_step_ = step_;
  return Status();
}

Result<Tensor> Job::ReadFindings() {
  std::vector<Tensor> findings(1);
  DF_TRY(session_->RunStep(replica_findings_, {}, findings));
  return std::move(findings[0]);
}

// Stops the job where that is what becomes of a value that a replica of any rank has found.
Status Job::CheckReplicas() {
  if (!HasSyncs()) return Status();
  DF_ASSIGN(const Tensor findings, ReadFindings());
  return watch_->AfterReplicas(step_, findings);
}

Status Job::AfterStep() {
  ++step_;
  if (!HasSyncs()) DF_TRY(watch_->AfterStep(step_));
  // With backup the replicas' requests end with the period.
  return backup_ == nullptr ? WriteTraceIfDue() : Status();
}

// Writes the trace after its last step.
Status Job::WriteTraceIfDue() {
  const bool is_due = step_ == intervals_.trace_until && trace_steps() > 0;
  return is_due ? session_->WriteTrace(directory_->trace() + "/") : Status();
}

Status Job::RunLogged(bool logs, bool summarizes) {
  fetched_.resize((summarizes ? parts_.summarized : parts_.step).signature.fetches.size());
  {
    const StepsTimer timer(*own_metrics_);
    DF_TRY(Step(summarizes ? summarized_ : logged_, fetched_));
    DF_TRY(CheckReplicas());
  }
  if (logs) DF_TRY(Log());
  return summarizes ? TellSummaries() : Status();
}

// Runs steps up to `stop`: each is logged when it and all before it have ended. At a signal no more are begun.
Status Job::RunInFlight(int64_t stop) {
  std::deque<std::unique_ptr<PendingStep>> started;
  for (;;) {
    const bool is_full = static_cast<int>(started.size()) == spec_.job.run->steps_in_flight;
    const int64_t next = step_ + static_cast<int64_t>(started.size()) + 1;
    if (!is_full && next <= stop && !is_stopping()) {
      DF_ASSIGN(started.emplace_back(), session_->StartStep(Summarizes(next) ? summarized_ : logged_, {}, next - 1));
      continue;
    }
    if (started.empty()) return Status();
    const bool summarizes = Summarizes(step_ + 1);
    fetched_.resize((summarizes ? parts_.summarized : parts_.step).signature.fetches.size());
    DF_TRY(started.front()->Wait(fetched_));
    started.pop_front();
    DF_TRY(AfterStep());
    DF_TRY(Log());
    if (summarizes) DF_TRY(TellSummaries());
  }
}

void Job::AddSkipped(NamedTensors& values) const {
  for (const InputSpec& input : spec_.job.inputs) {
    if (input.skips_errors)
      values.emplace_back(input.name + "/skipped", Tensor::Scalar<int64_t>(input.record_index.skipped));
  }
}

// Runs steps of replicas that run for themselves up to `stop`. At a signal the step that has begun is ended.
Status Job::RunShares(int64_t stop) {
  // The line of the last step is told when the variables are at rest, with their fingerprints.
  std::optional<ShareLine> last;
  const ShareRuns::Hooks hooks = {.is_stopping = [this] { return is_stopping(); },
                                  .on_line =
                                      [this, &last, stop](const ShareLine& line) {
                                        if (line.step < stop) return LogShares(line);
                                        if (line.step % intervals_.log_every == 0 || line.step == intervals_.steps)
                                          last = line;
                                        return Status();
                                      }};
  DF_ASSIGN(const SharesEnd end, shares_->Run(step_, stop, watch_->skipped_steps(), hooks));
  if (last) {
    DF_ASSIGN(const std::vector<Tensor> fingerprints, FingerprintsBetweenPeriods());
    DF_TRY(LogShares(*last, fingerprints));
  }
  if (end.found != 0) return watch_->ExplainShare(end);
  watch_->AfterShares(end);
  step_ = end.steps;
  DF_TRY(output_.TellStaleness(Results(), end.staleness));
  return WriteTraceIfDue();
}

Status Job::LogShares(const ShareLine& line, std::span<const Tensor> fingerprints) {
  step_ = line.step;
  own_metrics_->AddSteps(std::chrono::duration<double>(line.seconds));
  NamedTensors values = line.values;
  AddSkipped(values);
  if (watch_->CountsShares()) {
    values.emplace_back("not_finite_steps", Tensor::Scalar<int64_t>(line.not_finite));
    if (line.not_finite > 0)
      TellMessage("warning: " + watch_->DescribeShares(step_, line.not_finite, line.first_found));
  }
  return TellLogged(values, fingerprints, &line);
}

// The state of a job whose replicas run for themselves, while none runs.
Result<std::vector<Tensor>> Job::FingerprintsBetweenPeriods() {
  std::vector<Tensor> fingerprints(parts_.apart->state.fetches.size());
  if (fingerprints.empty()) return fingerprints;
  DF_ASSIGN(const Session::Handle state, session_->Prepare(parts_.apart->state));
  DF_TRY(session_->RunStep(state, {}, fingerprints));
  return fingerprints;
}

Status Job::Log() {
  NamedTensors values;
  for (size_t i = 0; i < parts_.step.names.size(); ++i) values.emplace_back(parts_.step.names[i], fetched_[i]);
  AddSkipped(values);
  if (const std::optional<int64_t> count = watch_->TakeCount()) {
    values.emplace_back("not_finite_steps", Tensor::Scalar<int64_t>(*count));
    if (*count > 0) TellMessage("warning: " + watch_->Describe(step_, *count));
  }
  return TellLogged(values, std::span(fetched_).subspan(parts_.step.names.size(), parts_.fingerprints.size()), nullptr);
}

// `line`: of shares, where there are any.
Status Job::TellLogged(const NamedTensors& values, std::span<const Tensor> fingerprints, const ShareLine* line) {
  DF_ASSIGN(const std::string changed, zero_rate_->Look(step_));
  if (!changed.empty()) TellMessage("warning: " + changed);
  JobResults results = Results();
  results.values = values;
  if (!spec_.job.train) return output_.TellStep(results, fingerprints);
  RanksUse use = session_->UseOfRanks();
  // The last of the lines that are told at once has the time that ranks waited.
  const bool tells_waiting = line == nullptr || line->is_last;
  own_metrics_->Log(step_, tells_waiting ? WaitedOf(use) : std::vector<WaitedTime>());
  output_.record().SetMemory(use.memory);
  results.schedule = own_metrics_->schedule();
  NamedTensors timings = own_metrics_->timings();
  if (line != nullptr) timings.insert(timings.end(), line->timings.begin(), line->timings.end());
  if (backup_ != nullptr) {
    DF_ASSIGN(const NamedTensors of_replicas, backup_->TakeTimings());
    timings.insert(timings.end(), of_replicas.begin(), of_replicas.end());
  }
  results.timings = timings;
  results.memory = use.memory;
  return output_.TellStep(results, fingerprints);
}

Status Job::TellSummaries() {
  JobResults results = Results();
  results.summaries = std::span(fetched_).subspan(parts_.step.signature.fetches.size());
  return output_.TellSummaries(results);
}

// Results of the step that has ended, without values.
JobResults Job::Results() const {
  return {.step = step_, .steps = intervals_.steps, .wall_s = WallSeconds(), .values = {}};
}

std::vector<std::string> Job::MissingEvaluations() const {
  return saved_step_ < 0 ? std::vector<std::string>() : evaluations_->Missing(step_);
}

// Makes the evaluations that were due after the step that the job goes on from. A signal had ended the job before them.
Status Job::EvaluateMissing() {
  if (MissingEvaluations().empty()) return Status();
  DF_TRY(evaluations_->RunDue(Results()));
  return SaveAnew();
}

Status Job::SaveBest() {
  if (!progress_.TakeNewBest()) return Status();
  DF_TRY(SaveTimed());
  if (saved_step_ != step_) progress_.ForgetNewBest();
  return Status();
}

// Saves a step whose checkpoint lacks what evaluations gave since.
Status Job::SaveAnew() {
  if (!spec_.job.checkpoint) return Status();
  progress_.TakeNewBest();
  saved_step_ = -1;
  return SaveTimed();
}

Status Job::Save() {
  if (saved_step_ == step_) return Status();
  if (spec_.job.run && step_ == intervals_.steps) DF_TRY(WriteFetches());
  DF_TRY(CheckReplicas());
  DF_ASSIGN(const std::string not_finite, watch_->FindInVariables());
  if (!not_finite.empty()) {
    DF_TRY(watch_->RefuseToSave(step_, not_finite));
    TellMessage(StrCat("warning: step ", step_, " is not saved: ", not_finite));
    return Status();
  }
  DF_ASSIGN(const std::string path, store_->Begin(step_));
  const RunSignature& what = HasSyncs() && synced_step_ != step_ ? parts_.save_between_syncs : parts_.save;
  Manifest manifest;
  manifest.step = step_;
  manifest.settings = settings_;
  DF_ASSIGN(manifest.shards, WriteShards(*session_, what, path));
  if (spec_.job.checkpoint && spec_.job.checkpoint->tensorflow) DF_TRY(WriteTensorFlowFiles(path, manifest));
  manifest.inputs = InputsToSave(spec_.job.inputs, parts_.advancing);
  progress_.Save(state_);
  DF_ASSIGN(const int64_t returned, ReturnedRows());
  SaveReturned(returned, state_);
  manifest.state = state_;
  manifest.set_skipped_steps(std::min(watch_->skipped_steps(), step_));  // there may be more shares than steps
  DF_TRY(output_.TellSave(step_));
  store_->Protect(progress_.best_steps());
  DF_TRY(store_->Commit(manifest));
  saved_step_ = step_;
  return Status();
}

// Writes the fetches of the last step, under the names that the spec gives.
Status Job::WriteFetches() {
  if (parts_.step.names.empty() || fetches_written_) return Status();
  DF_TRY(WriteFetchedFile(fetches_path(), parts_.step.names, fetched_));
  fetches_written_ = true;
  TellMessage(StrCat("what the last step fetched is in ", fetches_path()));
  return Status();
}

}  // namespace

Status RunJob(Runtime& runtime, const LoadedSpec& spec, const JobOptions& options,
              std::vector<JobObserver*> observers) {
  return NameInput(spec, Job(runtime, spec, options, std::move(observers)).Run());
}

}  // namespace dfrun
