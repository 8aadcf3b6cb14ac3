// TCP sockets that never block. Each holds the bytes that are still to be written and those that have been read.
#ifndef DFRUN_COMM_HEARTBEAT_SOCKET_H_
#define DFRUN_COMM_HEARTBEAT_SOCKET_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "src/base/status.h"

namespace dfrun::comm {

// Owns: a file descriptor.
// Thread safety: that of an int.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

 private:
  int fd_;
};

// Listens on this address alone, on a port that the system chooses.
Result<Descriptor> ListenOn(const std::string& ip, uint16_t* port);
// Accepts a connection that waits; the result is not open if there is none.
Descriptor AcceptFrom(const Descriptor& listener);

// Thread safety: one thread.
class Socket {
 public:
  // Whether the connection is open, and otherwise why it has ended.
  enum class State {
    kOpen,
    kEnded,   // the other end has closed it or was closed: the process has ended
    kFailed,  // the network gave up, which says nothing of the process
  };

  Socket() = default;
  // Takes an accepted connection.
  explicit Socket(Descriptor fd, std::chrono::milliseconds silence) : fd_(std::move(fd)) { SetUp(silence); }
  // Begins to connect.
  static Socket Connect(const std::string& ip, uint16_t port, std::chrono::milliseconds silence);

  int fd() const { return fd_.get(); }
  bool is_open() const { return fd_.is_open(); }
  bool wants_to_write() const { return !out_.empty(); }
  size_t unwritten() const { return out_.size(); }
  std::string& in() { return in_; }

  // Writes the bytes; those that cannot be written yet are kept for WriteMore().
  State Write(std::string_view bytes);
  State WriteMore();
  // Reads what has arrived, until in() has `most` bytes.
  State Read(size_t most);
  void Close() { *this = Socket(); }

 private:
  void SetUp(std::chrono::milliseconds silence) const;

  Descriptor fd_;
  std::string in_;
  std::string out_;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_HEARTBEAT_SOCKET_H_
