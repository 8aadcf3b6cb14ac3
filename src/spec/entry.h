// Entries of a graph or a function: parses one, finds the names in it, and orders entries so that they can be built.
#ifndef DFRUN_SRC_SPEC_ENTRY_H_
#define DFRUN_SRC_SPEC_ENTRY_H_

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/spec/call_target.h"
#include "src/spec/cluster_spec.h"
#include "src/spec/expr/expr.h"
#include "src/spec/expr/params.h"

namespace dfrun {

struct LocatedView {
  std::string_view text;  // empty: not given
  SourceLocation location;
};

// "name: expression", or a mapping, whose op, inputs and attrs make a call.
struct Entry {
  std::string_view name;
  SourceLocation location;  // location of the name
  bool failed = false;      // an error was reported, so it is not built
  Expr expr;
  std::vector<Expr> controls;     // names
  std::optional<Expr> condition;  // `if`: whether the entry makes nodes; absent: it does
  LocatedView device;
  LocatedView colocate_with;
  bool compress = false;  // whether its outputs travel compressed between ranks
};

// The members of families, in order, by the family's name.
using FamilyMap = std::unordered_map<std::string_view, std::vector<std::string_view>>;

// The context of parsing.
struct EntryContext {
  const FunctionMap& functions;
  const OpRegistry& ops;
  const Params& params;
  const ClusterSpec& cluster;
  FamilyMap& families;  // families of the entries' graph or function; parsing adds those that it finds
  TextPool& pool;
  Diagnostics& diagnostics;
};

// Parses an entry that is no family.
void ParseEntry(const GraphEntry& from, Entry& entry, const EntryContext& context);
// Parses a scalar as an expression.
std::optional<Expr> ParseScalar(const Yaml& scalar, const EntryContext& context);

// A name that an expression reads or, a control input, waits for.
struct EntryName {
  std::string_view text;
  bool waits = false;
};
// Returns the names in the order written, less the variables of the expression's own loops.
std::vector<EntryName> NamesIn(const Expr& expr, const EntryContext& context);
std::vector<EntryName> NamesIn(const Entry& entry, const EntryContext& context);
// The names in the attrs of a call.
std::vector<EntryName> NamesInAttrs(const Expr& call, const EntryContext& context);

// Returns the indices of `entries` in an order in which each comes after those that it reads or waits for, or nodes
// within them, else in the order written. Nothing where there is none.
std::optional<std::vector<size_t>> OrderEntries(const std::vector<Entry>& entries, const EntryContext& context);
// Reports entries that read or wait for each other as a whole.
void CheckCycles(const std::vector<Entry>& entries, const EntryContext& context);
// "nodes depend on each other: a -> b -> a"; of many names the first.
std::string CycleOf(const std::vector<std::string>& names);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_ENTRY_H_
