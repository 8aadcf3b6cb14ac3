// Heartbeats: a thread and TCP sockets by which ranks watch each other and answer questions, independent of the threads
// and the network of the steps. The thread never calls MPI or another library of the transports.
//
// A rank has a connection to its parent and its children in the tree (src/framework/communication/rank_tree.h) and to
// its two neighbours in the ring of ranks. That makes two connections per rank, however many ranks there are, and two
// paths from each rank to each other one. Both ends of a connection watch each other (peer_watch.h). A frame for all
// ranks goes over every connection once. Its answer returns by the path on which the frame came, and so avoids silent
// ranks.
//
// Before a silent rank counts as dead, ranks of its host look at its thread in /proc (host_thread.h). A rank that
// watches it and is on its host looks by itself. Other ranks that watch it ask all ranks, and the next kMaxLookers
// ranks of its host look. If the thread is at work, the rank is waited for.
//
// A death that one rank declares is declared on all ranks: `epoch` grows, and the dead rank is told, should it wake or
// connect anew. A rank that connects must send the token within 2 s. Until then it may send no more than the bytes of a
// hello, and only few connections may be pending at a time.
#ifndef DFRUN_COMM_HEARTBEAT_HEARTBEAT_H_
#define DFRUN_COMM_HEARTBEAT_HEARTBEAT_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "comm/bootstrap/bootstrap.h"
#include "comm/heartbeat/peer_watch.h"
#include "src/framework/communication/rank_watch.h"

namespace dfrun::comm {

struct HeartbeatOptions {
  WatchTimes times;
  // Called on the heartbeat thread when a rank is lost, before RankWatch::Events are told; may be empty.
  std::function<void(const Status& loss, int lost_rank)> on_lost;
  // Called now and then while a silent rank is waited for, on the lowest of the ranks that watch it. Empty: nothing is
  // reported.
  std::function<void(const std::string& text)> on_wait;
  // Called when another rank ends all ranks with this exit code.
  std::function<void(int rank, int exit_code)> on_end;
};

// Parses the value of the heartbeat option: "SECONDS", "SECONDS,SECONDS" or "off". The first number is the time between
// two heartbeats, the second the silence after which a rank is dead, by default 5 times the first. With "off", silence
// is no death, but the end of a process still is. Usage error for other text.
Result<WatchTimes> ParseHeartbeat(const std::string& text);

class Heartbeat : public RankWatch {
 public:
  // Starts watching; the watch ends with a Bye when it is destroyed. Collective. `hosts` are the hosts' names by rank.
  // If the ranks have no network in common, no rank is watched and rank 0 warns.
  static Result<std::unique_ptr<Heartbeat>> Start(Bootstrap& bootstrap, const std::vector<std::string>& hosts,
                                                  HeartbeatOptions options);

  // Tells the other ranks that this process ends, so that they do not take it for lost. If `exit_code` is not 0, all
  // ranks end with it.
  // Blocks: for a tenth of a second at most.
  virtual void Leave(int exit_code) = 0;
  // Waits until each rank that this one watches was heard or is lost. Returns true then, and at once if nobody is
  // watched; false after `most`.
  // Blocks: for `most` at most.
  virtual bool AwaitFirst(SteadyClock::duration most) = 0;
  // Returns the coordinator, which reports a loss for all ranks: the lowest rank that lives, as far as this rank knows.
  virtual int coordinator() const = 0;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_HEARTBEAT_HEARTBEAT_H_
