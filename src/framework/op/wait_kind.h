// The kinds of waits of a node beside its inputs, declared by its op for checks of queues and for reports of steps that
// do not go on.
#ifndef DFRUN_SRC_FRAMEWORK_OP_WAIT_KIND_H_
#define DFRUN_SRC_FRAMEWORK_OP_WAIT_KIND_H_

#include <cstdint>

namespace dfrun {

// Numbers travel between ranks: append only.
enum class WaitKind : uint8_t {
  kNone = 0,     // waits for no other node: an asynchronous one of this kind is at work by itself
  kSend = 1,     // for the Recv at the other end of its channel
  kRecv = 2,     // for the Send
  kMeet = 3,     // a participant of a collective, for the others
  kPut = 4,      // for room in an object
  kTake = 5,     // for elements that other nodes put into an object
  kClose = 6,    // ends the waits of puts and takes
  kLock = 7,     // for a mutex
  kRelease = 8,  // ends the wait for a lock
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_OP_WAIT_KIND_H_
