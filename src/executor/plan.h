// ExecPlan: a partition's graph as the run loop wants it.
//
// Nodes are renumbered in the order in which one thread runs them, so that a step walks memory forward. Values live in
// slots, one a node output; an input is the number of a slot, so a data edge copies nothing. Out-edges stand in CSR
// form; of several edges between two nodes one is left, since readiness is all that they say.
//
// A slot is one of
//   fixed      the same in every step (Const, a ref to a variable): set once in the step's state. A node with such an
//              output and no control inputs is no node of the plan at all;
//   placed     its shape is static and small: header set once, bytes at a fixed offset of the state's arena;
//   counted    all others: released after the last reader.
//
// How frames plug in (loops): nodes, counters and slots of a loop's body are numbered together, so a frame is a range
// of each. An iteration is a block that holds a copy of these ranges; the base pointers of slots and counters that the
// run loop uses for it are offset so that the plan's numbers stay valid. A ready entry is then (node, iteration), and
// loop invariants are slots outside the range, written once. Records, edges and kernels stay as they are.
//
// Immutable but for the cache of step states and the measured costs of expensive nodes.
// Thread safety: all const methods from any thread. The device and the op registry of the graph must outlive it; the
// graph need not.
#ifndef DFRUN_SRC_EXECUTOR_PLAN_H_
#define DFRUN_SRC_EXECUTOR_PLAN_H_

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "src/base/mutex.h"
#include "src/framework/kernel.h"
#include "src/graph/graph.h"

namespace dfrun {

class StepState;

struct PlanOptions {
  // Static outputs up to this size are placed; larger ones come from the device's allocator, so that their memory is
  // free again after the last reader.
  int64_t max_placed_bytes = 32 << 10;
};

// Bits of NodeRecord::flags. A node without any is run by one call of `fn`, or by nothing where fn is null.
enum NodeFlag : uint32_t {
  kNodeAsync = 1 << 0,      // the kernel is an AsyncKernel
  kNodeExpensive = 1 << 1,  // ready nodes are published before it runs
  kNodeReadsRefs = 1 << 2,  // some input is a ref that must be initialised
  kNodeReleases = 1 << 3,   // some counted slot may have its last reader here
  kNodeRetval = 1 << 4,     // hands its input out
};

struct alignas(32) NodeRecord {
  Kernel::Fn fn = nullptr;  // null: no call (NoOp; a fixed output behind control edges; _Retval; asynchronous)
  Kernel* kernel = nullptr;
  uint32_t first_input = 0;   // in ExecPlan::inputs
  uint32_t first_output = 0;  // slot
  uint32_t first_edge = 0;    // in ExecPlan::edges; the next record's first_edge ends them
  uint32_t flags = 0;
};
static_assert(sizeof(NodeRecord) == 32);

// An out-edge: the reader, and whether this is its only input, so that it needs no count.
class OutEdge {
 public:
  OutEdge(uint32_t node, bool only_input) : bits_(node << 1 | (only_input ? 1 : 0)) {}
  uint32_t node() const { return bits_ >> 1; }
  bool only_input() const { return (bits_ & 1) != 0; }

 private:
  uint32_t bits_;
};

// What few nodes need, beside their records.
struct NodeDetail {
  uint32_t first_release = 0;  // in ExecPlan::releases; the next detail's first_release ends them
  int32_t index = -1;          // of an asynchronous node, an expensive node, a _Retval: which one
};

// A counted slot that a node reads, or writes where no node reads it.
struct Release {
  uint32_t slot;
  int32_t counter;  // in the step's reader counts; -1: no other node reads it
  int32_t input;    // the node's only input that is this slot; -1: none, several, or above 63
};

class ExecPlan {
 public:
  // `partition`: one device's nodes, shapes inferred, feeds and fetches as _Arg and _Retval. Kernels are made here.
  // Errors name the node.
  static Result<std::unique_ptr<ExecPlan>> Create(const Graph& partition, Device& device, const KernelRegistry& kernels,
                                                  const PlanOptions& options = {});
  // No step may be running.
  ~ExecPlan();
  ExecPlan(const ExecPlan&) = delete;
  ExecPlan& operator=(const ExecPlan&) = delete;

  struct Feed {
    std::string name;  // of the _Arg; empty where no node has this index
    DType dtype = DType::kInvalid;
    PartialShape shape;
    int32_t slot = -1;  // -1: no node reads it
  };
  // A slot whose header never changes.
  struct FixedSlot {
    uint32_t slot;
    Tensor value;  // or a ref
  };
  struct PlacedSlot {
    uint32_t slot;
    DType dtype;
    Shape shape;
    size_t offset;  // in the arena
  };

  Device& device() const { return *device_; }
  int num_feeds() const { return static_cast<int>(feeds_.size()); }
  const Feed& feed(int i) const { return feeds_[i]; }
  int num_fetches() const { return num_fetches_; }
  // Nodes that the run loop visits; the first num_roots() of them wait for nothing.
  uint32_t num_nodes() const { return static_cast<uint32_t>(details_.size()) - 1; }
  uint32_t num_roots() const { return num_roots_; }

  // The run loop's view. records and details have one more entry, which ends the last one's ranges.
  const NodeRecord* records() const { return records_.data(); }
  const uint32_t* inputs() const { return inputs_.data(); }
  const OutEdge* edges() const { return edges_.data(); }
  const NodeDetail& detail(uint32_t node) const { return details_[node]; }
  std::span<const Release> releases(uint32_t node) const {
    const uint32_t begin = details_[node].first_release;
    return {releases_.data() + begin, details_[node + 1].first_release - begin};
  }
  const NodeInfo& info(uint32_t node) const { return *infos_[node]; }
  const NodeInfo* const* infos() const { return infos_.data(); }

  // What a step's state is made of.
  uint32_t num_slots() const { return num_slots_; }
  size_t arena_bytes() const { return arena_bytes_; }
  int num_async() const { return num_async_; }
  const std::vector<FixedSlot>& fixed_slots() const { return fixed_; }
  const std::vector<PlacedSlot>& placed_slots() const { return placed_; }
  const std::vector<uint32_t>& counted_slots() const { return counted_; }
  // What the counters are at the start of a step: edges into each node, then nodes that read each slot of many readers.
  const std::vector<int32_t>& initial_pending() const { return initial_pending_; }
  const std::vector<int32_t>& initial_readers() const { return initial_readers_; }

  // What an expensive node's kernel took lately, in ns; 0: not known yet.
  std::atomic<uint32_t>& cost_ns(int expensive) { return costs_ns_[expensive]; }

  // A state for a step: a used one where there is one. ResourceExhausted if there is no memory for its arena.
  Result<StepState*> AcquireState();
  void ReleaseState(StepState* state);

 private:
  friend class PlanBuilder;
  ExecPlan();

  Device* device_ = nullptr;
  std::vector<NodeRecord> records_;
  std::vector<uint32_t> inputs_;
  std::vector<OutEdge> edges_;
  std::vector<NodeDetail> details_;
  std::vector<Release> releases_;
  std::vector<const NodeInfo*> infos_;
  std::vector<NodeInfo> all_infos_;  // of the graph's nodes, in its order: kernels hold references
  std::vector<std::unique_ptr<Kernel>> kernels_;
  std::vector<Feed> feeds_;
  std::vector<FixedSlot> fixed_;
  std::vector<PlacedSlot> placed_;
  std::vector<uint32_t> counted_;
  std::vector<int32_t> initial_pending_;
  std::vector<int32_t> initial_readers_;
  uint32_t num_roots_ = 0;
  uint32_t num_slots_ = 0;
  int num_fetches_ = 0;
  int num_async_ = 0;
  int num_expensive_ = 0;
  size_t arena_bytes_ = 0;

  std::unique_ptr<std::atomic<uint32_t>[]> costs_ns_;
  std::atomic<StepState*> last_used_{nullptr};  // saves the lock where one step runs at a time
  Mutex mu_;
  std::vector<std::unique_ptr<StepState>> states_ GUARDED_BY(mu_);  // all there are
  std::vector<StepState*> idle_ GUARDED_BY(mu_);
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_PLAN_H_
