// The shape behind a resource handle: that of the VarHandleOp which it comes from, through ops that hand it on.
#include <algorithm>
#include <array>

#include "src/graph/graph.h"

namespace dfrun {
namespace {

// Ops whose every data output is their input 0, or for IdentityN the input of the same number.
constexpr std::array<std::string_view, 7> kHandOn = {"Identity", "IdentityN", "Enter",        "Exit",
                                                     "Switch",   "Merge",     "NextIteration"};

}  // namespace

PartialShape Graph::HandleShape(Output handle) const {
  for (int hops = 0; handle.valid() && hops < num_nodes(); ++hops) {
    const Node& from = nodes_[handle.node];
    if (from.op->name == "VarHandleOp") {
      const Result<PartialShape> shape = from.attrs.Get<PartialShape>("shape");
      return shape.ok() ? *shape : PartialShape();
    }
    if (std::find(kHandOn.begin(), kHandOn.end(), from.op->name) == kHandOn.end() || from.inputs.empty()) break;
    handle = from.inputs[from.op->name == "IdentityN" ? handle.port : 0];
  }
  return PartialShape();
}

}  // namespace dfrun
