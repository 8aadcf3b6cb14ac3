// A watch on rank 0 that notices when no step ends, asks all ranks what they wait for, and reports it.
#ifndef DFRUN_SRC_SESSION_STALL_WATCH_H_
#define DFRUN_SRC_SESSION_STALL_WATCH_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "src/framework/communication/rank_watch.h"
#include "src/session/wait_graph.h"

namespace dfrun {

struct StallOptions {
  std::chrono::duration<double> after{};  // without progress; 0: nobody looks
  int ranks = 1;
  // Whether rank 0 waits for steps, or for another request to all ranks, and a count that grows with each.
  std::function<bool()> is_in_step;
  std::function<int64_t()> progress;
  // Tells a person.
  std::function<void(const std::string& report)> say;
  // Called when no step will ever go on, with FailedPrecondition and the report.
  std::function<void(const Status& stuck)> on_stuck;
};

// Watches rank 0's steps for a stall.
// Thread safety: the watch's thread alone, which calls it by the events of the watch.
class StallWatch {
 public:
  StallWatch(RankWatch& watch, StallOptions options) : watch_(watch), options_(std::move(options)) {}

  void OnTick();
  // A person asks, by a signal to some rank.
  void OnRequest();
  void OnAnswer(int64_t question, int rank, const std::string& answer);

 private:
  using Clock = std::chrono::steady_clock;
  // The reason of the question under way: the first of a stall, the second of it, or a person's.
  enum class Purpose { kNone, kFirst, kSecond, kAsked };

  void Ask(Purpose purpose);
  bool IsStalled(Clock::time_point now);
  bool HasAll() const;
  void Conclude();
  void Say(const std::string& why) const;

  RankWatch& watch_;
  const StallOptions options_;
  Purpose purpose_ = Purpose::kNone;
  int64_t question_ = 0;
  Clock::time_point asked_{};
  std::optional<Clock::time_point> second_due_;
  RankReports answers_;
  RankReports before_;
  int64_t progress_ = -1;
  Clock::time_point moved_{};
  bool has_reported_ = false;  // this stall
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_STALL_WATCH_H_
