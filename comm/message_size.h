// The error of a Recv whose message has another size than it states.
#ifndef DFRUN_COMM_MESSAGE_SIZE_H_
#define DFRUN_COMM_MESSAGE_SIZE_H_

#include <cstddef>
#include <optional>

#include "comm/message_tag.h"
#include "src/base/status.h"

namespace dfrun::comm {

struct SizeMismatch {
  int rank;  // rank of the Recv
  int peer;
  MessageTag tag;
  size_t expected;
  std::optional<size_t> got;  // nullopt: more than expected, and the network does not say how much
};

// Returns Cancelled if one of the two sizes is 0, since a sender says so that no value comes (comm/CONTRACT.md);
// otherwise Internal.
inline Status OtherSize(const SizeMismatch& m) {
  const Code code = m.expected == 0 || m.got == size_t{0} ? Code::kCancelled : Code::kInternal;
  const std::string got = m.got.has_value() ? StrCat(*m.got) : "more";
  return Error(code, "rank ", m.rank, " expected ", m.expected, " bytes of rank ", m.peer, " with tag ", m.tag,
               " and got ", got);
}

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_MESSAGE_SIZE_H_
