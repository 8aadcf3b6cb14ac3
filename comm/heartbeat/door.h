// Where ranks knock: the listening socket, and connections that have not said the token yet.
#ifndef DFRUN_COMM_HEARTBEAT_DOOR_H_
#define DFRUN_COMM_HEARTBEAT_DOOR_H_

#include <poll.h>

#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "comm/heartbeat/frame.h"
#include "comm/heartbeat/peer_watch.h"
#include "comm/heartbeat/socket.h"

namespace dfrun::comm {

// True where the frame is a hello with this token. Takes as long for each token.
bool IsHello(const Frame& frame, const Token& token);

// Strangers cost a bounded time and memory: each is closed kPatience after it has come, each may send a hello's bytes,
// and of more than kMostStrangers the oldest is closed. Thread safety: one thread.
class Door {
 public:
  static constexpr size_t kMostStrangers = 32;
  static constexpr std::chrono::seconds kPatience{2};

  Door() = default;
  Door(Descriptor listener, const Token& token, std::chrono::milliseconds silence)
      : listener_(std::move(listener)), token_(token), silence_(silence) {}

  // Appends what is to be polled for.
  void AddTo(std::vector<pollfd>& polled) const;
  // Accepts and reads whatever there is. `let_in` is told of each that has said the token, with its hello.
  void Look(SteadyClock::time_point now, const std::function<void(Socket, const Frame& hello)>& let_in);
  size_t strangers() const { return strangers_.size(); }

 private:
  struct Stranger {
    Socket socket;
    SteadyClock::time_point until;
  };
  void Accept(SteadyClock::time_point now);

  Descriptor listener_;
  Token token_{};
  std::chrono::milliseconds silence_{};
  std::deque<Stranger> strangers_;  // oldest first
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_HEARTBEAT_DOOR_H_
