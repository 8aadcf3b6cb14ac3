// Passes: rewrites of a graph that change no bit of any result, nor which errors a step can meet. Each registers itself
// beside its code and stands in no list.
//
// Graph passes see the whole graph of a run, pruned and not yet placed. Device passes see one partition: the graph of
// one device of their type, with the Sends and Recvs that join it to others; they stand beside the kernels whose nodes
// they make. Partition passes see all partitions of a run together, when the device passes are done. Passes run by
// their order, passes of equal order by name.
#ifndef DFRUN_SRC_PASSES_PASS_H_
#define DFRUN_SRC_PASSES_PASS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/collectives/choice.h"
#include "src/framework/kernel/kernel_registry.h"
#include "src/graph/graph.h"

namespace dfrun {

struct PassContext {
  const KernelRegistry& kernels;
  Device& host;  // the master's: constant folding runs kernels on it
  // Larger results of constant folding stay computed: they would only make the partitions larger.
  int64_t max_constant_bytes = int64_t{1} << 20;
  CollectivesOption collectives = CollectivesOption::kAuto;
};

struct Pass {
  std::string name;    // a device pass: its type of device, '/', and its own name
  std::string device;  // type of the device; empty: a pass of another kind
  int order;
  bool is_required;  // runs where nothing is to be optimised, too
  // Takes time linear in the graph, but for kernels that it runs. An error leaves the graph unusable.
  Status (*run)(Graph& graph, const PassContext& context);
  // Replaces `run` in a partition pass. Each partition's nodes are on one device.
  Status (*run_on_all)(std::span<Graph* const> partitions, const PassContext& context) = nullptr;
};

// Returns null if there is none of this name.
const Pass* FindPass(std::string_view name);
// Graph passes, or with `device` a type of device its passes, in the order in which they run.
std::vector<const Pass*> GraphPasses();
std::vector<const Pass*> DevicePasses(std::string_view device);
// Returns the passes of all types of devices, in that order.
std::vector<const Pass*> DevicePasses();
std::vector<const Pass*> PartitionPasses();

// Runs one. An error of one that only optimises says which it was.
Status RunPass(const Pass& pass, Graph& graph, const PassContext& context);
Status RunPartitionPass(const Pass& pass, std::span<Graph* const> partitions, const PassContext& context);
// Runs all passes for a graph that is one partition: a process of one device needs no more.
Status OptimizeForDevice(Graph& graph, std::string_view device, const PassContext& context);

namespace internal {
struct PassRegistration {
  explicit PassRegistration(Pass pass);
};
}  // namespace internal

#define DF_PASS(...)                                                                                   \
  [[maybe_unused]] static const ::dfrun::internal::PassRegistration DF_CONCAT(df_pass_, __COUNTER__) { \
    ::dfrun::Pass {                                                                                    \
      __VA_ARGS__                                                                                      \
    }                                                                                                  \
  }
// name, order, function.
#define GRAPH_PASS(name, order, run) DF_PASS(name, "", order, false, run)
#define REQUIRED_GRAPH_PASS(name, order, run) DF_PASS(name, "", order, true, run)
// A literal type of device, name, order, function.
#define DEVICE_PASS(device, name, order, run) DF_PASS(device "/" name, device, order, false, run)
// name, order, function.
#define PARTITION_PASS(name, order, run) DF_PASS(name, "", order, false, nullptr, run)

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_PASS_H_
