// The schedule of a participant in a collective over point-to-point messages: what it sends, receives and reduces.
//
// A value is cut into as many parts as there are participants, and participant p reduces part p. Large parts are cut
// into segments, so that the first segment is reduced and sent on while the last one arrives. Each message has a
// channel of its own.
//
//   AllReduce      small values: everyone sends everyone the whole value. Others: part p goes to participant p, which
//                  reduces it and sends it to all: a reduce-scatter and an all-gather.
//   ReduceScatter  part p goes to participant p, which reduces it.
//   AllGather      everyone sends everyone its value.
//   Broadcast      down a binomial tree from the root.
#ifndef DFRUN_COMM_COLLECTIVES_EXCHANGE_SCHEDULE_H_
#define DFRUN_COMM_COLLECTIVES_EXCHANGE_SCHEDULE_H_

#include <cstdint>
#include <vector>

#include "src/framework/communication/collective.h"
#include "src/framework/communication/communicator.h"

namespace dfrun::comm {

// A message of elements [offset, offset + count) of a buffer, to or from another participant. It is never empty.
struct Transfer {
  enum class Buffer { kInput, kOutput, kScratch };
  int32_t channel;
  int32_t peer;  // rank
  bool is_send;
  Buffer buffer;
  int64_t offset;
  int64_t count;
  int32_t block = -1;  // block that awaits this receive; -1 for a send
};

// A range of the output that is complete once its receives have ended and its action has run.
struct Block {
  enum class Action { kNone, kReduce, kCopy };  // kCopy copies from the input
  Action action;
  int64_t input;   // offset of this participant's own contribution
  int64_t output;  // offset
  int64_t count;
  int32_t awaited;      // number of receives
  int64_t scratch = 0;  // offset of the first other contribution; each next one follows after `count` elements
  std::vector<Transfer> then = {};  // sends from the output, posted when the block is complete
};

// The messages and blocks of one participant. Made once and used in every step.
struct ExchangeSchedule {
  std::vector<Transfer> receives;
  std::vector<Transfer> sends;  // sends that can start at once
  std::vector<Block> blocks;
  int64_t scratch_elements = 0;
};

ExchangeSchedule MakeExchangeSchedule(const CollectivePlan& plan);
// Returns the number of channels that a collective needs.
int32_t ExchangeChannels(const CollectivePlan& plan);
// Returns the channels of the schedule's messages to and from other ranks.
std::vector<ChannelEndpoint> ExchangeEnds(const CollectivePlan& plan);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_COLLECTIVES_EXCHANGE_SCHEDULE_H_
