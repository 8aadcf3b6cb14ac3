// The description of a cluster that a job is planned for, a YAML file of `dfrun plan --cluster`:
//
//   nodes: 64
//   cores: 64                                   # of a node
//   memory: 512GiB                              # of a node
//   gpus: {count: 4, kind: H100, memory: 80GiB} # of a node, and the memory of one
//   ranks_per_node: 4
//   links:                                      # latency in seconds, bandwidth in bytes a second
//     core:    {latency: 1e-5, bandwidth: 25GiB}   # between devices of a process
//     node:    {latency: 1e-6, bandwidth: 10GiB}   # between processes of a host
//     network: {latency: 2e-6, bandwidth: 46GiB}   # between hosts
#ifndef DFRUN_JOBS_PLAN_CLUSTER_FILE_H_
#define DFRUN_JOBS_PLAN_CLUSTER_FILE_H_

#include <cstdint>
#include <map>
#include <string>

#include "src/base/status.h"
#include "src/costs/cost_table.h"
#include "src/framework/device/device_report.h"
#include "src/placement/cluster.h"

namespace dfrun::jobs {

// Devices of one type that each node has, beside the host's.
struct NodeDevices {
  int64_t count = 0;
  std::string kind = {};     // a name of GpuKinds(); empty: not known
  int64_t memory_bytes = 0;  // memory of each; 0: not known
};

// Thread safety: const methods from any thread.
struct ClusterDescription {
  int64_t nodes = 1;
  int64_t cores = 1;         // cores of a node
  int64_t memory_bytes = 0;  // memory of a node
  int64_t ranks_per_node = 1;
  std::map<std::string, NodeDevices> devices = {};  // by type
  std::map<PairClass, PairSpeed> links = {};        // links that the file has
  std::string size_location = {};                   // "cluster.yaml:1:8", of `nodes`

  int64_t MaxRanks() const { return nodes * ranks_per_node; }
  int64_t CoresOfRank() const { return cores / ranks_per_node; }
  // BadSpec where the cluster has fewer ranks.
  Status CheckRanks(int ranks) const;
  // The devices of a rank, by type.
  DeviceCounts DevicesOfRank() const;
  // Sets the memory of devices: a rank has its part of the host's, and the whole of each GPU.
  void SetMemory(Cluster& cluster) const;
  // Sets the speeds of the links, and those of GPUs of a known kind for which nothing was measured.
  void SetSpeeds(CostTable& costs) const;
};

// Reads the file. NoInput where there is none; BadSpec with a line "file:line:column: message" for each error.
// Blocks: on the read.
Result<ClusterDescription> ReadClusterFile(const std::string& path);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PLAN_CLUSTER_FILE_H_
