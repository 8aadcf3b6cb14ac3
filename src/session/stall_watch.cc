#include "src/session/stall_watch.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/base/status.h"

namespace dfrun {
namespace {

// The time for ranks to answer; a rank that has not answered then is silent.
constexpr std::chrono::seconds kAnswerTime(4);
// The time between the two looks at a stall.
constexpr std::chrono::milliseconds kBetween(500);

}  // namespace

bool StallWatch::IsStalled(Clock::time_point now) {
  const int64_t progress = options_.progress();
  if (progress != progress_ || !options_.is_in_step()) {
    progress_ = progress;
    moved_ = now;
    has_reported_ = false;
  }
  return options_.after.count() > 0 && now - moved_ >= options_.after;
}

void StallWatch::OnTick() {
  const Clock::time_point now = Clock::now();
  const bool is_stalled = IsStalled(now);
  if (purpose_ != Purpose::kNone) {
    if (HasAll() || now - asked_ >= kAnswerTime) Conclude();
  } else if (second_due_) {
    if (now >= *second_due_) Ask(Purpose::kSecond);
  } else if (is_stalled && !has_reported_) {
    Ask(Purpose::kFirst);
  }
}

void StallWatch::OnRequest() {
  if (purpose_ == Purpose::kNone && !second_due_) Ask(Purpose::kAsked);
}

void StallWatch::Ask(Purpose purpose) {
  purpose_ = purpose;
  second_due_.reset();
  answers_.assign(static_cast<size_t>(options_.ranks), std::nullopt);
  asked_ = Clock::now();
  watch_.Ask(++question_);
}

void StallWatch::OnAnswer(int64_t question, int rank, const std::string& answer) {
  if (question != question_ || rank < 0 || static_cast<size_t>(rank) >= answers_.size()) return;
  control::RankReport report;
  if (report.ParseFromString(answer)) answers_[static_cast<size_t>(rank)] = std::move(report);
}

bool StallWatch::HasAll() const {
  return std::all_of(answers_.begin(), answers_.end(), [](const auto& answer) { return answer.has_value(); });
}

void StallWatch::Conclude() {
  const Purpose purpose = std::exchange(purpose_, Purpose::kNone);
  if (purpose == Purpose::kFirst && HasAll()) {
    before_ = answers_;
    second_due_ = Clock::now() + kBetween;
    return;
  }
  if (purpose == Purpose::kAsked) return Say("what the ranks wait for, as a signal asks");
  has_reported_ = true;
  const double seconds = std::round(std::chrono::duration<double>(Clock::now() - moved_).count() * 10) / 10;
  const std::string stalled = StrCat("no step has ended on rank 0 for ", seconds, " s");
  const std::string stuck = purpose == Purpose::kSecond ? WhyStuck(before_, answers_) : "";
  if (stuck.empty()) return Say(stalled + "; the job goes on");
  options_.on_stuck(
      FailedPrecondition("the job can never go on: ", stuck, " (", stalled, "):\n", WaitGraph(answers_).Text()));
}

void StallWatch::Say(const std::string& why) const {
  options_.say(StrCat(why, ":\n", WaitGraph(answers_).Text()));
}

}  // namespace dfrun
