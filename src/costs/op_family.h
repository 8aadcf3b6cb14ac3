// The families of nodes whose times follow one law (cost_table.h): nodes whose kernels do the same kind of work.
#ifndef DFRUN_SRC_COSTS_OP_FAMILY_H_
#define DFRUN_SRC_COSTS_OP_FAMILY_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "src/graph/graph.h"

namespace dfrun {

enum class OpFamily : uint8_t {
  kPassing,      // hands values on, or is there for its control edges: neither computes nor moves anything
  kProduct,      // products of matrices
  kConvolution,  // convolutions and their gradients
  kPooling,      // pooling and its gradients
  kElementwise,  // computes as many elements as the largest input has, or more
  kReduction,    // computes fewer elements than the largest input has: sums, searches, losses
  kGather,       // rows at indices, read or written
  kMovement,     // moves or fills memory and computes nothing
  kRandom,       // random numbers
  kOther,        // much arithmetic of other kinds; nodes that wait, read files or are control flow; unknown costs
};
inline constexpr std::array kOpFamilies = {
    OpFamily::kPassing,   OpFamily::kProduct, OpFamily::kConvolution, OpFamily::kPooling, OpFamily::kElementwise,
    OpFamily::kReduction, OpFamily::kGather,  OpFamily::kMovement,    OpFamily::kRandom,  OpFamily::kOther};

// "product".
std::string_view FamilyName(OpFamily family);
// Nothing for another text.
std::optional<OpFamily> FamilyOfName(std::string_view name);

// The family of a node, from its op's traits, the names of its attrs and inputs, its cost and its shapes.
// Thread safety: any thread.
OpFamily FamilyOf(const Graph& graph, const Node& node);

}  // namespace dfrun

#endif  // DFRUN_SRC_COSTS_OP_FAMILY_H_
