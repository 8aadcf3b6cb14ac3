#include "jobs/plan/replica_nodes.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "src/graph/order/node_order.h"

namespace dfrun::jobs {
namespace {

constexpr std::string_view kOwnAttrs[] = {"slice",       "seed2",       "frame_name", "channel",
                                          "tensor_name", "send_device", "recv_device"};

}  // namespace

bool AreEqualBut(const AttrMap& a, const AttrMap& b, std::string_view other_name) {
  if (a.size() != b.size()) return false;
  return std::equal(a.begin(), a.end(), b.begin(), [&](const AttrMap::Entry& x, const AttrMap::Entry& y) {
    if (x.first != y.first) return false;
    const bool may_differ =
        x.first == other_name || std::find(std::begin(kOwnAttrs), std::end(kOwnAttrs), x.first) != std::end(kOwnAttrs);
    return may_differ || x.second == y.second;
  });
}

bool IsEnd(const Node& node) {
  return IsSend(node) || IsRecv(node);
}

int64_t NumberOfChannel(const Node& node) {
  const AttrValue* const channel = node.attrs.Find("channel");
  const int64_t* const number = channel == nullptr ? nullptr : channel->get<int64_t>();
  return number == nullptr ? -1 : *number;
}

}  // namespace dfrun::jobs
