#include "src/job/share_runs.h"

#include <algorithm>

#include "src/base/text.h"
#include "src/job/rounded.h"
#include "src/training/job_graph_draft.h"

namespace dfrun {
namespace {

// The columns of _ShareLines: these, then two a replica, then the values of each share.
enum Column { kStep, kTime, kEnded, kNotFinite, kFirstNotFinite, kStalenessSum, kStalenessMax, kColumns };

// A number in a dtype that holds it.
Tensor NumberAs(DType dtype, double value) {
  if (IsFloating(dtype)) return ScalarOf(dtype, value);
  Tensor t(dtype, Shape());
  VisitDType<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    *t.data<T>() = static_cast<T>(value);
  });
  return t;
}

}  // namespace

Status ShareRuns::Prepare() {
  DF_ASSIGN(handles_, session_.PrepareAll(parts_.apart->steps));
  DF_ASSIGN(open_, session_.Prepare(parts_.apart->open));
  DF_ASSIGN(lines_, session_.Prepare(parts_.apart->lines));
  DF_ASSIGN(close_, session_.Prepare(parts_.apart->close));
  loops_.resize(handles_.size());
  running_.resize(handles_.size());
  totals_.ended_of.resize(handles_.size());
  totals_.waited_s_of.resize(handles_.size());
  return Status();
}

// Requests become shorter towards the end, so that no replica has much to do when the others have nothing left.
int64_t ShareRuns::NextRequest(size_t loop) const {
  if (ends_) return 0;
  const int64_t most = loops_[loop].size.most();
  if (parts_.apart->in_turn) return std::min(most, shares_ / replicas() - loops_[loop].asked);
  const int64_t left = shares_ - asked_;
  return std::min(most, (left + 2 * loops() - 1) / (2 * loops()));
}

Status ShareRuns::Begin(size_t loop, int64_t steps) {
  Loop& r = loops_[loop];
  r.size.Begin(steps);
  r.asked += steps;
  asked_ += steps;
  DF_ASSIGN(running_[loop], session_.StartSteps(handles_[loop], steps));
  return Status();
}

Status ShareRuns::TakeEnded(size_t loop) {
  const std::unique_ptr<PendingStep> ended = std::move(running_[loop]);
  DF_TRY(ended->Wait({}));
  loops_[loop].size.End();
  return Status();
}

Status ShareRuns::WaitForSome() {
  session_.WaitForAny(running_);
  bool any = false;
  for (size_t r = 0; r < running_.size(); ++r) {
    if (running_[r] == nullptr || !running_[r]->ended()) continue;
    any = true;
    DF_TRY(TakeEnded(r));
  }
  if (any) return Status();
  // The network has failed: a run that has not ended says so.
  const auto first = std::find_if(running_.begin(), running_.end(), [](const auto& run) { return run != nullptr; });
  return TakeEnded(static_cast<size_t>(first - running_.begin()));
}

void ShareRuns::CutShort() {
  int64_t steps = (asked_ + replicas() - 1) / replicas();
  if (parts_.apart->in_turn) {
    for (const Loop& l : loops_) steps = std::max(steps, l.asked);
  }
  shares_ = std::min(shares_, steps * replicas());
}

Result<SharesEnd> ShareRuns::Run(int64_t first, int64_t end, int64_t row, const Hooks& hooks) {
  const Tensor steps[] = {Tensor::Vector<int64_t>({first, end, row})};
  DF_TRY(session_.RunStep(open_, steps, {}));
  shares_ = (end - first) * replicas();
  asked_ = 0;
  ends_ = false;
  for (Loop& l : loops_) l.asked = 0;
  for (;;) {
    if (hooks.is_stopping()) CutShort();
    for (size_t r = 0; r < running_.size(); ++r) {
      if (running_[r] != nullptr) continue;
      const int64_t more = NextRequest(r);
      if (more > 0) DF_TRY(Begin(r, more));
    }
    if (std::all_of(running_.begin(), running_.end(), [](const auto& run) { return run == nullptr; })) break;
    DF_TRY(WaitForSome());
    DF_TRY(TellLines(hooks));
  }
  return Close();
}

Status ShareRuns::TellLines(const Hooks& hooks) {
  Tensor fetched[2];
  DF_TRY(session_.RunStep(lines_, {}, fetched));
  const int64_t columns = fetched[0].shape()[1];
  const int64_t lines = fetched[0].shape()[0];
  for (int64_t i = 0; i < lines; ++i) {
    ShareLine line = MakeLine(fetched[0].data<double>() + i * columns);
    line.is_last = i + 1 == lines;
    DF_TRY(hooks.on_line(line));
  }
  ends_ = fetched[1].scalar<bool>();
  return Status();
}

ShareLine ShareRuns::MakeLine(const double* columns) {
  ShareLine line;
  line.step = static_cast<int64_t>(columns[kStep]);
  line.not_finite = static_cast<int64_t>(columns[kNotFinite] - totals_.not_finite);
  line.first_found = static_cast<int32_t>(columns[kFirstNotFinite]);
  line.seconds = columns[kTime] - totals_.time_s;
  const double ended = columns[kEnded] - totals_.ended;
  const auto tell = [&](const std::string& name, double value) {
    line.timings.emplace_back("async/" + name, Tensor::Scalar(Rounded(value)));
  };
  tell("staleness_mean", (columns[kStalenessSum] - totals_.staleness_sum) / std::max(ended, 1.0));
  tell("staleness_max", columns[kStalenessMax]);
  const double* const ended_of = columns + kColumns;
  const double* const waited_of = ended_of + loops();
  const int64_t loops_each = loops() / replicas();
  for (int64_t r = 0; r < replicas() && totals_.time_s > 0 && line.seconds > 0; ++r) {
    double updates = 0;
    double waited_s = 0;
    for (int64_t loop = r * loops_each; loop < (r + 1) * loops_each; ++loop) {
      updates += ended_of[loop] - totals_.ended_of[static_cast<size_t>(loop)];
      waited_s += waited_of[loop] - totals_.waited_s_of[static_cast<size_t>(loop)];
    }
    tell(StrCat("updates_per_s/", r), updates / line.seconds);
    tell(StrCat("waiting/", r), waited_s / line.seconds / static_cast<double>(loops_each));
  }
  totals_ = {.time_s = columns[kTime],
             .ended = columns[kEnded],
             .not_finite = columns[kNotFinite],
             .staleness_sum = columns[kStalenessSum],
             .ended_of = {ended_of, ended_of + loops()},
             .waited_s_of = {waited_of, waited_of + loops()}};
  const double* const values = waited_of + loops();
  const auto count = static_cast<int64_t>(parts_.apart->dtypes.size());
  for (int64_t i = 0; i < count; ++i) {
    const DType dtype = parts_.apart->dtypes[static_cast<size_t>(i)];
    double value = values[i];
    if (IsFloating(dtype)) {
      for (int64_t r = 1; r < replicas(); ++r) value += values[r * count + i];
      value /= static_cast<double>(replicas());
    }
    line.values.emplace_back(parts_.step.names[static_cast<size_t>(i)], NumberAs(dtype, value));
  }
  return line;
}

Result<SharesEnd> ShareRuns::Close() {
  Tensor fetched[2];
  DF_TRY(session_.RunStep(close_, {}, fetched));
  const int64_t* const end = fetched[0].data<int64_t>();
  SharesEnd closed = {.steps = end[0],
                      .found = static_cast<int32_t>(end[1]),
                      .share = end[2],
                      .position = end[3],
                      .replica = end[4] / (loops() / replicas()),
                      .row = end[5]};
  const int64_t* const staleness = fetched[1].data<int64_t>();
  for (int64_t i = 0; i < fetched[1].shape()[0]; ++i) closed.staleness[staleness[2 * i]] = staleness[2 * i + 1];
  return closed;
}

}  // namespace dfrun
