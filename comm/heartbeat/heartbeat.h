// Heartbeats: a thread and TCP sockets by which ranks watch each other and answer questions, independent of the threads
// and the network of the steps. The thread never calls MPI or another library of the transports.
//
// A rank has a connection to its parent and its children in the tree (src/framework/communication/rank_tree.h) and to
// its two neighbours in the ring of ranks. That makes two connections per rank, however many ranks there are, and two
// paths from each rank to each other one. Both ends of a connection watch each other (peer_watch.h). A frame for all
// ranks goes over every connection once. Its answer returns by the path on which the frame came, and so avoids silent
// ranks.
//
// Before a rank is dead for its silence, ranks of its host look at it in /proc (host_thread.h): who watches it and is
// on its host by itself, and for the others, which ask all, the next kMaxLookers ranks of the host. One that is at
// work is waited for.
//
// A death that one rank declares is declared on all: `epoch` grows, and the dead rank, should it wake, is told, or is
// told when it connects anew. Who connects is to say the token within 2 s; until then it may send a hello's bytes, no
// more, and few may be so at a time.
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
  // Of the ranks that watch a silent rank the lowest is told here that it is waited for; not often. Empty: it is not
  // said.
  std::function<void(const std::string& text)> on_wait;
  // Another rank ends all ranks with this exit code.
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
