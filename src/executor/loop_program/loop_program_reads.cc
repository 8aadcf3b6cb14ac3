#include "src/executor/loop_program/loop_program_reads.h"

#include <algorithm>

namespace dfrun {

void LoopReads::Note(uint32_t slot, By by, uint32_t index, GuardId guard) {
  std::vector<Read>& reads = reads_[slot];
  const bool is_noted = !reads.empty() && reads.back().by == by && reads.back().index == index;
  if (!is_noted || by == By::kKeeper) reads.push_back({by, index, guard});
}

void LoopReads::FindLast() {
  for (std::vector<Read>& reads : reads_) {
    for (auto read = reads.begin(); read != reads.end(); ++read) {
      read->is_last = std::all_of(read + 1, reads.end(),
                                  [&](const Read& later) { return guards_.Exclude(read->guard, later.guard); });
    }
  }
}

}  // namespace dfrun
