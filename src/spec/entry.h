// Entries of a graph or a function, parsed and put into the order in which they can be built.
#ifndef DFRUN_SRC_SPEC_ENTRY_H_
#define DFRUN_SRC_SPEC_ENTRY_H_

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/spec/call_target.h"
#include "src/spec/cluster_spec.h"
#include "src/spec/expr.h"
#include "src/spec/params.h"

namespace dfrun {

struct PlacedView {
  std::string_view text;  // empty: not given
  SourcePlace place;
};

// "name: expression", or a mapping, whose op, inputs and attrs make a call.
struct Entry {
  std::string_view name;
  SourcePlace place;    // of the name
  bool failed = false;  // an error was reported: nothing of it is built
  Expr expr;
  std::vector<Expr> controls;  // names
  PlacedView device;
  PlacedView colocate_with;
};

// The members of families, in order, by the family's name.
using FamilyMap = std::unordered_map<std::string_view, std::vector<std::string_view>>;

// What parsing needs to know.
struct EntryContext {
  const FunctionMap& functions;
  const OpRegistry& ops;
  const Params& params;
  const ClusterSpec& cluster;
  FamilyMap& families;  // of the graph or function that the entries are in; parsing adds those that it finds
  TextPool& pool;
  Diagnostics& diagnostics;
};

// A family ("each: 3") gives an entry a member: name/0, name/1, name/2; "name/*" has become the list of them. Entries
// with errors are there too, as failed.
std::vector<Entry> ParseEntries(const std::vector<GraphEntry>& entries, const EntryContext& context);
// One of them, which is no family.
void ParseEntry(const GraphEntry& from, Entry& entry, const EntryContext& context);
// A scalar as an expression.
std::optional<Expr> ParseScalar(const Yaml& scalar, const EntryContext& context);

// Indices of `entries` such that each follows those that it reads or waits for; else in the order written. Entries that
// depend on each other in a circle are reported and marked as failed.
std::vector<size_t> OrderEntries(std::vector<Entry>& entries, const EntryContext& context);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_ENTRY_H_
