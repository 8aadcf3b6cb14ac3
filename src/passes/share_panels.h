// A matrix that many products of few rows multiply by, put in the order in which they read it once for all: the weights
// of an unrolled recurrent net.
#ifndef DFRUN_SRC_PASSES_SHARE_PANELS_H_
#define DFRUN_SRC_PASSES_SHARE_PANELS_H_

#include <cstddef>
#include <cstdint>

#include "src/base/status.h"
#include "src/graph/graph.h"

namespace dfrun {

// Whether products of such a shape are quicker by panels, once these are there.
bool GainsByPanels(int64_t rows, int64_t depth, int64_t columns);
// So many pay for putting a matrix in order: 2 MiB take as long as four products of 32 rows gain.
inline constexpr size_t kLeastByPanels = 8;

// (_Fused)MatMuls of one device by one matrix become _MatMulByPanels of one _MatMulPanels, with the same bits, where
// they are enough to pay for it and their shapes are known. By a variable that is read where it is used, only where
// all that may change it runs after them. A graph whose registry has no such ops stays.
Status SharePanels(Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_SHARE_PANELS_H_
