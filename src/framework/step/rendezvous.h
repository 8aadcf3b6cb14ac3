// The meeting point of Send and Recv nodes. A channel is one cross-device edge, numbered when the graph is partitioned;
// within a step it carries one value (in a loop, one an iteration, in order).
#ifndef DFRUN_SRC_FRAMEWORK_STEP_RENDEZVOUS_H_
#define DFRUN_SRC_FRAMEWORK_STEP_RENDEZVOUS_H_

#include <cstdint>

#include "src/base/callback.h"
#include "src/base/status.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

struct ChannelKey {
  int32_t channel;         // fixed at partition time, unique among all edges of all graphs of the session
  int32_t peer;            // rank of the other end; may be this rank
  bool static_shape;       // both ends know dtype and shape, and the value cannot be dead: no header is needed
  uint64_t iteration = 0;  // for a channel in a loop, never of static shape: both ends' OpContext::iteration()
};

// Thread safety: all methods from any thread. One per step and rank.
class Rendezvous {
 public:
  virtual ~Rendezvous() = default;

  // Sends a value. Never blocks. The tensor's bytes, in host memory, must stay as they are until `done`. A dead value
  // has no tensor.
  virtual void Send(const ChannelKey& key, const Tensor& value, bool is_dead, Callback done) = 0;
  // Receives a value. Never blocks. If `value` is initialised when called (static shape), the bytes are copied into it;
  // else it becomes a new tensor of `allocator`, which gives host memory. `value` and `is_dead` (null: static shape)
  // must live until `done`, when they are set.
  virtual void Recv(const ChannelKey& key, Allocator& allocator, Tensor* value, bool* is_dead, Callback done) = 0;
  // Ends every pending and later call with `status`. The first abort wins.
  virtual void Abort(const Status& status) = 0;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_STEP_RENDEZVOUS_H_
