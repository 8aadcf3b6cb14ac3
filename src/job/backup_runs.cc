#include "src/job/backup_runs.h"

#include <algorithm>

#include "src/base/text.h"
#include "src/job/rounded.h"

namespace dfrun {

Status BackupRuns::Prepare() {
  DF_ASSIGN(handles_, session_.PrepareAll(parts_.steps));
  DF_ASSIGN(open_, session_.Prepare(parts_.open));
  DF_ASSIGN(close_, session_.Prepare(parts_.close));
  DF_ASSIGN(abort_, session_.Prepare(parts_.abort));
  DF_ASSIGN(use_, session_.Prepare(parts_.lines));
  sizes_.resize(handles_.size());
  running_.resize(handles_.size() + 1);
  told_.resize(3 * handles_.size());
  return Status();
}

Status BackupRuns::Open(int64_t first, int64_t end) {
  const Tensor steps[] = {Tensor::Vector<int64_t>({first, end})};
  DF_TRY(session_.RunStep(open_, steps, {}));
  left_ = end - first;
  return Status();
}

// Requests become shorter towards the end, so that no replica computes much that nobody takes.
Status BackupRuns::Begin(size_t replica) {
  const int64_t steps = std::min(sizes_[replica].most(), (left_ + 1) / 2);
  sizes_[replica].Begin(steps);
  DF_ASSIGN(running_[replica], session_.StartSteps(handles_[replica], steps));
  return Status();
}

Status BackupRuns::TakeEnded(size_t replica) {
  const std::unique_ptr<PendingStep> ended = std::move(running_[replica]);
  DF_TRY(ended->Wait({}));
  sizes_[replica].End();
  return Status();
}

Status BackupRuns::RunStep(Session::Handle handle, std::span<Tensor> fetches, int64_t number) {
  const Clock::time_point begun = Clock::now();
  DF_ASSIGN(running_.back(), session_.StartStep(handle, {}, number));
  Status status = RunBeside(fetches);
  if (!status.ok()) {
    Abort();
    running_.back() = nullptr;
    return status;
  }
  --left_;
  steps_time_ += Clock::now() - begun;
  return Status();
}

Status BackupRuns::RunBeside(std::span<Tensor> fetches) {
  for (;;) {
    for (size_t r = 0; r < handles_.size(); ++r) {
      if (running_[r] == nullptr) DF_TRY(Begin(r));
    }
    session_.WaitForAny(running_);
    bool any = false;
    for (size_t r = 0; r < handles_.size(); ++r) {
      if (running_[r] == nullptr || !running_[r]->ended()) continue;
      any = true;
      DF_TRY(TakeEnded(r));
    }
    // The network may have failed: a run that has not ended says so.
    if (!running_.back()->ended() && any) continue;
    const std::unique_ptr<PendingStep> step = std::move(running_.back());
    return step->Wait(fetches);
  }
}

void BackupRuns::Abort() {
  // An error of a session of several ranks has ended what waits there; this one says nothing new then.
  static_cast<void>(session_.RunStep(abort_, {}, {}));
}

Status BackupRuns::Close() {
  if (!is_open()) return Status();
  left_ = -1;
  Tensor fetched[1];
  Status status = session_.RunStep(close_, {}, fetched);
  for (size_t r = 0; r < handles_.size(); ++r) {
    if (running_[r] == nullptr) continue;
    const Status ended = TakeEnded(r);
    if (status.ok()) status = ended;
  }
  return status;
}

Result<std::vector<std::pair<std::string, Tensor>>> BackupRuns::TakeTimings() {
  Tensor fetched[1];
  DF_TRY(session_.RunStep(use_, {}, fetched));
  const std::span<const double> use = fetched[0].values<double>();
  const double seconds = std::chrono::duration<double>(std::exchange(steps_time_, {})).count();
  const size_t count = handles_.size();
  std::vector<std::pair<std::string, Tensor>> timings;
  if (use.size() == told_.size() && seconds > 0) {
    for (size_t r = 0; r < count; ++r) {
      const auto since = [&](size_t column) { return use[column * count + r] - told_[column * count + r]; };
      timings.emplace_back(StrCat("backup/late/", r), Tensor::Scalar<int64_t>(static_cast<int64_t>(since(1))));
      timings.emplace_back(StrCat("backup/updates_per_s/", r), Tensor::Scalar(Rounded(since(0) / seconds)));
      timings.emplace_back(StrCat("backup/waiting/", r), Tensor::Scalar(Rounded(since(2) / seconds)));
    }
  }
  told_.assign(use.begin(), use.end());
  return timings;
}

Result<NotFiniteShare> BackupRuns::FindNotFinite() {
  DF_ASSIGN(const Session::Handle handle, session_.Prepare(parts_.named));
  Tensor fetched[1];
  DF_TRY(session_.RunStep(handle, {}, fetched));
  const std::span<const int64_t> named = fetched[0].values<int64_t>();
  for (size_t i = 0; i + 2 < named.size(); i += 3) {
    const auto found = static_cast<size_t>(named[i + 2]);
    if (found == 0 || found > parts_.checked_names.size()) continue;
    return NotFiniteShare{.position = named[i], .replica = named[i + 1], .what = parts_.checked_names[found - 1]};
  }
  return NotFiniteShare{.position = 0, .replica = -1, .what = {}};
}

}  // namespace dfrun
