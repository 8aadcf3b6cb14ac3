// ReduceEdges(): the transitive reduction of a graph of work.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_GRAPH_EDGES_H_
#define DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_GRAPH_EDGES_H_

#include <cstdint>
#include <vector>

namespace dfrun::cuda {

// For each piece of work, the pieces that it waits for, which have lower numbers.
using WorkEdges = std::vector<std::vector<int>>;

// The number of edges.
int64_t CountEdges(const WorkEdges& edges);

// Removes duplicate edges, and edges that a path over others implies; in very large graphs only duplicates.
void ReduceEdges(WorkEdges& edges);

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_GRAPH_EDGES_H_
