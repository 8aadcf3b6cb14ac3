// The wait graph of all ranks, made from their reports: it tells in words, by the names of edges and objects, which
// node waits for which.
#ifndef DFRUN_SRC_SESSION_WAIT_GRAPH_H_
#define DFRUN_SRC_SESSION_WAIT_GRAPH_H_

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/session/rank_report.pb.h"

namespace dfrun {

// The reports by rank; nothing: the rank is silent.
using RankReports = std::vector<std::optional<control::RankReport>>;

// Thread safety: const methods from any thread. The reports outlive it.
class WaitGraph {
 public:
  explicit WaitGraph(const RankReports& reports);

  // A line a rank and blocked node ("rank 3 waits for grad/W:0 from rank 1, which waits in Dequeue(batches)"), and the
  // cycle, if there is one. Ranks that have nothing to say of steps are counted.
  std::string Text() const;
  // "rank 0 waits for y:0 from rank 1, which waits for x:0 from rank 0, which waits for y:0 from rank 1"; empty where
  // there is none.
  std::string Cycle() const;
  // Returns true where a value is on its way: sent, not gone, and waited for.
  bool has_transfers() const;

 private:
  struct Waiter {
    int rank = 0;
    const control::BlockedNode* node = nullptr;
  };

  void FindNext();
  bool IsNext(const Waiter& waiter, const Waiter& other) const;
  std::string Describe(const Waiter& waiter) const;
  // The reason why a Recv, an Enqueue or a Dequeue waits where no blocked node holds it up.
  std::string Reason(const Waiter& waiter) const;
  std::string Link(size_t waiter, size_t next) const;
  std::string Chain(size_t waiter) const;
  std::string Chains(std::vector<size_t>& lines) const;
  const control::SentValue* FindSent(const control::BlockedNode& recv) const;
  bool FindCycle(size_t waiter, std::vector<int>& marks, std::vector<size_t>& path) const;

  const RankReports& reports_;
  std::vector<Waiter> waiters_;
  std::vector<std::vector<size_t>> next_;  // by waiter: those that hold it up
  std::vector<std::map<std::pair<int32_t, int64_t>, const control::SentValue*>> sent_;  // by rank: by channel and step
};

// The proof that no step will ever go on, in words; empty where there is none. `before` and `now` are reports of all
// ranks; the second were asked for when the first had come.
std::string WhyStuck(const RankReports& before, const RankReports& now);

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_WAIT_GRAPH_H_
