// The channels of a step before and after replicas are stamped (stamp_replicas.h).
#ifndef DFRUN_JOBS_PLAN_STAMPED_CHANNELS_H_
#define DFRUN_JOBS_PLAN_STAMPED_CHANNELS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun::jobs {

// The channels of a step, in the order of their numbers.
class StampedChannels {
 public:
  // Says that a channel of the last device stands where `before` does on the last but one.
  void Pair(int64_t before, int64_t last) {
    Grow(std::max(before, last));
    of_[Index(before)].next = last;
    of_[Index(before)].site = kBefore;
    of_[Index(last)].site = kLast;
  }
  bool ArePaired(int64_t before, int64_t last) const {
    return before >= 0 && before < size() && of_[Index(before)].next == last;
  }
  void Grow(int64_t channel) {
    if (channel >= size()) of_.resize(Index(channel) + 1);
  }

  // Gives the channels of copies numbers behind those of the last device, which come right behind those of the one
  // before, and the others later ones. False: they do not come so.
  bool Number(int copies);
  int64_t NumberOf(int64_t channel) const { return of_[Index(channel)].number; }
  int64_t StepOf(int64_t channel) const { return of_[Index(channel)].step; }

 private:
  enum Site { kOther, kBefore, kLast };
  struct Channel {
    Site site = kOther;
    int64_t next = -1;  // the channel of the last device
    int64_t number = 0;
    int64_t step = 0;
  };

  static size_t Index(int64_t i) { return static_cast<size_t>(i); }
  int64_t size() const { return static_cast<int64_t>(of_.size()); }

  std::vector<Channel> of_;
};

// Gives the ends of channels their numbers, and the names that these make.
void NumberEnds(const StampedChannels& channels, Graph& graph);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PLAN_STAMPED_CHANNELS_H_
