// A callback by which a call that does not block reports its end.
#ifndef DFRUN_SRC_BASE_CALLBACK_H_
#define DFRUN_SRC_BASE_CALLBACK_H_

#include <utility>

#include "src/base/status.h"

namespace dfrun {

// Called once, from any thread that drives communication or a device, possibly before the call that took it returns.
// `arg` is kept alive by the caller of that call.
struct Callback {
  void (*run)(void* arg, Status status) = nullptr;
  void* arg = nullptr;
  void operator()(Status status) const { run(arg, std::move(status)); }
};

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_CALLBACK_H_
