// A network without any of this program: what benchmarks compare a transport with.
#ifndef DFRUN_COMM_BARE_LINK_H_
#define DFRUN_COMM_BARE_LINK_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "src/base/status.h"
#include "src/base/threads.h"

namespace dfrun::comm {

// Between two ranks. Blocks, and polls all the while. Thread safety: none. The end waits for nobody.
class BareLink {
 public:
  virtual ~BareLink() = default;
  virtual Status Send(const void* data, size_t bytes) = 0;
  virtual Status Recv(void* data, size_t bytes) = 0;
};

// Gives the peer some bytes, and returns those that the peer gave.
using SwapBytes = FunctionRef<Result<std::string>(std::string_view)>;

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_BARE_LINK_H_
