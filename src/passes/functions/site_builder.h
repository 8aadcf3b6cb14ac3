// Adds the nodes of functions at the sites of their calls.
//
// The site of a call decides which nodes a node of the body must wait for beyond its inputs. A call begins when its
// control inputs are done; in a branch or a loop's body it must not run where the branch is not taken. So a value at a
// site either comes only after that, or it floats: it may be there before. A node that nothing but floating values lead
// to gets control edges from the site's ties.
#ifndef DFRUN_SRC_PASSES_FUNCTIONS_SITE_BUILDER_H_
#define DFRUN_SRC_PASSES_FUNCTIONS_SITE_BUILDER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/graph/graph.h"
#include "src/passes/functions/library.h"

namespace dfrun {

// A value at a site.
struct SiteValue {
  Output output;  // invalid: an edge that closes a loop, set later
  bool floats = false;
};

// The surroundings in which nodes are added.
struct CallSite {
  std::string prefix;        // prefix of the nodes' names
  std::string device;        // for the parts of a device name that they do not say themselves
  std::vector<NodeId> ties;  // nodes that the new ones come after; none: nothing floats
  // The ties decide whether the nodes run at all: all of them are tied. Else only those whose order can be seen.
  bool is_conditional = false;
  // Everything with an effect runs, in conditionals and loops in a function too. If false, only the nodes of a function
  // run that its outputs and control_ret need.
  bool runs_all = false;
  // An output of a function comes after its effects. Not in a branch of a conditional that is lowered.
  bool ends_whole = true;
  bool may_be_dead = false;  // the graph around has primitives of control flow: a call waits for all of its inputs
};

// The values and nodes that replace a node or a call.
struct Inlined {
  std::vector<SiteValue> outputs;
  std::vector<NodeId> effects;  // nodes that end after everything that it does beside its outputs
  // True: a reader of an output, or a node that waits for this one, has all of its effects done. False: a reader of an
  // output needs that output alone, and a node that waits needs `effects` alone, which then are at most one node.
  bool is_whole = true;
  std::vector<int> counts;  // for a call: the number of `outputs` in each output of the function's signature
};

// Adds nodes at sites. How a function is called is left to the class below it (inliner.h), so that what replaces a call
// (body_instance.h, lowerings.h) can call functions in its turn.
// Thread safety: one thread. Nodes are added to `to`; their names are free in `reserved` too.
class SiteBuilder {
 public:
  // Calls of calls can ask for any number of nodes: beyond max_nodes, or 20 inputs for each of them, InvalidArgument.
  SiteBuilder(Graph& to, const Graph& reserved, FunctionLibrary& library, int64_t max_nodes)
      : to_(&to), reserved_(reserved), library_(library), max_nodes_(max_nodes) {}
  virtual ~SiteBuilder() = default;
  SiteBuilder(const SiteBuilder&) = delete;
  SiteBuilder& operator=(const SiteBuilder&) = delete;

  Graph& to() { return *to_; }
  // Adds to another graph from now on; gives the one before.
  Graph& SwitchTo(Graph& other) { return *std::exchange(to_, &other); }
  FunctionLibrary& library() { return library_; }
  // Counts additions by other code: nodes, or calls, which may add none; and inputs.
  Status CountNodes(int64_t more);
  Status CountInputs(size_t more);
  // Whether there is room for no more: whatever is added is refused.
  bool is_full() const;
  // So many conditionals one in another have begun, or end where it is negative: they are added recursively.
  Status NestConditionals(int more);

  // `name`, or the first of name_1, name_2, ... that is free.
  std::string UniqueName(std::string_view name) const;

  // Adds the node of `spec`, but reading `inputs`; its name must be free. The node is tied where nothing but floating
  // values lead to it: neither its inputs nor, with is_anchored, the sources of its control edges.
  Result<Inlined> AddNode(NodeSpec spec, const std::vector<SiteValue>& inputs, bool is_anchored, const CallSite& site);
  // A node of one output (or the first of several), named site.prefix + name, made unique.
  Result<SiteValue> Add(const std::string& name, const std::string& op, const std::vector<SiteValue>& inputs,
                        const CallSite& site, AttrMap attrs = {}, std::vector<NodeId> after = {});
  // Returns the node to wait for in order to wait for the value: it is dead where the value is.
  Result<NodeId> NodeOf(SiteValue value, const CallSite& site);
  // The value, coming after the site's ties.
  Result<SiteValue> Anchor(SiteValue value, const CallSite& site);

  // Adds the replacement of a node whose op calls functions (IsFunctional()). spec.name is the prefix of the names of
  // its nodes. A variable that is given by reference is read when the call begins.
  virtual Result<Inlined> AddFunctional(const NodeSpec& spec, const std::vector<SiteValue>& given,
                                        const CallSite& site) = 0;

  // The nodes of a function for these arguments. Where it has effects every output waits for them if the site says that
  // it ends as a whole. At a conditional site no output floats. InvalidArgument names function and node, and the calls
  // that lead from a function to itself.
  virtual Result<Inlined> Call(const FunctionName& function, const std::vector<SiteValue>& arguments,
                               const CallSite& site) = 0;

 private:
  Result<NodeId> AddToGraph(NodeSpec spec);
  void Tie(NodeId node, const CallSite& site);

  Graph* to_;
  const Graph& reserved_;
  FunctionLibrary& library_;
  const int64_t max_nodes_;
  int64_t nodes_ = 0;     // added so far, and calls
  int64_t inputs_ = 0;    // inputs added so far
  int conditionals_ = 0;  // conditionals that are being added
};

// Returns a device name with its open parts taken from `outer`.
std::string DeviceWithin(const std::string& device, const std::string& outer);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_FUNCTIONS_SITE_BUILDER_H_
