#include "comm/heartbeat/socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace dfrun::comm {
namespace {

constexpr int kBacklog = 64;

struct Endpoint {
  sockaddr_storage storage = {};
  socklen_t size = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

Endpoint EndpointOf(const std::string& ip, uint16_t port) {
  Endpoint endpoint;
  auto* const v4 = reinterpret_cast<sockaddr_in*>(&endpoint.storage);
  auto* const v6 = reinterpret_cast<sockaddr_in6*>(&endpoint.storage);
  if (::inet_pton(AF_INET, ip.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    endpoint.size = sizeof *v4;
  } else if (::inet_pton(AF_INET6, ip.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    endpoint.size = sizeof *v6;
  }
  return endpoint;
}

Socket::State StateOf(int error) {
  if (error == EAGAIN || error == EWOULDBLOCK || error == EINTR || error == EINPROGRESS || error == ENOTCONN) {
    return Socket::State::kOpen;
  }
  const bool is_gone = error == ECONNRESET || error == EPIPE || error == ECONNREFUSED;
  return is_gone ? Socket::State::kEnded : Socket::State::kFailed;
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

Result<Descriptor> ListenOn(const std::string& ip, uint16_t* port) {
  const Endpoint endpoint = EndpointOf(ip, 0);
  Descriptor fd(::socket(endpoint.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  Endpoint bound;
  bound.size = sizeof bound.storage;
  if (!fd.is_open() || ::bind(fd.get(), endpoint.get(), endpoint.size) != 0 || ::listen(fd.get(), kBacklog) != 0 ||
      ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&bound.storage), &bound.size) != 0) {
    return Error(Code::kUnavailable, "cannot listen on ", ip, " for heartbeats: ", std::strerror(errno));
  }
  *port = ntohs(bound.storage.ss_family == AF_INET ? reinterpret_cast<sockaddr_in*>(&bound.storage)->sin_port
                                                   : reinterpret_cast<sockaddr_in6*>(&bound.storage)->sin6_port);
  return fd;
}

Descriptor AcceptFrom(const Descriptor& listener) {
  return Descriptor(::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
}

Socket Socket::Connect(const std::string& ip, uint16_t port, std::chrono::milliseconds silence) {
  const Endpoint endpoint = EndpointOf(ip, port);
  Socket socket(Descriptor(::socket(endpoint.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)),
                silence);
  if (::connect(socket.fd(), endpoint.get(), endpoint.size) != 0 && errno != EINPROGRESS) socket.Close();
  return socket;
}

// Sets the socket's options. A connection fails if written bytes are not acknowledged for `silence`; Linux's default is
// a quarter of an hour.
void Socket::SetUp(std::chrono::milliseconds silence) const {
  if (!fd_.is_open()) return;
  const int yes = 1;
  const auto timeout_ms = static_cast<unsigned>(silence.count());
  ::setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  ::setsockopt(fd_.get(), IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms, sizeof timeout_ms);
}

Socket::State Socket::Write(std::string_view bytes) {
  out_.append(bytes);
  return WriteMore();
}

Socket::State Socket::WriteMore() {
  while (!out_.empty()) {
    const ssize_t written = ::send(fd_.get(), out_.data(), out_.size(), MSG_NOSIGNAL);
    if (written < 0) return StateOf(errno);
    out_.erase(0, static_cast<size_t>(written));
  }
  return State::kOpen;
}

Socket::State Socket::Read(size_t most) {
  char buffer[16384];
  while (in_.size() < most) {
    const ssize_t got = ::recv(fd_.get(), buffer, std::min(sizeof buffer, most - in_.size()), 0);
    if (got == 0) return State::kEnded;
    if (got < 0) return StateOf(errno);
    in_.append(buffer, static_cast<size_t>(got));
  }
  return State::kOpen;
}

}  // namespace dfrun::comm
