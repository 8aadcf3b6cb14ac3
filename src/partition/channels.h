// The channels of a graph: one for each value that crosses from one device to another.
#ifndef DFRUN_SRC_PARTITION_CHANNELS_H_
#define DFRUN_SRC_PARTITION_CHANNELS_H_

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "src/partition/distributed_loops.h"

namespace dfrun {

// Carries a value, or word that a node has run, to one device.
struct Channel {
  static constexpr int32_t kControl = -1;

  Output source;  // port kControl: only that the node has run
  int to;         // index of the device
  int32_t id;
  bool is_control() const { return source.port == kControl; }
};

// The channels so far, with an index by source and destination.
// Thread safety: one thread.
class ChannelTable {
 public:
  // Returns the index of the channel that carries `source` to device `to`, and adds it if it is not there.
  int Add(Output source, int to, int32_t* next_id);
  // Returns the index of an existing channel.
  int Find(Output source, int to) const { return index_.at({source, to}); }
  const Channel& at(int index) const { return channels_[static_cast<size_t>(index)]; }
  int size() const { return static_cast<int>(channels_.size()); }

 private:
  struct Key {
    Output source;
    int to;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const {
      const auto node = static_cast<size_t>(static_cast<uint32_t>(key.source.node));
      return (node << 24) + (static_cast<size_t>(key.source.port + 1) << 12) + static_cast<size_t>(key.to);
    }
  };

  std::vector<Channel> channels_;
  std::unordered_map<Key, int, KeyHash> index_;
};

// Returns true for a Const that waits for nothing. Such a node is copied to every device that reads it, not sent in
// every step.
bool IsCopied(const Node& node);

// Finds the channels of the graph, in the order of their first readers in `order`. `device`: by node, the index of its
// device. `loops`: the graph's. InvalidArgument: a ref input from another device; a value that is read inside a loop
// without an Enter. Unimplemented: a ref that a loop passes to another device.
Result<ChannelTable> FindChannels(const Graph& graph, const std::vector<NodeId>& order, const std::vector<int>& device,
                                  const DistributedFrames& loops, int32_t* next_channel);

// Returns true for a node with the attr `_after_reads` (see partition.h).
bool IsAfterReads(const Node& node);
// `node` is such a node with a control edge from `reader`. True if the reader reads, on another device, a variable that
// the node updates: the node then waits for the Send of the variable instead.
bool IsReadBySend(const Graph& graph, const std::vector<int>& device, const Node& node, NodeId reader);

}  // namespace dfrun

#endif  // DFRUN_SRC_PARTITION_CHANNELS_H_
