// Delivers the outcome of a node, alive or dead, to the nodes that wait for it, and queues those that wait for nothing
// else.
#ifndef DFRUN_SRC_EXECUTOR_DATAFLOW_DATAFLOW_DELIVERY_H_
#define DFRUN_SRC_EXECUTOR_DATAFLOW_DATAFLOW_DELIVERY_H_

#include "src/executor/step/counters.h"
#include "src/executor/step/frame_queue.h"
#include "src/executor/step/frames.h"

namespace dfrun {

// The set of dead outputs of a node: bit i stands for output i, bit 63 for the node itself and so for its control
// edges. A node with both dead and live outputs has fewer than 63 outputs.
using DeadOutputs = uint64_t;
constexpr DeadOutputs kAllLive = 0;
constexpr DeadOutputs kAllDead = ~uint64_t{0};

template <bool kShared>
class DataflowDelivery {
 public:
  DataflowDelivery(const ExecPlan& plan, FrameQueue& queue) : edges_(plan.dataflow_edges()), queue_(queue) {}

  // `iteration`: the one that the outputs belong to. How many nodes became ready.
  [[gnu::always_inline]] int32_t Deliver(Iteration& iteration, const NodeRecord& record, DeadOutputs dead) {
    const DataflowEdge* const end = End(record);
    FrameQueue::Pusher ready(queue_, static_cast<uint32_t>(end - Begin(record)));
    for (const DataflowEdge* edge = Begin(record); edge != end; ++edge) {
      Deliver(iteration, *edge, (dead >> (edge->port() & 63) & 1) != 0, ready);
    }
    return static_cast<int32_t>(ready.num_pushed());
  }

  const DataflowEdge* Begin(const NodeRecord& record) const { return edges_ + record.first_edge; }
  const DataflowEdge* End(const NodeRecord& record) const { return edges_ + (&record + 1)->first_edge; }

 private:
  [[gnu::always_inline]] static void Deliver(Iteration& iteration, const DataflowEdge& edge, bool is_dead,
                                             FrameQueue::Pusher& ready) {
    const uint32_t node = edge.node();
    switch (edge.kind()) {
      case DataflowEdge::Kind::kOnly:
        ready.Push({&iteration, node, is_dead});
        break;
      case DataflowEdge::Kind::kOnlyLive:
        if (!is_dead) ready.Push({&iteration, node, false});
        break;
      case DataflowEdge::Kind::kCounted: {
        int32_t& note = iteration.values->notes()[node];
        if (is_dead) StoreNote<kShared>(note, 1);
        if (CountDown<kShared>(iteration.values->pending()[node]) != 0) break;
        ready.Push({&iteration, node, LoadCount<kShared>(note) != 0});
        break;
      }
      case DataflowEdge::Kind::kTrigger:
        if (CountDown<kShared>(iteration.values->pending()[node]) == 0) ready.Push({&iteration, node, false});
        break;
      case DataflowEdge::Kind::kMergeControl:
      case DataflowEdge::Kind::kMergeData:
        DeliverToMerge(iteration, edge, is_dead, ready);
    }
  }

  [[gnu::always_inline]] static void DeliverToMerge(Iteration& iteration, const DataflowEdge& edge, bool is_dead,
                                                    FrameQueue::Pusher& ready) {
    const uint32_t node = edge.node();
    int32_t& count = iteration.values->pending()[node];
    if (edge.kind() == DataflowEdge::Kind::kMergeControl) {
      const int32_t left = AddTo<kShared>(count, -MergeCount::kControlInput);
      if (MergeCount::IsLive(left) || MergeCount::IsDead(left)) {
        ready.Push({&iteration, node, MergeCount::IsDead(left)});
      }
    } else if (is_dead) {
      if (MergeCount::IsDead(AddTo<kShared>(count, -MergeCount::kDataInput))) ready.Push({&iteration, node, true});
    } else if (StoreFirstNote<kShared>(iteration.values->notes()[node], 1 + edge.input())) {
      if (MergeCount::IsLive(AddTo<kShared>(count, -MergeCount::kNoLiveInput))) {
        ready.Push({&iteration, node, false});
      }
    }
  }

  const DataflowEdge* const edges_;
  FrameQueue& queue_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_DATAFLOW_DATAFLOW_DELIVERY_H_
