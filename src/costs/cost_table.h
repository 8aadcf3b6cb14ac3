// The speeds and measured times of one machine, from which the times of nodes and edges are predicted (predict.h). A
// file keeps them; docs/costs.md describes its form.
#ifndef DFRUN_SRC_COSTS_COST_TABLE_H_
#define DFRUN_SRC_COSTS_COST_TABLE_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "src/base/status.h"
#include "src/costs/op_family.h"

namespace dfrun {

// A node of a family takes overhead_s + max(operations / flops_per_s, bytes / bytes_per_s).
struct NodeSpeed {
  double overhead_s = 0;
  double flops_per_s = 0;
  double bytes_per_s = 0;  // bytes read and written
  bool operator==(const NodeSpeed&) const = default;
};

// How far apart the devices at the ends of an edge are.
enum class PairClass : uint8_t { kSameDevice, kSameProcess, kSameHost, kNetwork };
inline constexpr std::array kPairClasses = {PairClass::kSameDevice, PairClass::kSameProcess, PairClass::kSameHost,
                                            PairClass::kNetwork};
// "same_host".
std::string_view PairClassName(PairClass pair);
std::optional<PairClass> PairClassOfName(std::string_view name);

// A value takes latency_s + bytes / bytes_per_s from the end of the node that makes it until it is at the other device.
struct PairSpeed {
  double latency_s = 0;
  double bytes_per_s = 0;
  bool operator==(const PairSpeed&) const = default;
};

// The executor's own time, beside the kernels.
struct ExecutorSpeed {
  double node_s = 0;
  double edge_s = 0;
  bool operator==(const ExecutorSpeed&) const = default;
};

struct MeasuredCost {
  std::string op;  // for people who read the file
  double seconds = 0;
  int64_t samples = 0;
  bool operator==(const MeasuredCost&) const = default;
};

// Thread safety: const methods from any thread.
class CostTable {
 public:
  // Version of the form of the file.
  static constexpr int64_t kForm = 1;
  // The largest file that is read, in bytes.
  static constexpr size_t kMaxBytes = size_t{64} << 20;

  // Reads a table. DataLoss names the file and the field that is wrong: a number that is not from 1e-30 to 1e30, a
  // name that is not known, a member that is missing. Members of other versions are passed over.
  static Result<CostTable> Parse(std::string_view json, std::string_view path);
  static Result<CostTable> Read(const std::string& path);
  // A line for each speed and each measured cost.
  std::string Print() const;

  // The machine, for people. A new table describes the host of this process.
  std::string host;
  std::string processor;
  // Threads of kernels, for which all of it was measured; 0: not known.
  int64_t threads = 0;

  // Return what was measured, or else what is assumed: of a node the rough speed of its type of device
  // (src/framework/device/device_speed.h), or that of the host's type where nothing is known of the type.
  NodeSpeed Node(std::string_view device_type, OpFamily family) const;
  PairSpeed Pair(PairClass pair) const;
  ExecutorSpeed Executor() const;
  // Null where there is no measurement. The pointer lasts until the next SetMeasured().
  const MeasuredCost* Measured(std::string_view key) const;

  void SetNode(std::string_view device_type, OpFamily family, const NodeSpeed& speed);
  // Takes the place of the rough speed of the type, for nodes that were not measured.
  void AssumeNodes(std::string_view device_type, const NodeSpeed& speed) {
    assumed_.insert_or_assign(std::string(device_type), speed);
  }
  void SetPair(PairClass pair, const PairSpeed& speed) { pairs_[pair] = speed; }
  void SetExecutor(const ExecutorSpeed& speed) { executor_ = speed; }
  // Replaces an earlier measurement.
  void SetMeasured(std::string_view key, MeasuredCost cost);
  size_t num_measured() const { return measured_.size(); }

  bool operator==(const CostTable&) const = default;

 private:
  std::map<std::pair<std::string, OpFamily>, NodeSpeed> nodes_;
  std::map<std::string, NodeSpeed, std::less<>> assumed_;  // by type of device; the file does not have them
  std::map<PairClass, PairSpeed> pairs_;
  std::optional<ExecutorSpeed> executor_;
  std::map<std::string, MeasuredCost, std::less<>> measured_;  // by NodeKey()
};

// An empty table that describes this host.
CostTable TableOfThisHost(int threads);

}  // namespace dfrun

#endif  // DFRUN_SRC_COSTS_COST_TABLE_H_
