// Collectives: computations that the participants of a group, devices of one rank or of several in a fixed order, do
// together.
//
// Each participant has a node, whose kernel calls the Collective of its device. When a graph is compiled, each
// collective is either such nodes or, as Sends, Recvs and sums, nodes like any other: collectives/choice.h.
//
// Invariants: an element of a reduction is ((x0 op x1) op x2) op ..., x0 that of participant 0, each step rounded to
// the dtype; a mean is divided last. So the bits depend neither on where participants are, nor on which comes first,
// nor on the implementation.
#ifndef DFRUN_SRC_FRAMEWORK_COMMUNICATION_COLLECTIVE_H_
#define DFRUN_SRC_FRAMEWORK_COMMUNICATION_COLLECTIVE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "src/base/callback.h"
#include "src/base/status.h"
#include "src/framework/step/step_context.h"
#include "src/framework/values/attr.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

enum class CollectiveKind { kAllReduce, kAllGather, kReduceScatter, kBroadcast };
enum class Reduction { kAdd, kMul, kMin, kMax, kMean };

// "AllReduce".
std::string_view CollectiveName(CollectiveKind kind);
// Returns InvalidArgument unless it is "Add", "Mul", "Min", "Max" or "Mean".
Result<Reduction> ParseReduction(std::string_view text);

// A collective of a graph: the same for all participants but `index`. Fixed when the graph is compiled.
struct CollectivePlan {
  CollectiveKind kind = CollectiveKind::kAllReduce;
  DType dtype = DType::kInvalid;  // plain
  int64_t elements = 0;           // elements that each participant brings; in a broadcast, the root
  std::vector<int64_t> ranks;     // ranks of the participants, in their order
  int index = 0;                  // index of this participant
  int root = 0;                   // for a broadcast: the participant that brings the value
  int32_t channel = 0;            // the first of those that it was given; the others follow

  int size() const { return static_cast<int>(ranks.size()); }
  int64_t rank() const { return ranks[static_cast<size_t>(index)]; }
  int64_t bytes() const { return elements * static_cast<int64_t>(DTypeSize(dtype)); }
};

// The op of the node of a participant: "_AllReduce", "_AllGather", "_ReduceScatter", "_BroadcastSend" of the root and
// "_BroadcastRecv" of the others. Their attrs are the plan's fields.
bool IsParticipantOp(std::string_view op);
// Returns InvalidArgument where the attrs are not those that the compilation of a graph gives such a node.
Result<CollectivePlan> ReadCollectivePlan(std::string_view op, const AttrMap& attrs);

// The function that reduces the values of several participants to one.
struct Reducer {
  Reduction reduction = Reduction::kAdd;
  // Reduces on the host: `n` elements at `out` from `n` at each of `count` addresses, in the order of sums. `out` is
  // none of these.
  void (*reduce)(const void* const* values, int count, void* out, int64_t n) = nullptr;
};

// One participant's end of one collective. Made with its node's kernel, and used by one step after the other and by
// several at once; in a step each participant calls the method of the plan's kind once.
//
// No call blocks or holds a thread: `done` runs when `output` is complete and `input` may change, from any thread that
// drives communication or the device, possibly before the call returns. Inputs and outputs are where the kernel's
// registration says (kHostInputs, kHostOutputs), of the plan's dtype, and live until `done`.
// Errors: the first error of the step ends every call of the step that is still in progress, with that error (through
// step.rendezvous, or step.cancellation where it does not wait for that). An error of its own comes out of `done`, and
// then ends the step like that of any node. After an error the output is undefined.
// Thread safety: all methods from any thread.
class Collective {
 public:
  virtual ~Collective() = default;
  // `output` has as many elements as `input`.
  virtual void AllReduce(const StepContext& step, const Reducer& reducer, const Tensor& input, Tensor& output,
                         Callback done) = 0;
  // Sets `output` to the inputs of all participants, one behind the other in their order.
  virtual void AllGather(const StepContext& step, const Tensor& input, Tensor& output, Callback done) = 0;
  // `output` is the index-th of size() equal parts of the fold.
  virtual void ReduceScatter(const StepContext& step, const Reducer& reducer, const Tensor& input, Tensor& output,
                             Callback done) = 0;
  // The root's `value` is read, that of the others written.
  virtual void Broadcast(const StepContext& step, Tensor& value, Callback done) = 0;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_COMMUNICATION_COLLECTIVE_H_
