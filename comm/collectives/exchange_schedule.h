// Which messages a participant sends and receives in a collective over point-to-point messages, and what it folds.
//
// A value is cut into as many parts as there are participants, participant p folds part p, and large parts into
// segments, so that the first is folded and on its way while the last arrives. Each message is on a channel of its own.
//
//   AllReduce      small values: everyone sends everyone the whole value. Others: part p goes to participant p, which
//                  folds it and sends it to all: a reduce-scatter and an all-gather.
//   ReduceScatter  part p goes to participant p, which folds it.
//   AllGather      everyone sends everyone its value.
//   Broadcast      down a binomial tree from the root.
#ifndef DFRUN_COMM_COLLECTIVES_EXCHANGE_SCHEDULE_H_
#define DFRUN_COMM_COLLECTIVES_EXCHANGE_SCHEDULE_H_

#include <cstdint>
#include <vector>

#include "src/framework/collective.h"
#include "src/framework/communicator.h"

namespace dfrun::comm {

// Elements [offset, offset + count) of a buffer, to or from a participant. None is empty.
struct Transfer {
  enum class Buffer { kInput, kOutput, kScratch };
  int32_t channel;
  int32_t peer;  // rank
  bool is_send;
  Buffer buffer;
  int64_t offset;
  int64_t count;
  int32_t block = -1;  // of a receive: the block that it is awaited by
};

// A range of the output that is there when its receives are, and folded or copied then.
struct Block {
  enum class Action { kNone, kFold, kCopy };  // kCopy: of the input
  Action action;
  int64_t input;   // offset of what this participant brings
  int64_t output;  // offset
  int64_t count;
  int32_t awaited;      // receives
  int64_t scratch = 0;  // offset of what the first of the others brings; the next follows after `count` elements
  std::vector<Transfer> then = {};  // sends from the output
};

// Of one participant; made once, used in every step.
struct ExchangeSchedule {
  std::vector<Transfer> receives;
  std::vector<Transfer> sends;  // that wait for nothing
  std::vector<Block> blocks;
  int64_t scratch_elements = 0;
};

ExchangeSchedule MakeExchangeSchedule(const CollectivePlan& plan);
// Channels that a collective needs.
int32_t ExchangeChannels(const CollectivePlan& plan);
// The messages of the schedule that go to and come from other ranks.
std::vector<ChannelEndpoint> ExchangeEnds(const CollectivePlan& plan);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_COLLECTIVES_EXCHANGE_SCHEDULE_H_
