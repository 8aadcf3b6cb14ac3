// Heartbeats: a thread and TCP sockets by which ranks watch each other and answer questions, whatever the threads and
// the network of the steps are at. The thread never calls MPI or another library of the transports.
//
// A rank has a connection to its parent and its children in the tree (src/framework/rank_tree.h) and to its two
// neighbours in the ring of ranks: two connections a rank, however many ranks there are, and two ways from each rank to
// each other one. Both ends of a connection watch each other (peer_watch.h). What is for all ranks goes over every
// connection once; what answers it goes back by the way on which it came, so it goes around who is silent.
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
#include "src/framework/rank_watch.h"

namespace dfrun::comm {

struct HeartbeatOptions {
  WatchTimes times;
  // On the heartbeats' thread; may be empty. A loss is told here before RankWatch::Events hear of it.
  std::function<void(const Status& loss, int lost_rank)> on_lost;
  // Another rank ends all ranks with this exit code.
  std::function<void(int rank, int exit_code)> on_end;
};

// Reads "SECONDS", "SECONDS,SECONDS" (between two heartbeats, and of silence until a rank is dead; the second is 5
// times the first by default) or "off" (silence is no death; a process that has ended is one). Usage errors for other
// text.
Result<WatchTimes> ParseHeartbeat(const std::string& text);

class Heartbeat : public RankWatch {
 public:
  // Collective. `hosts`: names by rank. Where the ranks have no network in common the rank watches nobody, and rank 0
  // warns. The watch works from here on, and until it is destroyed: then it says Bye.
  static Result<std::unique_ptr<Heartbeat>> Start(Bootstrap& bootstrap, const std::vector<std::string>& hosts,
                                                  HeartbeatOptions options);

  // Says now that this process ends, so that the others do not take it for lost: all ranks with `exit_code`, where it
  // is not 0. Waits for a tenth of a second at most.
  virtual void Leave(int exit_code) = 0;
  // Waits until each rank that this one watches was heard, or is lost; at most so long. True at once where nobody is
  // watched.
  virtual bool AwaitFirst(SteadyClock::duration most) = 0;
  // The lowest rank that lives, as far as this rank knows: it speaks for all of a loss.
  virtual int speaker() const = 0;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_HEARTBEAT_HEARTBEAT_H_
