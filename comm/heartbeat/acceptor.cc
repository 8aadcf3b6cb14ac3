#include "comm/heartbeat/acceptor.h"

#include <optional>

namespace dfrun::comm {

bool IsHello(const Frame& frame, const Token& token) {
  if (frame.type() != FrameType::kHello || frame.payload.size() != token.size()) return false;
  unsigned char differs = 0;
  for (size_t i = 0; i < token.size(); ++i) differs |= static_cast<unsigned char>(frame.payload[i] ^ token[i]);
  return differs == 0;
}

void Acceptor::AddTo(std::vector<pollfd>& polled) const {
  if (!listener_.is_open()) return;
  polled.push_back({listener_.get(), POLLIN, 0});
  for (const PendingConnection& stranger : pending_) polled.push_back({stranger.socket.fd(), POLLIN, 0});
}

void Acceptor::Accept(SteadyClock::time_point now) {
  for (size_t i = 0; i < kMaxPending; ++i) {
    Descriptor fd = AcceptFrom(listener_);
    if (!fd.is_open()) return;
    if (pending_.size() == kMaxPending) pending_.pop_front();
    pending_.push_back({Socket(std::move(fd), silence_), now + kPatience});
  }
}

void Acceptor::Look(SteadyClock::time_point now, const std::function<void(Socket, const Frame&)>& let_in) {
  if (!listener_.is_open()) return;
  Accept(now);
  std::deque<PendingConnection> left;
  for (PendingConnection& stranger : pending_) {
    const Socket::State state = stranger.socket.Read(kHelloBytes);
    bool is_sound = true;
    const std::optional<Frame> frame = TakeFrame(stranger.socket.in(), &is_sound);
    if (frame && IsHello(*frame, token_)) {
      let_in(std::move(stranger.socket), *frame);
    } else if (!frame && is_sound && state == Socket::State::kOpen && now < stranger.until &&
               stranger.socket.in().size() < kHelloBytes) {
      left.push_back(std::move(stranger));
    }
  }
  pending_.swap(left);
}

}  // namespace dfrun::comm
