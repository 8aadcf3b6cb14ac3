// The edges of a graph of work that no others imply.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_GRAPH_EDGES_H_
#define DFRUN_KERNELS_DEVICE_CUDA_GRAPH_EDGES_H_

#include <cstdint>
#include <vector>

namespace dfrun::cuda {

// By piece of work, what it waits for: pieces of lower numbers.
using WorkEdges = std::vector<std::vector<int>>;

// The number of edges.
int64_t CountEdges(const WorkEdges& edges);

// Removes what is there twice, and what a way over others implies; of very large graphs only the former.
void ReduceEdges(WorkEdges& edges);

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_GRAPH_EDGES_H_
