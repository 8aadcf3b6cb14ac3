#include "src/session/wait_graph.h"

#include <algorithm>
#include <string_view>

#include "src/base/rank_lines.h"
#include "src/base/status.h"
#include "src/base/text.h"
#include "src/framework/op/wait_kind.h"

namespace dfrun {
namespace {

using control::BlockedNode;
using control::RankReport;
using control::SentValue;

constexpr size_t kMaxLinesARank = 8;
constexpr size_t kLongestChain = 4;
constexpr size_t kMinFolded = 5;  // ranks whose equal lines become one

WaitKind KindOf(const BlockedNode& node) {
  return static_cast<WaitKind>(node.kind());
}

// "Dequeue" of "QueueDequeueV2".
std::string ShortOp(std::string_view op) {
  for (const std::string_view family : {"Queue", "_"}) {
    if (op.starts_with(family)) op.remove_prefix(family.size());
  }
  if (op.ends_with("V2")) op.remove_suffix(2);
  return std::string(op);
}

template <class Items, class Item>
bool Contains(const Items& items, const Item& item) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

}  // namespace

WaitGraph::WaitGraph(const RankReports& reports) : reports_(reports), sent_(reports.size()) {
  for (size_t rank = 0; rank < reports.size(); ++rank) {
    if (!reports[rank]) continue;
    for (const BlockedNode& node : reports[rank]->blocked()) waiters_.push_back({static_cast<int>(rank), &node});
    for (const SentValue& sent : reports[rank]->sent()) sent_[rank][{sent.channel(), sent.step()}] = &sent;
  }
  FindNext();
}

void WaitGraph::FindNext() {
  next_.resize(waiters_.size());
  for (size_t i = 0; i < waiters_.size(); ++i) {
    for (size_t j = 0; j < waiters_.size(); ++j) {
      if (IsNext(waiters_[i], waiters_[j])) next_[i].push_back(j);
    }
  }
}

// Whether the other node holds the waiter up, since a node that cannot run before the other one has ended would serve
// the waiter.
bool WaitGraph::IsNext(const Waiter& waiter, const Waiter& other) const {
  const BlockedNode& node = *waiter.node;
  const BlockedNode& holder = *other.node;
  switch (KindOf(node)) {
    case WaitKind::kRecv:
      return other.rank == node.peer() && Contains(holder.sends(), node.channel());
    case WaitKind::kMeet:
      return Contains(holder.meets(), node.group());
    case WaitKind::kTake:
      return other.rank == waiter.rank && Contains(holder.puts(), node.subject());
    case WaitKind::kPut:
      return other.rank == waiter.rank && Contains(holder.takes(), node.subject());
    case WaitKind::kLock:
      return other.rank == waiter.rank && holder.releases() && &holder != &node;
    default:
      return false;
  }
}

const SentValue* WaitGraph::FindSent(const BlockedNode& recv) const {
  const auto peer = static_cast<size_t>(recv.peer());
  if (peer >= sent_.size() || recv.in_loop()) return nullptr;
  const auto found = sent_[peer].find({recv.channel(), recv.step()});
  return found == sent_[peer].end() ? nullptr : found->second;
}

bool WaitGraph::has_transfers() const {
  return std::any_of(waiters_.begin(), waiters_.end(), [&](const Waiter& waiter) {
    if (KindOf(*waiter.node) != WaitKind::kRecv) return false;
    const SentValue* const sent = FindSent(*waiter.node);
    return sent != nullptr && !sent->has_left();
  });
}

std::string WaitGraph::Describe(const Waiter& waiter) const {
  const BlockedNode& node = *waiter.node;
  switch (KindOf(node)) {
    case WaitKind::kRecv:
      return StrCat("waits for ", node.subject(), " from rank ", node.peer());
    case WaitKind::kSend:
      return StrCat("waits for rank ", node.peer(), " to take ", node.subject());
    case WaitKind::kMeet:
      return StrCat("waits in ", ShortOp(node.op()), " '", node.name(), "' for the other participants");
    default:
      return StrCat("waits in ", ShortOp(node.op()), "(", node.subject(), ")");
  }
}

std::string WaitGraph::Reason(const Waiter& waiter) const {
  const BlockedNode& node = *waiter.node;
  const WaitKind kind = KindOf(node);
  if (kind == WaitKind::kTake) return ", and no node that is in progress would put into it";
  if (kind == WaitKind::kPut) return ", and no node that is in progress would take from it";
  if (kind != WaitKind::kRecv) return "";
  const auto peer = static_cast<size_t>(node.peer());
  if (peer >= reports_.size() || !reports_[peer]) return ", which is silent";
  if (const SentValue* const sent = FindSent(node)) {
    return sent->has_left() ? ", which has sent it: the message is on its way, or lost" : ", which is sending it";
  }
  if (!reports_[peer]->at_work().empty()) return StrCat(", which ", reports_[peer]->at_work());
  return StrCat(", which is not at its Send in step ", node.step());
}

// Describes the wait of `waiter`, and the node that holds it up there.
std::string WaitGraph::Link(size_t waiter, size_t next) const {
  const Waiter& holder = waiters_[next];
  if (KindOf(*waiters_[waiter].node) == WaitKind::kRecv) return ", which ";
  const bool is_here = holder.rank == waiters_[waiter].rank;
  return StrCat(", behind ", holder.node->name(), is_here ? "" : StrCat(" of rank ", holder.rank), ", which ");
}

std::string WaitGraph::Chain(size_t waiter) const {
  std::vector<size_t> path = {waiter};
  std::string text = Describe(waiters_[waiter]);
  for (;;) {
    const size_t at = path.back();
    if (next_[at].empty()) return text + Reason(waiters_[at]);
    const size_t next = next_[at][0];
    if (path.size() == kLongestChain || Contains(path, next)) return text;
    text += Link(at, next) + Describe(waiters_[next]);
    path.push_back(next);
  }
}

bool WaitGraph::FindCycle(size_t waiter, std::vector<int>& marks, std::vector<size_t>& path) const {
  constexpr int kOpen = 1;
  constexpr int kDone = 2;
  marks[waiter] = kOpen;
  path.push_back(waiter);
  for (const size_t next : next_[waiter]) {
    if (marks[next] == kDone) continue;
    if (marks[next] == kOpen) {
      path.erase(path.begin(), std::find(path.begin(), path.end(), next));
      return true;
    }
    if (FindCycle(next, marks, path)) return true;
  }
  marks[waiter] = kDone;
  path.pop_back();
  return false;
}

std::string WaitGraph::Cycle() const {
  std::vector<int> marks(waiters_.size(), 0);
  std::vector<size_t> path;
  for (size_t i = 0; i < waiters_.size(); ++i) {
    if (marks[i] != 0 || !FindCycle(i, marks, path)) continue;
    std::string text = StrCat("rank ", waiters_[path[0]].rank, " ", Describe(waiters_[path[0]]));
    for (size_t k = 1; k <= path.size(); ++k) {
      const size_t next = path[k % path.size()];
      text += Link(path[k - 1], next) + Describe(waiters_[next]);
    }
    return text;
  }
  return "";
}

// Counts the lines of each rank in `lines`, those that are left out included.
std::string WaitGraph::Chains(std::vector<size_t>& lines) const {
  std::vector<RankLine> chains;
  for (size_t i = 0; i < waiters_.size(); ++i) {
    const int rank = waiters_[i].rank;
    if (++lines[static_cast<size_t>(rank)] > kMaxLinesARank) continue;
    chains.push_back({rank, "", StrCat(Chain(i), " (step ", waiters_[i].node->step(), ")")});
  }
  std::string text;
  for (const FoldedLine& line : FoldRankLines(chains, kMinFolded)) {
    const bool is_one = line.ranks.size() == 1;
    text += StrCat("  ", is_one ? StrCat("rank ", line.ranks[0], " ", line.text) : ManyRanksSay(line, reports_.size()),
                   "\n");
  }
  return text;
}

std::string WaitGraph::Text() const {
  std::vector<size_t> lines(reports_.size(), 0);
  std::string text = Chains(lines);
  int idle = 0;
  for (size_t rank = 0; rank < reports_.size(); ++rank) {
    const std::optional<RankReport>& report = reports_[rank];
    if (!report) {
      text += StrCat("  rank ", rank, " is silent: it does not answer\n");
      continue;
    }
    const int64_t more =
        static_cast<int64_t>(lines[rank]) + report->more_blocked() - static_cast<int64_t>(kMaxLinesARank);
    if (more > 0) text += StrCat("  rank ", rank, " waits in ", more, " more nodes\n");
    if (!report->at_work().empty()) text += StrCat("  rank ", rank, " ", report->at_work(), "\n");
    if (report->at_work().empty() && lines[rank] == 0) ++idle;
  }
  if (idle > 0) text += StrCat("  ", idle, idle == 1 ? " rank waits" : " ranks wait", " for a request of rank 0\n");
  if (const std::string cycle = Cycle(); !cycle.empty()) text += StrCat("  the cycle: ", cycle, "\n");
  if (!text.empty()) text.pop_back();
  return text;
}

// Proof. All ranks have answered twice, and each was found at rest both times, with the same count of steps and the
// same nodes started and ended: in an interval that begins before the last answer of the first round and ends after the
// first request of the second, hence at one moment at which all of them rested at once, nothing moved. At that moment:
//   - no thread runs a node or is about to: every step in flight rests (Rests()), nothing is queued, and the thread
//     that leads sleeps in the wait for those steps, so it begins no other;
//   - each node that was started and has not ended is of a kind that another node ends: by a value (Recv), by an
//   element
//     or room (queues, readers, accumulators), by a lock, by its own group; such a node would have to run first;
//   - a node runs when those before it have ended. So the first node to run after this moment could only be made ready
//     by a message. A message that a Send still has counts as a transfer and refutes; one that has left its Send and
//     not come to a Recv that has polled for it for the whole of a stall, while the heartbeats of the same ranks come
//     through, is lost: no transport sends it again.
// Hence none runs ever again. Devices with streams of their own keep a step from resting until they are done.
std::string WhyStuck(const RankReports& before, const RankReports& now) {
  bool is_blocked = false;
  for (size_t rank = 0; rank < now.size(); ++rank) {
    if (!before[rank] || !now[rank]) return "";
    const RankReport& first = *before[rank];
    const RankReport& second = *now[rank];
    if (!first.at_work().empty() || !second.at_work().empty()) return "";
    if (first.progress() != second.progress() || first.activity() != second.activity()) return "";
    is_blocked |= second.blocked_size() > 0;
  }
  const WaitGraph graph(now);
  if (!is_blocked || graph.has_transfers()) return "";
  return graph.Cycle().empty() ? "every rank waits, and nothing is in progress that could end it"
                               : "ranks wait for one another in a cycle";
}

}  // namespace dfrun
