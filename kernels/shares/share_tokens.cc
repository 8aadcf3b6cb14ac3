#include "kernels/shares/share_tokens.h"

#include <algorithm>
#include <utility>

namespace dfrun {

Status ShareTokens::Open(const ShareOptions& options, int64_t first_step, int64_t end_step, int64_t position,
                         int64_t not_finite_row) {
  Finished finished;
  MutexLock lock(mu_);
  if (!begun_.empty()) return FailedPrecondition(begun_.size(), " shares have not ended");
  options_ = options;
  first_step_ = done_steps_ = first_step;
  end_step_ = end_step;
  position_ = position;
  handed_out_ = 0;
  opened_ = Clock::now();
  stop_step_ = -1;
  stopped_ = {};
  not_finite_row_ = not_finite_row;
  staleness_.clear();
  steps_.clear();
  lines_of_steps_.clear();
  const auto takers = static_cast<size_t>(options.takers);
  taken_.assign(takers, 0);
  ended_of_.resize(takers, 0);
  waited_s_of_.resize(takers, 0);
  ServeLines(finished);
  return Status();
}

// The next share; in turn, the replica's own.
int64_t ShareTokens::NextShare(int64_t replica) const {
  const int64_t first = first_step_ * options_.replicas;
  if (options_.max_staleness != 0) return first + handed_out_;
  return first + taken_[static_cast<size_t>(replica)] * options_.replicas + replica;
}

// In turn, all shares of a step are handed out or none: they wait for each other.
bool ShareTokens::Refuses(int64_t step) const {
  if (step >= end_step_) return true;
  return stop_step_ >= 0 && (options_.max_staleness != 0 || step > stop_step_);
}

AsyncWaitQueue::Progress ShareTokens::ServeTaking(Taking& taking) {
  const auto replica = static_cast<size_t>(taking.taker());
  if (replica >= taken_.size()) {
    if (!taking.Claim()) return Progress::kGone;
    taking.set_status(FailedPrecondition("replica ", replica, " takes a share that nobody hands out"));
    return Progress::kEnds;
  }
  const int64_t share = NextShare(taking.taker());
  const int64_t step = share / options_.replicas;
  const bool is_refused = Refuses(step);
  const bool is_bounded = options_.max_staleness >= 0;
  if (!is_refused && is_bounded && done_steps_ < step - options_.max_staleness) return Progress::kWaits;
  if (!taking.Claim()) return Progress::kGone;
  waited_s_of_[replica] += taking.WaitedSeconds();
  if (is_refused) {
    taking.Give({.refusal = ShareToken::kNoShare});
    return Progress::kEnds;
  }
  const int64_t rows_before = (share - first_step_ * options_.replicas) * options_.rows;
  taking.Give({.share = share, .step = step, .position = position_ + rows_before});
  ++taken_[replica];
  ++handed_out_;
  begun_[share] = {.ended_before = ended_};
  return Progress::kEnds;
}

Status ShareTokens::End(const ShareToken& token, int64_t replica, std::span<const double> report) {
  if (!token.is_given()) return Status();
  Finished finished;
  MutexLock lock(mu_);
  if (begun_.count(token.share) == 0) return Internal("share ", token.share, " ends, and has not begun");
  if (static_cast<int64_t>(report.size()) != options_.values + 1)
    return Internal("a share reports ", report.size(), " values, not ", options_.values + 1);
  Count(token, replica, static_cast<int64_t>(report[0]));
  OpenStep& step = steps_[token.step];
  ++step.ended;
  if (IsLogged(token.step)) {
    step.values.resize(static_cast<size_t>(options_.replicas * options_.values));
    const int64_t slot = token.share % options_.replicas;
    std::copy(report.begin() + 1, report.end(), step.values.begin() + slot * options_.values);
  }
  EndSteps();
  ServeLines(finished);
  return Status();
}

void ShareTokens::Count(const ShareToken& token, int64_t replica, int64_t found) {
  const auto begun = begun_.extract(token.share);
  const auto staleness = static_cast<double>(ended_ - begun.mapped().ended_before);
  staleness_sum_ += staleness;
  staleness_max_ = std::max(staleness_max_, staleness);
  ++staleness_[ended_ - begun.mapped().ended_before];
  ++ended_;
  ++ended_of_[static_cast<size_t>(replica)];
  if (found == 0) {
    not_finite_row_ = 0;
    return;
  }
  ++not_finite_;
  ++not_finite_row_;
  if (first_not_finite_ == 0) first_not_finite_ = found;
  if (options_.most_skipped == 0 || not_finite_row_ < options_.most_skipped || stop_step_ >= 0) return;
  stop_step_ = token.step;
  stopped_ = {.found = found, .share = token.share, .position_of_share = token.position, .replica = replica};
}

void ShareTokens::EndSteps() {
  for (auto it = steps_.find(done_steps_); it != steps_.end() && it->second.ended == options_.replicas;
       it = steps_.find(done_steps_)) {
    if (IsLogged(done_steps_)) AddLine(done_steps_, it->second);
    steps_.erase(it);
    ++done_steps_;
  }
}

void ShareTokens::AddLine(int64_t step, const OpenStep& ended) {
  std::vector<double> line = {static_cast<double>(step + 1),
                              SecondsOpen(),
                              static_cast<double>(ended_),
                              static_cast<double>(not_finite_),
                              static_cast<double>(std::exchange(first_not_finite_, 0)),
                              staleness_sum_,
                              std::exchange(staleness_max_, 0)};
  line.insert(line.end(), ended_of_.begin(), ended_of_.end());
  line.insert(line.end(), waited_s_of_.begin(), waited_s_of_.end());
  line.insert(line.end(), ended.values.begin(), ended.values.end());
  lines_of_steps_.push_back(std::move(line));
}

std::vector<std::vector<double>> ShareTokens::TakeLines() {
  MutexLock lock(mu_);
  return std::exchange(lines_of_steps_, {});
}

Result<EndOfShares> ShareTokens::Close() {
  MutexLock lock(mu_);
  if (!begun_.empty()) return Internal("share ", begun_.begin()->first, " has not ended");
  EndOfShares end = stopped_;
  end.steps = done_steps_;
  end.row = not_finite_row_;
  end.position = position_ + handed_out_ * options_.rows;
  end.staleness = std::move(staleness_);
  staleness_.clear();
  end_step_ = first_step_;  // no token until the next period
  open_s_ = SecondsOpen();
  taken_.clear();
  return end;
}

}  // namespace dfrun
