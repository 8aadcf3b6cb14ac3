// A test transport: messages over UNIX sockets, between ranks of one host. It registers itself as "sockets" when its
// library is loaded, and shows that a transport needs only its own folder.
#ifndef DFRUN_TESTS_TRANSPORT_SOCKET_TRANSPORT_H_
#define DFRUN_TESTS_TRANSPORT_SOCKET_TRANSPORT_H_

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "comm/bootstrap/bootstrap.h"
#include "comm/driven_transport.h"

namespace dfrun::comm {

class SocketTransport final : public DrivenTransport {
 public:
  // Connects every pair of ranks. Collective.
  static Result<std::unique_ptr<Transport>> Connect(Bootstrap& bootstrap);
  ~SocketTransport() override;

  std::string_view name() const override { return "sockets"; }
  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(peers_.size()); }
  int32_t max_channels() const override { return INT32_MAX; }
  int32_t max_slots() const override { return INT32_MAX; }
  // The system does remote reads, if it lets a rank read another's memory.
  Capabilities capabilities() const override { return {.remote_read = reads_memory_}; }
  Result<Region> Register(void* data, size_t bytes) override;

 private:
  // The header before the bytes of each message.
  struct Header {
    uint64_t bytes = 0;
    MessageTag tag;
  };
  struct Outgoing {
    Header header;
    Call call;
    size_t written = 0;  // bytes of header and message
  };
  struct Peer {
    int socket = -1;
    std::deque<Outgoing> outgoing;
    std::map<MessageTag, std::deque<Call>> receives;           // by tag
    std::map<MessageTag, std::deque<std::string>> unexpected;  // messages that no receive waited for
    Header header;                                             // header of the message that is arriving
    size_t read = 0;                                           // bytes of header and message
    bool has_receive = false;
    Call receive;        // the receive of the arriving message, if one was posted
    std::string buffer;  // the arriving message otherwise
    bool gone = false;   // the peer has ended in order
    Status lost;         // the reason why nothing more comes
  };

  SocketTransport(int rank, int size) : rank_(rank), peers_(static_cast<size_t>(size)) {}

  void Start(const Call& call, Completions* completed) override;
  bool Progress(Completions* completed) override;
  void EndAll(const Status& status, Completions* completed) override;

  Status ProbeMemory(Bootstrap& bootstrap);
  Status ReadMemory(const Call& call) const;
  void SendToSelf(const Call& call, Completions* completed);
  bool Write(Peer& peer, Completions* completed);
  bool Read(Peer& peer, Completions* completed);
  void BeginMessage(Peer& peer);
  void EndMessage(Peer& peer, Completions* completed);
  void Lose(Peer& peer, int rank, const std::string& why, Completions* completed);
  void Deliver(const Call& receive, std::string_view message, Completions* completed) const;

  const int rank_;
  std::vector<Peer> peers_;
  bool reads_memory_ = false;
};

}  // namespace dfrun::comm

#endif  // DFRUN_TESTS_TRANSPORT_SOCKET_TRANSPORT_H_
