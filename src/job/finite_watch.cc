#include "src/job/finite_watch.h"

#include <algorithm>
#include <utility>

#include "src/framework/step/replica_findings.h"
#include "src/framework/values/finite.h"
#include "src/job/metrics_log.h"
#include "src/job/numerics_finding.h"
#include "src/spec/replica_counts.h"

namespace dfrun {
namespace {

using OnNan = TrainSpec::OnNan;

std::string TextOf(const Tensor& scalar) {
  if (!AllFinite(scalar)) return DescribeNotFinite(scalar);
  const Result<std::string> text = ScalarToJson(scalar);
  return text.ok() ? *text : scalar.ToString();
}

constexpr const char* kAdvice =
    ". Go on from an older checkpoint or with a lower learning_rate; 'on_nan: {skip: N}' of 'train' "
    "lets more steps behind each other be left out";

std::vector<ReplicaFindings> FindingsIn(const Tensor& tensor) {
  std::vector<ReplicaFindings> findings;
  const std::span<const int64_t> values = tensor.values<int64_t>();
  for (size_t i = 0; i + ReplicaFindings::kElements <= values.size(); i += ReplicaFindings::kElements)
    findings.push_back({values[i], values[i + 1], values[i + 2], values[i + 3]});
  return findings;
}

// 0: no row of steps that are not finite ends the job.
int64_t LimitOf(const JobSpec& spec) {
  if (!spec.train) return 0;
  if (spec.train->on_nan == OnNan::kStop) return 1;
  // A job that has made no update at all is no better for being short.
  return spec.train->on_nan == OnNan::kSkip ? std::min(spec.train->most_skipped, spec.train->steps) : 0;
}

}  // namespace

FiniteWatch::FiniteWatch(const JobSpec& spec, const JobGraph& parts, Session& session, CaptureWriter& captures)
    : spec_(spec), parts_(parts), session_(session), captures_(captures), row_{.length = 0, .limit = LimitOf(spec)} {}

Status FiniteWatch::AfterSteps(int64_t step) {
  seen_ = session_.steps_not_finite();
  if (!row_.is_full()) return Status();
  if (spec_.train->on_nan != OnNan::kStop) return ExplainSkipped(step);
  return ExplainStop(step, NameOf(session_.TakeFirstNotFinite()));
}

Status FiniteWatch::AfterStep(int64_t step) {
  row_.Add(session_.steps_not_finite() == seen_);
  return AfterSteps(step);
}

void FiniteWatch::BeginReplicas(const Tensor& findings) {
  of_replicas_ = 0;
  for (const ReplicaFindings& replica : FindingsIn(findings)) of_replicas_ += replica.total;
  counted_ = of_replicas_;
}

Status FiniteWatch::AfterReplicas(int64_t step, const Tensor& findings) {
  of_replicas_ = 0;
  std::optional<ReplicaFindings> first;
  for (const ReplicaFindings& replica : FindingsIn(findings)) {
    of_replicas_ += replica.total;
    if (replica.number != 0 && (!first || replica.steps_since > first->steps_since)) first = replica;
  }
  if (!first) return Status();
  const int64_t then = step - first->steps_since;
  const std::string was = NameOf(static_cast<int32_t>(first->number));
  if (spec_.train->on_nan == OnNan::kStop) return ExplainStop(then, was);
  return Error(Code::kNotFinite, "step ", then, ": ", was,
               " is not finite, and this replica made no update in its last ", row_.limit, " steps", kAdvice);
}

int64_t FiniteWatch::skipped_steps() const {
  return spec_.train && spec_.train->on_nan == OnNan::kSkip ? row_.length : 0;
}

// The limit may be another than it was: one step is tried at least.
void FiniteWatch::Resume(int64_t skipped_steps) {
  if (row_.limit > 1) row_.length = std::min(skipped_steps, row_.limit - 1);
}

std::optional<int64_t> FiniteWatch::TakeCount() {
  if (!spec_.train || spec_.train->on_nan == OnNan::kStop) return {};
  const int64_t all = HasReplicas() ? of_replicas_ : session_.steps_not_finite();
  return all - std::exchange(counted_, all);
}

std::string FiniteWatch::Describe(int64_t step, int64_t count) {
  const int32_t first = session_.TakeFirstNotFinite();
  const char* const effect =
      spec_.train->on_nan == OnNan::kSkip ? "the updates were left out" : "the updates were made all the same";
  constexpr const char* kHad = " had a loss, or a gradient, that is not finite";
  if (HasReplicas()) return StrCat("up to step ", step, ", ", count, " of the replicas' steps", kHad, ": ", effect);
  return StrCat("up to step ", step, ", ", count, count == 1 ? " step" : " steps", kHad, " (",
                count == 1 ? "it was " : "first it was ", NameOf(first), "): ", effect);
}

std::string FiniteWatch::DescribeShares(int64_t step, int64_t count, int32_t first_found) const {
  return StrCat(
      "up to step ", step, ", ", count, count == 1 ? " share had" : " shares had",
      " a loss, or a gradient, that is not finite (", count == 1 ? "it was " : "first it was ", NameOf(first_found),
      "): ", spec_.train->on_nan == OnNan::kSkip ? "the updates were left out" : "the updates were made all the same");
}

Status FiniteWatch::ExplainShare(const SharesEnd& end) {
  const int64_t replicas = ReplicasOf(*spec_.train);
  const bool stops = spec_.train->on_nan == OnNan::kStop;
  const int64_t step = end.share / replicas;
  // Other replicas may have updated the variables that the share had read.
  Origin origin;
  if (stops && parts_.apart->steps.size() == 1) {
    DF_ASSIGN(origin, OriginInShare(0, end.position, step));
  }
  return Error(
      Code::kNotFinite, origin.location, "step ", step + 1, ": ", NameOf(end.found), " of replica ", end.replica,
      " is not finite", RowsOfShare(end.position), origin.text, ". ",
      stops ? "No update was made by it" : "It is the last of as many shares behind each other as may be left out",
      ". A lower learning_rate or a clip_norm may keep it finite; ",
      stops ? "with 'on_nan: skip' of 'train' such shares are left out"
            : "'on_nan: {skip: N}' of 'train' lets more shares behind each other be left out");
}

Result<FiniteWatch::Origin> FiniteWatch::OriginInShare(int64_t replica, int64_t position, int64_t step) {
  DF_ASSIGN(const Session::Handle again, session_.Prepare(parts_.apart->again));
  const bool has_backup = parts_.apart->backup > 0;
  const Tensor period =
      has_backup ? Tensor::Vector<int64_t>({step, step + 1}) : Tensor::Vector<int64_t>({step, step + 1, 0});
  const Tensor feeds[] = {period, Tensor::Scalar(position)};
  DF_TRY(session_.RunStep(again, feeds, {}));
  const RunSignature& signature = parts_.apart->steps[static_cast<size_t>(replica)];
  const Status found = session_.CheckNumerics(signature, /*optimize=*/false, {});
  if (!found.ok() && found.code() != Code::kNotFinite) return found;
  return found.ok() ? Origin() : OriginOf({.found = found, .checked = {}}, step + 1);
}

std::string FiniteWatch::RowsOfShare(int64_t position) const {
  if (spec_.train->input < 0 || spec_.inputs[static_cast<size_t>(spec_.train->input)].all) return "";
  const InputSpec& input = spec_.inputs[static_cast<size_t>(spec_.train->input)];
  const int64_t count = input.batch / ReplicasOf(*spec_.train);
  return StrCat(", of the rows ", position, " to ", position + count - 1, " of the stream of input '", input.name, "'");
}

Result<FiniteWatch::Again> FiniteWatch::RunAgain(bool optimize) {
  DF_ASSIGN(const Session::Handle rewind, session_.Prepare(parts_.rewind));
  DF_TRY(session_.RunStep(rewind, {}, {}));
  Again again;
  again.checked.resize(parts_.checked.fetches.size());
  again.found = session_.CheckNumerics(parts_.checked, optimize, again.checked);
  if (again.found.code() != Code::kNotFinite) DF_TRY(again.found);
  return again;
}

// Runs the step again, first by the nodes that the spec has. If these show nothing, the nodes that ran in the step,
// fused ones, are run.
Result<FiniteWatch::Again> FiniteWatch::RunAgain() {
  DF_ASSIGN(Again again, RunAgain(/*optimize=*/false));
  if (!again.found.ok() || !Culprit(again.checked).empty()) return again;
  return RunAgain(/*optimize=*/true);
}

std::string FiniteWatch::NameOf(int32_t number) const {
  const std::vector<std::string>& names = parts_.checked_names;
  return number > 0 && number <= static_cast<int64_t>(names.size()) ? names[static_cast<size_t>(number) - 1]
                                                                    : "the loss";
}

// The losses, perhaps the norm of the gradients, and the number of the first that is not finite.
std::string FiniteWatch::Culprit(const std::vector<Tensor>& checked) const {
  const auto number = static_cast<size_t>(checked.back().scalar<int32_t>());
  if (number == 0) return "";
  const bool has_value = number < checked.size();
  const size_t losses = parts_.checked_losses;
  const size_t others = std::max<size_t>(parts_.checked_names.size() / losses - 1, 1);  // values beside each loss
  return StrCat(NameOf(static_cast<int32_t>(number)), " is ", has_value ? TextOf(checked[number - 1]) : "not finite",
                number <= losses ? "" : StrCat(" at a loss of ", TextOf(checked[(number - losses - 1) / others])));
}

FiniteWatch::Origin FiniteWatch::OriginOf(const Again& again, int64_t step) {
  if (again.found.ok())
    return {"", ", and no node made it out of finite values: a constant that is not finite goes into it"};
  captures_.Write(again.found, step);
  return {LocationOfFinding(session_.graph(), again.found),
          StrCat("; first, ", DescribeFinding(spec_.inputs, again.found))};
}

// The weights are those of the step, so that the share is computed once more, to name the node.
Status FiniteWatch::ExplainStopWithBackup(int64_t step, const std::string& was) {
  constexpr const char* kEnd =
      ". No update of the step was made. A lower learning_rate or a clip_norm may keep it finite; with 'on_nan: skip' "
      "of 'train' such steps are left out";
  DF_TRY(backup_->Close());
  DF_ASSIGN(const NotFiniteShare share, backup_->FindNotFinite());
  if (share.replica < 0) return Error(Code::kNotFinite, "step ", step, ": ", was, " is not finite", kEnd);
  DF_ASSIGN(const Origin origin, OriginInShare(share.replica, share.position, step - 1));
  return Error(Code::kNotFinite, origin.location, "step ", step, ": ", share.what, " of replica ", share.replica,
               " is not finite", RowsOfShare(share.position), origin.text, kEnd);
}

Status FiniteWatch::ExplainStop(int64_t step, const std::string& was) {
  if (backup_ != nullptr) return ExplainStopWithBackup(step, was);
  const Result<Again> again = RunAgain();
  const std::string head = StrCat("step ", step, ": ");
  const char* const kept = HasReplicas() ? "The replica made no update from then on" : "No update of the step was made";
  if (!again.ok()) {
    return Error(Code::kNotFinite, head, was,
                 " is not finite; running the step again, to name the node, failed: ", again.status().message());
  }
  const std::string culprit = Culprit(again->checked);
  if (culprit.empty()) {
    return Error(Code::kNotFinite, head, was, " was not finite, but all is when the step is run again, at a loss of ",
                 TextOf(again->checked[0]),
                 ": it depends on what a step uses up or changes itself, as a queue, or a "
                 "variable that the graph assigns and that does not say 'reduce'. ",
                 kept);
  }
  const Origin origin = OriginOf(*again, step);
  return Error(Code::kNotFinite, origin.location, head, culprit, origin.text, ". ", kept,
               ". A lower learning_rate or a clip_norm may keep it finite; with "
               "'on_nan: skip' of 'train' such steps are left out");
}

Status FiniteWatch::ExplainSkipped(int64_t step) {
  const std::string head =
      StrCat("the last ", row_.length, " steps, up to step ", step, ", made no update, since the loss or a gradient ",
             "was not finite in each of them: the variables are those of step ", step - row_.length);
  if (backup_ != nullptr) return Error(Code::kNotFinite, head, kAdvice);
  const Result<Again> again = RunAgain();
  const std::string culprit = again.ok() ? Culprit(again->checked) : "";
  if (culprit.empty()) return Error(Code::kNotFinite, head, kAdvice);
  const Origin origin = OriginOf(*again, step + 1);
  return Error(Code::kNotFinite, origin.location, head, ". In the next step ", culprit, origin.text, kAdvice);
}

Result<std::string> FiniteWatch::FindInVariables() {
  std::vector<Tensor> reports(parts_.not_finite.fetches.size());
  if (reports.empty()) return std::string();
  DF_ASSIGN(const Session::Handle check, session_.Prepare(parts_.not_finite));
  DF_TRY(session_.RunStep(check, {}, reports));
  for (const Tensor& report : reports) {
    if (!report.scalar<std::string>().empty()) return report.scalar<std::string>();
  }
  return std::string();
}

Status FiniteWatch::RefuseToSave(int64_t step, const std::string& found) const {
  if (spec_.train && spec_.train->on_nan == OnNan::kWarn) return Status();
  return Error(Code::kNotFinite, "step ", step, " is not saved: ", found,
               ". The checkpoints before it stay as they are. Where such values belong into a variable, it says "
               "'finite: false'");
}

}  // namespace dfrun
