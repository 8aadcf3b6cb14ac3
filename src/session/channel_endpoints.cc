#include "src/session/channel_endpoints.h"

#include "src/framework/communication/collective_registry.h"
#include "src/graph/control_flow.h"
#include "src/graph/order/node_order.h"
#include "src/graph/order/participants.h"

namespace dfrun {
namespace {

Result<ChannelEndpoint> EndOf(const Node& node, bool in_loop) {
  DF_ASSIGN(const int64_t channel, node.attrs.Get<int64_t>("channel"));
  DF_ASSIGN(const int64_t peer, node.attrs.Get<int64_t>("peer"));
  ChannelEndpoint end{static_cast<int32_t>(channel), static_cast<int32_t>(peer), IsSend(node), in_loop};
  DF_ASSIGN(end.static_shape, node.attrs.Get<bool>("static_shape"));
  if (!end.static_shape) return end;
  DF_ASSIGN(const PartialShape declared, node.attrs.Get<PartialShape>("shape"));
  DF_ASSIGN(const Shape shape, declared.ToShape());
  const DType dtype = end.is_send ? node.input_types[0].dtype : node.output_types[0].dtype;
  end.bytes = DTypeSize(dtype) * static_cast<size_t>(shape.num_elements());
  return end;
}

Status AddEndsOfParticipant(const Node& node, std::vector<ChannelEndpoint>& ends) {
  DF_ASSIGN(const CollectiveDef* const implementation, CollectiveOf(node.attrs));
  DF_ASSIGN(const CollectivePlan plan, ReadCollectivePlan(node.op->name, node.attrs));
  const std::vector<ChannelEndpoint> own = implementation->ends(plan);
  ends.insert(ends.end(), own.begin(), own.end());
  return Status();
}

}  // namespace

Status AddChannelEndpoints(const Graph& partition, int rank, std::vector<ChannelEndpoint>& ends) {
  FrameTree frames;
  if (HasControlFlow(partition)) {
    DF_ASSIGN(frames, BuildFrameTree(partition));
  }
  for (const Node& node : partition.nodes()) {
    if (IsParticipant(node)) DF_TRY(AddEndsOfParticipant(node, ends).Annotate(partition.Describe(node.id)));
    if (!IsSend(node) && !IsRecv(node)) continue;
    const bool in_loop = !frames.of_node.empty() && frames.of_node[static_cast<size_t>(node.id)] > 0;
    DF_ASSIGN(const ChannelEndpoint end, EndOf(node, in_loop));
    if (end.peer != rank) ends.push_back(end);
  }
  return Status();
}

}  // namespace dfrun
