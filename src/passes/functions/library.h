// The functions of an imported graph.
#ifndef DFRUN_SRC_PASSES_FUNCTIONS_LIBRARY_H_
#define DFRUN_SRC_PASSES_FUNCTIONS_LIBRARY_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "src/graph/graph.h"
#include "src/graph/proto/graph.pb.h"
#include "src/passes/functions/body.h"

namespace dfrun {

// The functions that are values of these attrs.
std::vector<std::string> FunctionsNamed(const AttrMap& attrs);

// Bodies are read when they are first asked for.
// Thread safety: one thread.
class FunctionLibrary {
 public:
  // The functions that the graph was imported with; `graph` is not kept, its registry is.
  explicit FunctionLibrary(const Graph& graph);
  FunctionLibrary(const FunctionLibrary&) = delete;
  FunctionLibrary& operator=(const FunctionLibrary&) = delete;

  bool Has(std::string_view name) const { return defs_.count(name) != 0; }
  // The body lives as long as the library. NotFound suggests a near name; InvalidArgument names function and node.
  Result<const FunctionBody*> Find(std::string_view name);
  // Whether the function, or one that it calls, reads or changes an object that outlives a step. False for one that is
  // not there.
  bool HasState(std::string_view name);
  // The function that the library names as the gradient of another; empty: none.
  std::string_view GradientOf(std::string_view name) const;

 private:
  void FindStates();

  const OpRegistry& ops_;
  proto::GraphDef def_;
  std::unordered_map<std::string_view, const proto::FunctionDef*> defs_;
  std::map<std::string, std::unique_ptr<FunctionBody>, std::less<>> bodies_;
  std::optional<std::unordered_set<std::string_view>> with_state_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_FUNCTIONS_LIBRARY_H_
