#include "kernels/shares/backup_shares.h"

#include <algorithm>

namespace dfrun {

Status BackupShares::Open(const BackupOptions& options, int64_t first_step, int64_t end_step, int64_t position,
                          std::span<const int64_t> returned) {
  Finished finished;
  MutexLock lock(mu_);
  if (step_ < end_step_) return FailedPrecondition("the steps up to ", end_step_, " have not ended");
  options_ = options;
  step_ = first_step;
  end_step_ = end_step;
  // Without rows a position is the share's number.
  position_ = options.rows > 0 ? position : first_step * options.replicas;
  returned_ = {returned.begin(), returned.end()};
  const auto needed = (options.steps - first_step) * options.replicas;
  new_left_ = std::max<int64_t>(needed - static_cast<int64_t>(returned_.size()), 0);
  in_work_.clear();
  named_.clear();
  const auto takers = static_cast<size_t>(options.takers());
  has_taken_.assign(takers, false);
  named_of_.resize(takers, 0);
  late_of_.resize(takers, 0);
  waited_s_of_.resize(takers, 0);
  ServeLines(finished);
  return Status();
}

// A replica takes one share a step, unless too few others are left to make the step: they may still be at work on
// shares of steps before.
bool BackupShares::MayTake(int64_t taker) const {
  const auto handed_out = static_cast<int64_t>(named_.size() + in_work_.size());
  if (static_cast<int64_t>(named_.size()) == options_.replicas || !HasShare()) return false;
  if (handed_out < options_.replicas) return true;
  return handed_out < options_.takers() && !has_taken_[static_cast<size_t>(taker)];
}

int64_t BackupShares::NextShare() {
  if (!returned_.empty()) return returned_.extract(returned_.begin()).value();
  --new_left_;
  const int64_t position = position_;
  position_ += rows();
  return position;
}

AsyncWaitQueue::Progress BackupShares::ServeTaking(Taking& taking) {
  const auto taker = static_cast<size_t>(taking.taker());
  const bool is_refused = step_ >= end_step_;
  if (!is_refused && taker >= has_taken_.size()) {
    if (!taking.Claim()) return Progress::kGone;
    taking.set_status(FailedPrecondition("replica ", taker, " takes a share that nobody hands out"));
    return Progress::kEnds;
  }
  if (!is_refused && !MayTake(taking.taker())) return Progress::kWaits;
  if (!taking.Claim()) return Progress::kGone;
  if (is_refused) {
    taking.Give({.refusal = ShareToken::kNoShare});
    return Progress::kEnds;
  }
  waited_s_of_[taker] += taking.WaitedSeconds();
  has_taken_[taker] = true;
  const int64_t position = NextShare();
  in_work_.insert(position);
  taking.Give({.share = position, .step = step_, .position = position});
  return Progress::kEnds;
}

ShareToken BackupShares::Offer(const ShareToken& token, int64_t replica, int64_t found) {
  constexpr ShareToken kLate = {.refusal = ShareToken::kNoShare};
  if (!token.is_given()) return kLate;
  MutexLock lock(mu_);
  const bool is_open = token.step == step_ && step_ < end_step_;
  if (!is_open || in_work_.erase(token.position) == 0) {
    ++late_of_[static_cast<size_t>(replica)];
    return kLate;
  }
  named_.push_back({token.position, replica, found});
  ++named_of_[static_cast<size_t>(replica)];
  if (static_cast<int64_t>(named_.size()) == options_.replicas) returned_.merge(in_work_);
  return token;
}

Status BackupShares::EndStep() {
  Finished finished;
  MutexLock lock(mu_);
  if (static_cast<int64_t>(named_.size()) != options_.replicas || step_ >= end_step_)
    return FailedPrecondition("step ", step_ + 1, " ends with ", named_.size(), " of ", options_.replicas, " shares");
  last_named_ = std::exchange(named_, {});
  std::fill(has_taken_.begin(), has_taken_.end(), false);
  ++step_;
  ServeLines(finished);
  return Status();
}

std::vector<NamedShare> BackupShares::last_named() const {
  MutexLock lock(mu_);
  return last_named_;
}

std::vector<double> BackupShares::Use() const {
  MutexLock lock(mu_);
  std::vector<double> use = named_of_;
  use.insert(use.end(), late_of_.begin(), late_of_.end());
  use.insert(use.end(), waited_s_of_.begin(), waited_s_of_.end());
  return use;
}

BackupShares::Rest BackupShares::Close() {
  Finished finished;
  MutexLock lock(mu_);
  returned_.merge(in_work_);
  for (const NamedShare& share : named_) returned_.insert(share.position);
  named_.clear();
  end_step_ = step_;
  ServeLines(finished);
  return {position_, {returned_.begin(), returned_.end()}};
}

}  // namespace dfrun
