// A raw connection between two ranks: the network library's own calls, without any code of dfrun between. Benchmarks
// compare a transport with it.
#ifndef DFRUN_COMM_RAW_LINK_H_
#define DFRUN_COMM_RAW_LINK_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "src/base/status.h"
#include "src/base/threads.h"

namespace dfrun::comm {

// Connects two ranks.
// Blocks: every call busy-polls until the message has moved.
// Thread safety: none.
// The destructor does not wait for the peer.
class RawLink {
 public:
  virtual ~RawLink() = default;
  virtual Status Send(const void* data, size_t bytes) = 0;
  virtual Status Recv(void* data, size_t bytes) = 0;
};

// Sends some bytes to the peer and returns the bytes that the peer sent.
using SwapBytes = FunctionRef<Result<std::string>(std::string_view)>;

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_RAW_LINK_H_
