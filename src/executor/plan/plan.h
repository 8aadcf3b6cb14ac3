// ExecPlan: a partition's graph in the form that the run loop needs.
//
// Nodes are renumbered in the order in which one thread runs them, so that a step walks memory forward. Values live in
// slots, one a node output; an input is the number of a slot, so a data edge copies nothing. Out-edges stand in CSR
// form, without repeated edges (plan_edges.h).
//
// A slot is one of
//   fixed      the same in every step (Const, a ref to a variable): set once in the step's state. A node with such an
//              output and no control inputs is no node of the plan at all;
//   placed     its shape is static and small: header set once, bytes at a fixed offset of the state's arena;
//   counted    all others: released after the last reader.
//
// Graphs with conditionals and loops: every node belongs to a frame (src/graph/control_flow.h); frame 0 is the step
// itself. Nodes, slots and counters are numbered within their frame, so that an iteration is a block of them, and a
// ready entry is (iteration, node). A loop's constants are handed to each block once. The out-edges of such a plan are
// DataflowEdges, which carry deadness. A plan without such ops has frame 0 alone and pays nothing for them. A loop
// without loops inside has a second form, a straight line (loop_program.h).
//
// Invariants: immutable but for the cache of step states and the run times of expensive nodes.
// Thread safety: all const methods from any thread.
// Lifetime: the device and the op registry of the graph must outlive it; the graph need not.
#ifndef DFRUN_SRC_EXECUTOR_PLAN_PLAN_H_
#define DFRUN_SRC_EXECUTOR_PLAN_PLAN_H_

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/executor/plan/plan_states.h"
#include "src/framework/kernel/kernel_registry.h"
#include "src/framework/step/trace_sink.h"
#include "src/graph/control_flow.h"

namespace dfrun {

struct LoopProgram;

struct PlanOptions {
  // Static outputs up to this size are placed; larger ones come from the device's allocator, so that their memory is
  // free again after the last reader.
  int64_t max_arena_bytes = 32 << 10;
  // Whether loops may run as straight lines (loop_program.h); the results are the same.
  bool loop_programs = true;
  // Whether a device that records (src/framework/device/graph_capture.h) does so; the results are the same.
  bool records = true;
  // Gets a line for each recording, and for each node that is not recorded, with the reason. Empty: nobody asks. Called
  // from any thread that runs steps.
  std::function<void(const std::string&)> explain = {};
};

// Bits of NodeRecord::flags. A node without any is run by one call of `fn`, or by nothing where fn is null.
enum NodeFlag : uint32_t {
  kNodeAsync = 1 << 0,              // the kernel is an AsyncKernel
  kNodeExpensive = 1 << 1,          // ready nodes are published before it runs
  kNodeReadsRefs = 1 << 2,          // some input is a ref that must be initialised
  kNodeReleases = 1 << 3,           // some counted slot may have its last reader here
  kNodeRetval = 1 << 4,             // hands its input out
  kNodeControlFlow = 1 << 5,        // no kernel is called; NodeDetail::control_flow names the run loop's action
  kNodeRunsDead = 1 << 6,           // the kernel is called for dead inputs too
  kNodeYieldsToPredicate = 1 << 7,  // with control flow: runs after the nodes that its inputs make ready
                                    // (FrameEntry::Yielded)
  kNodePredicateOnly = 1 << 8,      // a Switch that hands no value on: the readers of its outputs read its input
  kNodeGate = 1 << 9,               // withholds the step's updates where its output is not 0
  kNodeGated = 1 << 10,             // an update: left out of a step whose updates are withheld
};
// The flags from this bit on are the group of a gate or of an update (src/graph/update_gate.h).
inline constexpr uint32_t kGateGroupShift = 16;

struct alignas(32) NodeRecord {
  Kernel::Fn fn = nullptr;  // null: no call (NoOp; a fixed output behind control edges; _Retval; asynchronous)
  Kernel* kernel = nullptr;
  uint32_t first_input = 0;   // in ExecPlan::inputs
  uint32_t first_output = 0;  // slot
  uint32_t first_edge = 0;    // in ExecPlan::edges; the next record's first_edge ends them
  uint32_t flags = 0;
};
static_assert(sizeof(NodeRecord) == 32);

// Arguments for a call of a node's kernel.
struct KernelCall {
  Kernel::Fn fn = nullptr;
  Kernel* kernel = nullptr;
  const NodeInfo* info = nullptr;
  const uint32_t* inputs = nullptr;  // slots
  uint32_t first_output = 0;         // slot
  uint32_t node = 0;                 // in the plan
};

// An out-edge: the reader, and whether this is its only input, so that it needs no count.
class OutEdge {
 public:
  OutEdge(uint32_t node, bool only_input) : bits_(node << 1 | (only_input ? 1 : 0)) {}
  uint32_t node() const { return bits_ >> 1; }
  bool only_input() const { return (bits_ & 1) != 0; }

 private:
  uint32_t bits_;
};

// An out-edge in a plan with control flow.
class DataflowEdge {
 public:
  enum class Kind : uint32_t {
    kCounted,       // one of several inputs that the reader waits for
    kOnly,          // all that it waits for
    kMergeData,     // into a Merge: `input` is which
    kMergeControl,  // into a Merge, which is not dead for that
    kTrigger,       // into a node that a dead input does not make dead
    kOnlyLive,      // all that it waits for, where a dead one asks nothing of it
  };
  static constexpr uint16_t kControlPort = UINT16_MAX;
  static constexpr uint32_t kMaxNodes = 1 << 29;

  DataflowEdge(Kind kind, uint32_t node, uint16_t port, uint16_t input)
      : bits_(node << 3 | static_cast<uint32_t>(kind)), port_(port), input_(input) {}
  Kind kind() const { return static_cast<Kind>(bits_ & 7); }
  uint32_t node() const { return bits_ >> 3; }
  uint16_t port() const { return port_; }    // the source's output that it dies with; kControlPort: none alone
  uint16_t input() const { return input_; }  // a Merge's input number

 private:
  uint32_t bits_;
  uint16_t port_;
  uint16_t input_;
};

// Rarely used parts of a node, kept apart from its record.
struct NodeDetail {
  uint32_t first_release = 0;  // in ExecPlan::releases; the next detail's first_release ends them
  // The number of an asynchronous node, an expensive node, a _Retval, an Enter or an Exit among its kind. For a Merge:
  // not -1 where some node reads its second output, the number of the live input.
  int32_t index = -1;
  ControlFlowKind control_flow = ControlFlowKind::kNone;
  // For a node with `control_flow`: the bytes that each output copies from an input when both lie in the arena; 0: it
  // does not copy so.
  uint32_t copied_bytes = 0;
};

// A counted slot that a node reads, or writes where no node reads it.
struct Release {
  uint32_t slot;
  int32_t counter;  // in the step's reader counts; -1: no other node reads it
  int32_t input;    // the node's only input that is this slot; -1: none, several, or above 63
};

// The layout of the values of a step, or of an iteration of a loop.
struct ValueLayout {
  // A slot whose header never changes.
  struct FixedSlot {
    uint32_t slot;
    Tensor value;  // a value or a ref
  };
  struct ArenaSlot {
    uint32_t slot;
    DType dtype;
    Shape shape;
    size_t offset;  // in the arena
  };
  uint32_t num_slots = 0;
  size_t arena_bytes = 0;
  int num_async = 0;
  std::vector<FixedSlot> fixed;
  std::vector<ArenaSlot> arena_slots;
  std::vector<uint32_t> counted;
  // Initial counters. `pending` counts, by node, the edges that it waits for (a Merge encodes them as MergeCount says);
  // `readers` counts the nodes that read a slot of many readers.
  std::vector<int32_t> pending;
  std::vector<int32_t> readers;
  std::vector<int32_t> later_pending;  // `pending` of all iterations of a loop but the first
};

// The count of a Merge: bit 0 says that no live input has come, above it stand the control inputs that it waits for,
// and in the upper half the inputs that may still be live: all but those from NextIterations in iteration 0, all but
// those from Enters in others.
struct MergeCount {
  static constexpr int32_t kNoLiveInput = 1;
  static constexpr int32_t kControlInput = 2;
  static constexpr int32_t kDataInput = 1 << 16;
  static constexpr int32_t kMaxInputs = (1 << 14) - 1;  // for data and control inputs each
  static constexpr int32_t Initial(int32_t controls, int32_t data) {
    return kNoLiveInput + controls * kControlInput + data * kDataInput;
  }
  // Neither a control input nor, for a live one, a data input is missing.
  static constexpr bool IsLive(int32_t count) { return (count & (kDataInput - 1)) == 0; }
  static constexpr bool IsDead(int32_t count) { return count == kNoLiveInput; }
};

// A frame as the run loop wants it. Frame 0 is the step.
struct FramePlan {
  std::string name;
  uint64_t name_hash = 0;  // equal in all processes
  ValueLayout layout;
  uint32_t first_node = 0;  // number in the plan's records
  uint32_t num_nodes = 0;
  uint32_t num_roots = 0;    // the first nodes of the frame: an iteration begins with them
  int32_t child_index = -1;  // among its parent's children
  int32_t num_children = 0;
  int32_t num_enters = 0;
  int64_t parallel_iterations = 1;
  std::vector<uint32_t> exits;                 // nodes of this frame, by NodeDetail::index
  std::vector<uint32_t> predicates;            // slots that its LoopConds read
  std::shared_ptr<const LoopProgram> program;  // null: the frame has no such form
};

// An Enter, by NodeDetail::index.
struct EnterPlan {
  int32_t frame;     // the frame it leads into
  bool is_constant;  // its value stands in every iteration
};

// Blocking information of a node: the peers that it waits for by other ways than edges, or that wait for it. Traces and
// reports use it.
struct BlockingInfo {
  uint32_t node = 0;      // in the plan
  int32_t channel = -1;   // a Send's or Recv's; -1: neither
  int32_t peer = -1;      // a Send's or Recv's: the rank of the other end
  int64_t group = -1;     // a collective participant's; -1: none
  std::string subject{};  // the value that it sends or receives; the node that made the object which it uses
};

class ExecPlan {
 public:
  // Makes an empty plan; BuildPlan() makes one of a graph.
  ExecPlan();
  // No step may be running.
  ~ExecPlan();
  ExecPlan(const ExecPlan&) = delete;
  ExecPlan& operator=(const ExecPlan&) = delete;

  // TraceSink::AddPlan
  uint64_t id() const { return id_; }
  TraceNames Names() const;

  struct Feed {
    std::string name;  // the _Arg's name; empty where no node has this index
    DType dtype = DType::kInvalid;
    PartialShape shape;
    int32_t slot = -1;  // -1: no node reads it
  };
  Device& device() const { return *device_; }
  int num_feeds() const { return static_cast<int>(feeds_.size()); }
  const Feed& feed(int i) const { return feeds_[i]; }
  int num_fetches() const { return num_fetches_; }
  // Nodes that the run loop visits, of all frames.
  uint32_t num_nodes() const { return static_cast<uint32_t>(details_.size()) - 1; }
  bool has_control_flow() const { return has_control_flow_; }
  // Returns at least one frame; only one where has_control_flow() is false.
  const std::vector<FramePlan>& frames() const { return frames_; }
  const FramePlan& root() const { return frames_[0]; }
  bool has_async() const { return has_async_; }
  const EnterPlan& enter(int32_t i) const { return enters_[i]; }

  // The run loop's view. records and details have one more entry, which ends the last one's ranges.
  const NodeRecord* records() const { return records_.data(); }
  const uint32_t* inputs() const { return inputs_.data(); }
  const OutEdge* edges() const { return edges_.data(); }
  const DataflowEdge* dataflow_edges() const {
    return dataflow_edges_.data();
  }  // instead of edges(), for a plan with control flow
  const NodeDetail& detail(uint32_t node) const { return details_[node]; }
  std::span<const Release> releases(uint32_t node) const {
    const uint32_t begin = details_[node].first_release;
    return {releases_.data() + begin, details_[node + 1].first_release - begin};
  }
  const NodeInfo& info(uint32_t node) const { return *infos_[node]; }
  const NodeInfo* const* infos() const { return infos_.data(); }
  // The nodes' blocking information, in their order.
  const std::vector<BlockingInfo>& blocking_infos() const { return blocking_infos_; }

  // Recent run times of an expensive node's kernel.
  // Thread safety: any thread.
  struct KernelStats {
    std::atomic<uint32_t> cost_ns{0};  // 0: not known yet
    std::atomic<int> shares_in{0};     // NodePool::longest(): of its calls, the one whose blocks keep threads busy
  };
  KernelStats& kernel_stats(int expensive) { return kernel_stats_[expensive]; }

  PlanStates& states() { return states_; }

 private:
  friend class NodePlans;
  friend class PlanBuilder;

  const uint64_t id_;
  Device* device_ = nullptr;
  std::vector<NodeRecord> records_;
  std::vector<uint32_t> inputs_;
  std::vector<OutEdge> edges_;
  std::vector<DataflowEdge> dataflow_edges_;
  std::vector<NodeDetail> details_;
  std::vector<Release> releases_;
  std::vector<const NodeInfo*> infos_;
  std::vector<NodeInfo> all_infos_;  // the graph's nodes, in its order; kernels hold references
  std::vector<std::unique_ptr<Kernel>> kernels_;
  std::vector<Feed> feeds_;
  std::vector<FramePlan> frames_;
  std::vector<EnterPlan> enters_;
  std::vector<BlockingInfo> blocking_infos_;
  bool has_control_flow_ = false;
  bool has_async_ = false;
  int num_fetches_ = 0;
  int num_expensive_ = 0;

  std::unique_ptr<KernelStats[]> kernel_stats_;
  PlanStates states_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_PLAN_PLAN_H_
