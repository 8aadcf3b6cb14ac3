// A rank's connection to one rank that it watches.
#ifndef DFRUN_COMM_HEARTBEAT_WATCH_LINK_H_
#define DFRUN_COMM_HEARTBEAT_WATCH_LINK_H_

#include <vector>

#include "comm/heartbeat/frame.h"
#include "comm/heartbeat/host_thread.h"
#include "comm/heartbeat/peer_watch.h"
#include "comm/heartbeat/socket.h"

namespace dfrun::comm {

// Thread safety: one thread.
struct WatchLink {
  WatchLink(int rank, bool is_ours, const WatchTimes& times) : peer(rank), connects(is_ours), watch(times) {}

  bool is_open() const { return socket.is_open() && is_in; }
  // Writes the frame. Drops it if the peer has not read what was written before.
  void Send(const Frame& frame);

  int peer;
  bool connects;  // whether this rank connects; the higher rank of the two does
  Socket socket;
  bool is_in = false;     // the peer has sent the token
  bool has_left = false;  // the peer has sent Bye
  PeerWatch watch;
  HostThread thread;  // thread of the peer's heartbeats, from its beats
  SteadyClock::time_point next_try{};
  // Earliest time of the next report that the peer is waited for.
  SteadyClock::time_point next_word{};
  SteadyClock::duration between_words = std::chrono::minutes(1);
};

// Returns a link for each rank that `rank` watches, which also watches it, in the order of the ranks.
std::vector<WatchLink> LinksOf(int rank, int size, const WatchTimes& times);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_HEARTBEAT_WATCH_LINK_H_
