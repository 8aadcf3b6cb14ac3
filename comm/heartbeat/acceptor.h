// The acceptor of heartbeat connections: the listening socket, and pending connections that have not sent the token
// yet.
#ifndef DFRUN_COMM_HEARTBEAT_ACCEPTOR_H_
#define DFRUN_COMM_HEARTBEAT_ACCEPTOR_H_

#include <poll.h>

#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "comm/heartbeat/frame.h"
#include "comm/heartbeat/peer_watch.h"
#include "comm/heartbeat/socket.h"

namespace dfrun::comm {

// Returns whether the frame is a hello with this token. The time does not depend on the token's bytes.
bool IsHello(const Frame& frame, const Token& token);

// Bounds the time and memory of pending connections: each is closed kPatience after it was accepted, each may send no
// more than the bytes of a hello, and when there are more than kMaxPending the oldest is closed.
// Thread safety: one thread.
class Acceptor {
 public:
  static constexpr size_t kMaxPending = 32;
  static constexpr std::chrono::seconds kPatience{2};

  Acceptor() = default;
  Acceptor(Descriptor listener, const Token& token, std::chrono::milliseconds silence)
      : listener_(std::move(listener)), token_(token), silence_(silence) {}

  // Appends the descriptors to poll.
  void AddTo(std::vector<pollfd>& polled) const;
  // Accepts connections and reads all that has arrived. Calls `let_in` for each connection that has sent the token,
  // with its hello.
  void Look(SteadyClock::time_point now, const std::function<void(Socket, const Frame& hello)>& let_in);
  size_t pending() const { return pending_.size(); }

 private:
  struct PendingConnection {
    Socket socket;
    SteadyClock::time_point until;
  };
  void Accept(SteadyClock::time_point now);

  Descriptor listener_;
  Token token_{};
  std::chrono::milliseconds silence_{};
  std::deque<PendingConnection> pending_;  // oldest first
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_HEARTBEAT_ACCEPTOR_H_
