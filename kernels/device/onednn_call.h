// A oneDNN primitive that any thread may run, several at once: the arguments' memory objects and the scratchpad belong
// to the call, never to the library's thread. Only where DFRUN_ONEDNN is defined.
#ifndef DFRUN_KERNELS_DEVICE_ONEDNN_CALL_H_
#define DFRUN_KERNELS_DEVICE_ONEDNN_CALL_H_

#include <initializer_list>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

#include "src/base/mutex.h"
#include "src/base/status.h"
#include "src/framework/values/allocator.h"

namespace dfrun {

// The CPU engine of this process.
const dnnl::engine& OneDnnEngine();
// Attributes of every primitive here: scratchpads are the caller's, float32 is not computed in fewer bits.
dnnl::primitive_attr OneDnnAttributes();
// The calling thread takes no helpers: kernels split their work over dfrun's own pool. Before a primitive is made too.
void UseOneOpenMpThread();

class OneDnnCall {
 public:
  struct Argument {
    int index;  // DNNL_ARG_...
    dnnl::memory::desc desc;
  };

  // `scratchpad` as the primitive descriptor says.
  OneDnnCall(dnnl::primitive primitive, const dnnl::memory::desc& scratchpad, std::vector<Argument> arguments);
  ~OneDnnCall();
  OneDnnCall(const OneDnnCall&) = delete;
  OneDnnCall& operator=(const OneDnnCall&) = delete;

  // Runs on the calling thread and returns when done. `data` follows the arguments' order. Scratch memory comes from
  // `allocator` for the time of the call.
  // Thread safety: any thread.
  Status Run(std::initializer_list<const void*> data, Allocator& allocator) const;

 private:
  struct Frame;  // memory objects that point at one call's data
  std::unique_ptr<Frame> TakeFrame() const;
  void PutFrame(std::unique_ptr<Frame> frame) const;

  const dnnl::primitive primitive_;
  const dnnl::memory::desc scratchpad_;
  const std::vector<Argument> arguments_;
  mutable Mutex mu_;
  mutable std::vector<std::unique_ptr<Frame>> free_frames_ GUARDED_BY(mu_);
};

// Calls make() and turns the library's exception into an error that names the object under construction.
template <class Make>
auto CatchOneDnn(std::string_view what, Make&& make) -> Result<decltype(make())> {
  UseOneOpenMpThread();
  try {
    return make();
  } catch (const dnnl::error& error) {
    return Unimplemented("oneDNN cannot make ", what, ": ", error.what());
  }
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_DEVICE_ONEDNN_CALL_H_
