#include "src/base/descriptors.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>

#include "src/base/status.h"

namespace dfrun {
namespace {

constexpr rlim_t kMaxDescriptors = 65'536;  // more than any job needs; some libraries walk over all
constexpr std::chrono::seconds kBetweenDescriptorLooks(1);
constexpr std::chrono::seconds kWithoutDescriptors(5);

rlim_t DescriptorLimit() {
  rlimit limit = {};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

bool IsOneLeft() {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno != EMFILE;
  ::close(fd);
  return true;
}

// Returns the address at the other end of a TCP connection; empty if `fd` is none.
std::string PeerOf(int fd) {
  sockaddr_storage address = {};
  socklen_t size = sizeof address;
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return "";
  char text[INET6_ADDRSTRLEN] = {};
  if (address.ss_family == AF_INET) {
    ::inet_ntop(AF_INET, &reinterpret_cast<sockaddr_in*>(&address)->sin_addr, text, sizeof text);
  } else if (address.ss_family == AF_INET6) {
    ::inet_ntop(AF_INET6, &reinterpret_cast<sockaddr_in6*>(&address)->sin6_addr, text, sizeof text);
  }
  return text;
}

// To list /proc/self/fd would take a descriptor.
std::optional<std::string> WhoTakesThem() {
  const rlim_t limit = DescriptorLimit();
  std::map<std::string, rlim_t> connections;
  rlim_t count = 0;
  for (rlim_t fd = 0; fd < limit; ++fd) {
    const std::string peer = PeerOf(static_cast<int>(fd));
    if (peer.empty()) continue;
    ++connections[peer];
    ++count;
  }
  if (count * 2 < limit) return std::nullopt;
  const auto most = std::max_element(connections.begin(), connections.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return StrCat("this process has had no file descriptor left for ", kWithoutDescriptors.count(), " s: of ", limit,
                " (ulimit -n) ", count, " are connections, ", most->second, " of them with ", most->first,
                "; raise the limit, or keep strangers away from the ports of this host");
}

}  // namespace

void RaiseDescriptorLimit() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = std::min(limit.rlim_max, kMaxDescriptors);
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = wanted;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

std::optional<std::string> DescriptorWatch::Look(Clock::time_point now) {
  if (now < next_look_) return std::nullopt;
  next_look_ = now + kBetweenDescriptorLooks;
  if (IsOneLeft()) {
    none_since_.reset();
    return std::nullopt;
  }
  if (!none_since_) none_since_ = now;
  return now - *none_since_ < kWithoutDescriptors ? std::nullopt : WhoTakesThem();
}

}  // namespace dfrun
