// Devices that record: the kernels of a subgraph, a part of a step, are called once, and the work that they enqueue is
// launched as a whole in each later step, at the same addresses.
//
// A subgraph's kernels are called twice, in one order. The first time nothing is recorded: the recorder learns how much
// memory they take. The second time each call's work is kept, with the memory that it reads and writes. Both times the
// context's device is GraphCapture::device(), which gives memory of the subgraph's own, and refuses calls that cannot
// be recorded: copies from and to host memory, and waiting.
//
// Recorded work runs after the work of the nodes before it in the subgraph that it depends on, by the subgraph's edges
// and by the memory that both use: memory that one has given back may be given to another. Work that depends on nothing
// runs side by side.
#ifndef DFRUN_SRC_FRAMEWORK_DEVICE_GRAPH_CAPTURE_H_
#define DFRUN_SRC_FRAMEWORK_DEVICE_GRAPH_CAPTURE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/framework/device/device.h"

namespace dfrun {

// Facts about a recorded subgraph.
struct CaptureFacts {
  int64_t nodes = 0;            // pieces of work
  int64_t edges_found = 0;      // between them
  int64_t edges = 0;            // edges left, since no others imply them
  int64_t early_edges = 0;      // edges of those after which a kernel begins before the one it waits for is done
  int64_t library_calls = 0;    // among the nodes: each may be several kernels
  int64_t arena_bytes = 0;      // memory of the subgraph's own, workspaces included
  int64_t workspace_bytes = 0;  // the largest that a library's call was given
};

// Counts of a device's work since it was made, over all steps.
struct CaptureCounters {
  int64_t recordings = 0;
  int64_t launches = 0;       // launches of recorded subgraphs
  int64_t updates = 0;        // updates of recorded subgraphs, between launches
  int64_t stream_calls = 0;   // kernels, copies within the device and library calls that were enqueued one by one
  int64_t signaled_ends = 0;  // ends of steps and of copies to the host that the work itself told
  int64_t asked_ends = 0;     // ends of them for which the device was asked
};

// A value of more bytes is copied from the host by its own node, at the same time as the device's other work; a smaller
// one by the node that reads it.
inline constexpr int64_t kMaxBytesInOrder = 1 << 20;

// An elementary copy that a device makes on its own. Both addresses are in its memory, or in CapturingDevice::staging()
// memory.
struct BlockCopy {
  const void* from;
  void* to;
  size_t bytes;
};

// Thread safety: one thread at a time. No launch may be in progress when it is destroyed; it may be enqueued.
class CapturedWork {
 public:
  virtual ~CapturedWork() = default;
  // Enqueues all of it, in the order of the device's stream.
  virtual Status Launch() = 0;
  virtual const CaptureFacts& facts() const = 0;
};

// Memory that work reads or writes.
struct MemoryRange {
  const void* begin;
  size_t bytes;
};

// Records one subgraph.
// Thread safety: one thread.
// Lifetime: memory of device() is valid for the recorder's life; the recorder must outlive the recorded work.
class GraphCapture {
 public:
  virtual ~GraphCapture() = default;
  virtual Device& device() = 0;
  // Begins the second round of calls, when all memory of the first has been given back. ResourceExhausted where there
  // is none.
  virtual Status BeginRecording() = 0;
  // Called before and after a node's kernel, the nodes numbered from 0 in order. The node depends on the nodes `after`,
  // and by the memory of `reads` and `writes`; memory allocated during the call counts as written. `gate`: null, or the
  // word in the device's memory without which (0) the node must write nothing.
  virtual void BeginNode(std::string_view name, const int32_t* gate) = 0;
  virtual void EndNode(std::span<const int> after, std::span<const MemoryRange> reads,
                       std::span<const MemoryRange> writes) = 0;
  // Ends the recording. Unimplemented names a node that could not be recorded, and the reason. `is_last`: nothing is
  // enqueued for the subgraph after the recorded work, which then tells when it is done.
  virtual Result<std::unique_ptr<CapturedWork>> Finish(bool is_last) = 0;
};

// The recording interface of a device, beside Device.
// Thread safety: all methods from any thread.
class CapturingDevice {
 public:
  virtual ~CapturingDevice() = default;
  virtual std::unique_ptr<GraphCapture> NewRecorder() = 0;
  // Host memory that copies of EnqueueCopies() may lie in.
  virtual Allocator& staging() = 0;
  // Memory of the device that copies from the host may fill beside the work that is enqueued, for values of more than
  // kMaxBytesInOrder.
  virtual Allocator& uploads() = 0;
  // Enqueues copies that do not overlap, in order with the work enqueued before and after. `kept` are not given back
  // before the copies are done and the step has ended. `is_last`: they end a subgraph's work, and should tell when they
  // are done.
  virtual Status EnqueueCopies(std::span<const BlockCopy> copies, std::vector<Tensor> kept, bool is_last) = 0;
  virtual CaptureCounters counters() const = 0;

  // Returns null where the device does not record.
  static CapturingDevice* Of(Device& device) { return dynamic_cast<CapturingDevice*>(&device); }
};

// Properties of a device's kernels of an op that its definition does not show. By default, kernels only enqueue, read
// host memory at most for sizes, and can be recorded.
struct CaptureTraits {
  // The reason why the kernels cannot be recorded, as a part of a sentence: "it ..."; empty: they can be.
  std::string_view why_not = {};
  // Input 1 becomes the value of the variable: where that has another shape, it gets other memory.
  bool assigns = false;
  // Output 0 is a number that says whether updates are left out (src/graph/update_gate.h).
  bool is_gate = false;
  // The kernels write nothing where the gate of GraphCapture::BeginNode() is closed when the work runs.
  bool obeys_gate = false;
};

// Returns the traits of an op on a type of device; null where nothing is registered.
const CaptureTraits* FindCaptureTraits(std::string_view device_type, std::string_view op);

namespace internal {
struct CaptureTraitsRegistration {
  CaptureTraitsRegistration(std::string_view device_type, std::string_view op, CaptureTraits traits);
};
}  // namespace internal

// A type of device, an op, designated initialisers of CaptureTraits.
#define RECORDING_TRAITS(device, op, ...)                                                                           \
  [[maybe_unused]] static const ::dfrun::internal::CaptureTraitsRegistration DF_CONCAT(df_recording_, __COUNTER__)( \
      device, op, ::dfrun::CaptureTraits{__VA_ARGS__})

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_DEVICE_GRAPH_CAPTURE_H_
