#include "tests/transport/socket_transport.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>

#include "comm/bootstrap/transport_registry.h"

namespace dfrun::comm {
namespace {

constexpr int kConnectTimeoutMs = 20'000;
constexpr MessageTag kGoodbye = -1;  // a tag of no message

Status SocketError(const char* what) {
  return Error(Code::kUnavailable, "sockets could not ", what, ": ", std::strerror(errno));
}

// Returns a name in the abstract namespace, which is removed with the process.
sockaddr_un Address(const std::string& name, socklen_t* length) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  name.copy(address.sun_path + 1, sizeof address.sun_path - 2);
  *length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

// Sends this rank's number, since connections are accepted in any order.
Status SayRank(int socket, int rank) {
  return ::send(socket, &rank, sizeof rank, MSG_NOSIGNAL) == sizeof rank ? Status() : SocketError("say the rank");
}

Result<int> HearRank(int socket) {
  int rank = -1;
  if (::recv(socket, &rank, sizeof rank, MSG_WAITALL) != sizeof rank) return SocketError("hear the peer's rank");
  return rank;
}

Status Listen(int listener, const std::string& name) {
  socklen_t length = 0;
  const sockaddr_un address = Address(name, &length);
  if (::bind(listener, reinterpret_cast<const sockaddr*>(&address), length) != 0) return SocketError("bind");
  return ::listen(listener, SOMAXCONN) == 0 ? Status() : SocketError("listen");
}

Result<int> ConnectTo(const std::string& name, int rank) {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return SocketError("make a socket");
  socklen_t length = 0;
  const sockaddr_un address = Address(name, &length);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), length) != 0) return SocketError("connect");
  DF_TRY(SayRank(socket, rank));
  return socket;
}

// The key of a range of a process's memory.
struct Key {
  static constexpr uint64_t kMark = 0x79656b2d6b636f73;  // marks the keys of this transport
  int64_t process;
  const void* data;
  size_t bytes;
  uint64_t mark = kMark;

  std::string ToBytes() const { return {reinterpret_cast<const char*>(this), sizeof *this}; }
  static std::optional<Key> OfBytes(std::string_view bytes) {
    Key key = {};
    if (bytes.size() != sizeof key) return {};
    std::memcpy(&key, bytes.data(), sizeof key);
    return key.mark == kMark ? std::optional<Key>(key) : std::nullopt;
  }
};

Status ReadFrom(const Key& key, size_t offset, void* to, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    const iovec local = {static_cast<char*>(to) + done, bytes - done};
    const iovec remote = {static_cast<char*>(const_cast<void*>(key.data)) + offset + done, bytes - done};
    const ssize_t got = ::process_vm_readv(static_cast<pid_t>(key.process), &local, 1, &remote, 1, 0);
    if (got <= 0) return SocketError("read a peer's memory");
    done += static_cast<size_t>(got);
  }
  return Status();
}

Result<int> Accept(int listener) {
  pollfd waiting = {listener, POLLIN, 0};
  if (::poll(&waiting, 1, kConnectTimeoutMs) != 1) return SocketError("wait for a peer");
  const int socket = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  return socket < 0 ? Result<int>(SocketError("accept")) : Result<int>(socket);
}

}  // namespace

// Every rank connects to those below it.
Result<std::unique_ptr<Transport>> SocketTransport::Connect(Bootstrap& bootstrap) {
  static int made = 0;
  std::unique_ptr<SocketTransport> transport(new SocketTransport(bootstrap.rank(), bootstrap.size()));
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0) return SocketError("make a socket");
  const std::string name = StrCat("dfrun-test-", ::getpid(), "-", ++made);
  DF_TRY(Listen(listener, name));
  DF_ASSIGN(const std::vector<std::string> names, bootstrap.AllGather(name));
  for (int peer = 0; peer < bootstrap.rank(); ++peer) {
    DF_ASSIGN(transport->peers_[static_cast<size_t>(peer)].socket,
              ConnectTo(names[static_cast<size_t>(peer)], bootstrap.rank()));
  }
  for (int peer = bootstrap.rank() + 1; peer < bootstrap.size(); ++peer) {
    DF_ASSIGN(const int socket, Accept(listener));
    DF_ASSIGN(const int rank, HearRank(socket));
    transport->peers_[static_cast<size_t>(rank)].socket = socket;
  }
  ::close(listener);
  DF_TRY(transport->ProbeMemory(bootstrap));
  for (const Peer& peer : transport->peers_) {
    if (peer.socket >= 0) ::fcntl(peer.socket, F_SETFL, O_NONBLOCK);
  }
  return std::unique_ptr<Transport>(std::move(transport));
}

// Whether every rank may read every other's memory.
Status SocketTransport::ProbeMemory(Bootstrap& bootstrap) {
  static const int probe = 4711;
  ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);  // fails where nothing forbids it
  DF_ASSIGN(const std::vector<std::string> probes,
            bootstrap.AllGather(Key{::getpid(), &probe, sizeof probe}.ToBytes()));
  bool can_read = true;
  for (const std::string& bytes : probes) {
    int seen = 0;
    can_read = can_read && ReadFrom(*Key::OfBytes(bytes), 0, &seen, sizeof seen).ok() && seen == probe;
  }
  DF_ASSIGN(const std::vector<std::string> all, bootstrap.AllGather(can_read ? "yes" : "no"));
  reads_memory_ = std::find(all.begin(), all.end(), "no") == all.end();
  return Status();
}

Result<Region> SocketTransport::Register(void* data, size_t bytes) {
  if (!reads_memory_) return Region(data, bytes, "", nullptr);
  return Region(data, bytes, Key{::getpid(), data, bytes}.ToBytes(), nullptr);
}

Status SocketTransport::ReadMemory(const Call& call) const {
  const std::optional<Key> key = Key::OfBytes(call.source->key);
  if (!key) return InvalidArgument(Describe(call), ": this is no key");
  if (call.source->offset > key->bytes || call.bytes > key->bytes - call.source->offset) {
    return Error(Code::kOutOfRange, Describe(call), ", which are ", key->bytes);
  }
  return ReadFrom(*key, call.source->offset, call.data, call.bytes).Annotate(Describe(call));
}

// Says goodbye, so that peers do not take it for lost.
SocketTransport::~SocketTransport() {
  const Header goodbye = {0, kGoodbye};
  for (const Peer& peer : peers_) {
    if (peer.socket < 0) continue;
    if (!peer.gone && peer.outgoing.empty()) {
      [[maybe_unused]] const ssize_t sent = ::send(peer.socket, &goodbye, sizeof goodbye, MSG_NOSIGNAL);
    }
    ::close(peer.socket);
  }
}

void SocketTransport::Deliver(const Call& receive, std::string_view message, Completions* completed) const {
  if (message.size() != receive.bytes) {
    return Complete(receive, WrongSize(receive, message.size()), completed);
  }
  if (!message.empty()) std::memcpy(receive.data, message.data(), message.size());
  Complete(receive, Status(), completed);
}

void SocketTransport::SendToSelf(const Call& call, Completions* completed) {
  Peer& self = peers_[static_cast<size_t>(rank_)];
  std::deque<Call>& receives = self.receives[call.tag];
  if (receives.empty()) {
    self.unexpected[call.tag].emplace_back(call.data, call.bytes);
  } else {
    Deliver(receives.front(), {call.data, call.bytes}, completed);
    receives.pop_front();
  }
  Complete(call, Status(), completed);
}

void SocketTransport::Start(const Call& call, Completions* completed) {
  if (call.source != nullptr) return completed->Add(call.done, ReadMemory(call));
  Peer& peer = peers_[static_cast<size_t>(call.peer)];
  if (call.is_send && call.peer == rank_) return SendToSelf(call, completed);
  if (call.is_send) {
    if (!peer.lost.ok()) return Complete(call, peer.lost.Annotate(Describe(call)), completed);
    peer.outgoing.push_back({{call.bytes, call.tag}, call, 0});
    Write(peer, completed);
    return;
  }
  std::deque<std::string>& waiting = peer.unexpected[call.tag];
  if (!waiting.empty()) {
    Deliver(call, waiting.front(), completed);
    waiting.pop_front();
  } else if (!peer.lost.ok()) {
    Complete(call, peer.lost.Annotate(Describe(call)), completed);
  } else {
    peer.receives[call.tag].push_back(call);
  }
}

bool SocketTransport::Progress(Completions* completed) {
  bool any = false;
  for (size_t r = 0; r < peers_.size(); ++r) {
    if (peers_[r].socket < 0 || peers_[r].gone || !peers_[r].lost.ok()) continue;
    any |= Write(peers_[r], completed);
    any |= Read(peers_[r], completed);
  }
  return any;
}

bool SocketTransport::Write(Peer& peer, Completions* completed) {
  bool any = false;
  while (!peer.outgoing.empty()) {
    Outgoing& out = peer.outgoing.front();
    const size_t in_header = out.written < sizeof(Header) ? sizeof(Header) - out.written : 0;
    const size_t in_bytes = out.written - (sizeof(Header) - in_header);
    iovec parts[2] = {{reinterpret_cast<char*>(&out.header) + sizeof(Header) - in_header, in_header},
                      {out.call.data + in_bytes, out.call.bytes - in_bytes}};
    msghdr message = {};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    const ssize_t written = ::sendmsg(peer.socket, &message, MSG_NOSIGNAL);
    if (written < 0) {
      if (errno != EAGAIN) Lose(peer, out.call.peer, std::strerror(errno), completed);
      return any;
    }
    out.written += static_cast<size_t>(written);
    if (out.written < sizeof(Header) + out.call.bytes) return any;
    Complete(out.call, Status(), completed);
    peer.outgoing.pop_front();
    any = true;
  }
  return any;
}

bool SocketTransport::Read(Peer& peer, Completions* completed) {
  bool any = false;
  while (true) {
    char* to = nullptr;
    size_t wanted = 0;
    if (peer.read < sizeof(Header)) {
      to = reinterpret_cast<char*>(&peer.header) + peer.read;
      wanted = sizeof(Header) - peer.read;
    } else {
      to = (peer.has_receive ? peer.receive.data : peer.buffer.data()) + (peer.read - sizeof(Header));
      wanted = peer.header.bytes - (peer.read - sizeof(Header));
    }
    const ssize_t got = ::recv(peer.socket, to, wanted, 0);
    if (got < 0 && errno == EAGAIN) return any;
    if (got <= 0) {
      Lose(peer, static_cast<int>(&peer - peers_.data()), got == 0 ? "it has closed" : std::strerror(errno), completed);
      return true;
    }
    peer.read += static_cast<size_t>(got);
    if (peer.read == sizeof(Header) && peer.header.tag == kGoodbye) {
      peer.gone = true;
      return any;
    }
    if (peer.read == sizeof(Header)) BeginMessage(peer);
    if (peer.read < sizeof(Header) || peer.read < sizeof(Header) + peer.header.bytes) continue;
    EndMessage(peer, completed);
    any = true;
  }
}

void SocketTransport::BeginMessage(Peer& peer) {
  std::deque<Call>& receives = peer.receives[peer.header.tag];
  peer.has_receive = !receives.empty() && receives.front().bytes == peer.header.bytes;
  if (peer.has_receive) {
    peer.receive = receives.front();
    receives.pop_front();
  } else {
    peer.buffer.resize(peer.header.bytes);
  }
}

void SocketTransport::EndMessage(Peer& peer, Completions* completed) {
  std::deque<Call>& receives = peer.receives[peer.header.tag];
  if (peer.has_receive) {
    Complete(peer.receive, Status(), completed);
  } else if (!receives.empty()) {
    Deliver(receives.front(), peer.buffer, completed);
    receives.pop_front();
  } else {
    peer.unexpected[peer.header.tag].push_back(std::move(peer.buffer));
  }
  peer.buffer.clear();
  peer.has_receive = false;
  peer.read = 0;
}

// Ends the pending calls with the loss; messages that have arrived can still be received.
void SocketTransport::Lose(Peer& peer, int rank, const std::string& why, Completions* completed) {
  peer.lost = Error(Code::kUnavailable, "rank ", rank, " is lost: ", why);
  for (const Outgoing& out : peer.outgoing) Complete(out.call, peer.lost.Annotate(Describe(out.call)), completed);
  peer.outgoing.clear();
  if (peer.has_receive) Complete(peer.receive, peer.lost.Annotate(Describe(peer.receive)), completed);
  peer.has_receive = false;
  for (auto& [tag, receives] : peer.receives) {
    for (const Call& call : receives) Complete(call, peer.lost.Annotate(Describe(call)), completed);
    receives.clear();
  }
}

void SocketTransport::EndAll(const Status& status, Completions* completed) {
  for (Peer& peer : peers_) {
    for (const Outgoing& out : peer.outgoing) Complete(out.call, status, completed);
    peer.outgoing.clear();
    if (peer.has_receive) Complete(peer.receive, status, completed);
    peer.has_receive = false;
    for (auto& [tag, receives] : peer.receives) {
      for (const Call& call : receives) Complete(call, status, completed);
      receives.clear();
    }
    peer.lost = status;
  }
}

namespace {

Result<std::vector<std::unique_ptr<Transport>>> ConnectAll(Bootstrap& bootstrap, int count) {
  std::vector<std::unique_ptr<Transport>> transports;
  for (int i = 0; i < count; ++i) {
    DF_ASSIGN(std::unique_ptr<Transport> transport, SocketTransport::Connect(bootstrap));
    transports.push_back(std::move(transport));
  }
  return transports;
}

TRANSPORT("sockets", {.priority = 1,
                      .describe = [] { return std::string("UNIX sockets, for tests"); },
                      .can_connect = [](const Bootstrap&) { return Status(); },
                      .connect = &ConnectAll});

}  // namespace
}  // namespace dfrun::comm
