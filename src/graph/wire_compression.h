// Lossy compression between ranks: float32 values travel as their upper 16 bits, a bfloat16 each. Source: TensorFlow
// white paper (2015) section 5.5, "Lossy Compression". The partitioner inserts the nodes (src/partition/partition.h).
#ifndef DFRUN_SRC_GRAPH_WIRE_COMPRESSION_H_
#define DFRUN_SRC_GRAPH_WIRE_COMPRESSION_H_

#include <cstdint>

#include "src/graph/graph.h"

namespace dfrun {

// The compression of edges whose source does not ask for it itself.
enum class WireCompression : uint8_t {
  kNone,
  kHosts,  // edges between hosts
  kRanks,  // edges between ranks
};

// The attr of a node whose outputs travel so wherever they go.
inline constexpr char kCompressAttr[] = "_compress";

// Takes the attrs of a node, or of one that is to be made.
inline void MarkCompressed(AttrMap& attrs) {
  attrs.Set(kCompressAttr, true);
}
bool IsMarkedCompressed(const Node& node);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_WIRE_COMPRESSION_H_
