// A check whether nodes of the partitions of a run would wait for each other for ever.
#ifndef DFRUN_TESTS_UNIT_TESTING_WAITS_H_
#define DFRUN_TESTS_UNIT_TESTING_WAITS_H_

#include <map>
#include <vector>

#include "src/graph/dependency_order.h"
#include "src/graph/order/node_order.h"
#include "src/partition/partition.h"

namespace dfrun::testing {

// Checks for a transport that moves a message when both its ends have been called: a Send ends when its Recv has been
// called, and the other way round. Each node counts as two items, its call and its end.
inline bool NobodyWaitsForEver(const std::vector<Partition>& partitions) {
  struct Ends {
    int32_t send = -1;  // item of the call, for each end
    int32_t recv = -1;
  };
  std::map<int64_t, Ends> channels;
  int32_t calls = 0;
  for (const Partition& partition : partitions) {
    for (const Node& node : partition.graph.nodes()) {
      if (IsSend(node)) channels[*node.attrs.Get<int64_t>("channel")].send = calls;
      if (IsRecv(node)) channels[*node.attrs.Get<int64_t>("channel")].recv = calls;
      calls += 2;
    }
  }
  Dependencies waits;
  int32_t first = 0;
  for (const Partition& partition : partitions) {
    for (const Node& node : partition.graph.nodes()) {
      for (const Output& input : node.inputs) waits.before.push_back(first + 2 * input.node + 1);
      for (const NodeId control : node.control_inputs) waits.before.push_back(first + 2 * control + 1);
      waits.Close();
      waits.before.push_back(first + 2 * node.id);
      if (IsSend(node) || IsRecv(node)) {
        const Ends ends = channels.at(*node.attrs.Get<int64_t>("channel"));
        waits.before.push_back(ends.send);
        waits.before.push_back(ends.recv);
      }
      waits.Close();
    }
    first += 2 * partition.graph.num_nodes();
  }
  return OrderByDependencies(waits).cycle.empty();
}

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_TESTING_WAITS_H_
