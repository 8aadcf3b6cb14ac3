// A rank's watch over the other ranks, by a network of its own beside the one that carries values and control messages:
// it tells whether they live, and answers questions while all threads of a rank are blocked or in kernels. comm/
// implements it; src/ sees this interface alone.
#ifndef DFRUN_SRC_FRAMEWORK_COMMUNICATION_RANK_WATCH_H_
#define DFRUN_SRC_FRAMEWORK_COMMUNICATION_RANK_WATCH_H_

#include <cstdint>
#include <functional>
#include <string>

#include "src/base/status.h"

namespace dfrun {

// Thread safety: all methods from any thread.
class RankWatch {
 public:
  // Called on the watch's thread, one at a time, without a lock of the watch. None may block for long.
  struct Events {
    // A rank was declared dead, this one or another: Unavailable, with the evidence. The first call counts.
    std::function<void(const Status&)> on_lost;
    // Called some times a second.
    std::function<void()> on_tick;
    // Returns this rank's answer to a question of rank 0.
    std::function<std::string()> on_question;
    // Rank 0: the answer of a rank to a question.
    std::function<void(int64_t question, int rank, std::string answer)> on_answer;
    // Rank 0: a rank would have it ask.
    std::function<void()> on_request;
  };

  virtual ~RankWatch() = default;

  // The life of these ranks: a random number that only they have, and how many of them were declared dead as far as
  // this rank knows. It stands in every control message: one with less than the receiver's is of before the loss.
  virtual uint64_t epoch() const = 0;
  // Sets the receiver of events, once. A loss that came before is told at once.
  virtual void Attach(Events events) = 0;
  // Removes the receiver. No event is being told when this returns, and none will be.
  virtual void Detach() = 0;
  // Rank 0: every rank that lives is asked, this one too.
  virtual void Ask(int64_t question) = 0;
  // Asks rank 0, by whatever ranks live, to Ask() all ranks.
  virtual void Request() = 0;
};

// Epochs of the same ranks have the same upper bits.
struct Epoch {
  static constexpr uint64_t kLosses = 0xffff;  // the bits that count
  static constexpr bool OfSameRanks(uint64_t a, uint64_t b) { return (a & ~kLosses) == (b & ~kLosses); }
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_COMMUNICATION_RANK_WATCH_H_
