// A rank's connection to one of those that it watches.
#ifndef DFRUN_COMM_HEARTBEAT_WATCH_LINK_H_
#define DFRUN_COMM_HEARTBEAT_WATCH_LINK_H_

#include <vector>

#include "comm/heartbeat/frame.h"
#include "comm/heartbeat/peer_watch.h"
#include "comm/heartbeat/socket.h"

namespace dfrun::comm {

// Thread safety: one thread.
struct WatchLink {
  WatchLink(int rank, bool is_ours, const WatchTimes& times) : peer(rank), connects(is_ours), watch(times) {}

  bool is_open() const { return socket.is_open() && is_in; }
  // Writes the frame, unless the peer has not read what came before.
  void Send(const Frame& frame);

  int peer;
  bool connects;  // the higher rank does
  Socket socket;
  bool is_in = false;     // the peer has said the token
  bool has_left = false;  // it has said Bye
  PeerWatch watch;
  SteadyClock::time_point next_try{};
};

// One for each rank that `rank` watches, and is watched by.
std::vector<WatchLink> LinksOf(int rank, int size, const WatchTimes& times);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_HEARTBEAT_WATCH_LINK_H_
