// Families: entries of a graph that stand for several similar nodes, "each: N".
//   read: {each: tasks(worker), op: ReadFile, filename: "part-${i}", device: "/job:worker/task:${i}"}
// makes read/0, read/1, ...; "read/*" and "read/*:1" stand for the list of their outputs.
#ifndef DFRUN_SRC_SPEC_FAMILY_H_
#define DFRUN_SRC_SPEC_FAMILY_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/spec/entry.h"
#include "src/spec/expr/constant.h"

namespace dfrun {

inline constexpr int64_t kMaxFamily = 1'000'000;

// Folds tasks(job), the number of the job's tasks.
Folded FoldTasks(const Expr& call, const ClusterSpec& cluster, Diagnostics& diagnostics);

// Expands the families among the entries of a graph or a function, and the names of families in other entries. Errors
// go to the diagnostics.
class Families {
 public:
  explicit Families(const EntryContext& context) : context_(context) {}

  // The value of "each" of a mapping.
  static std::optional<Yaml> FindEach(const GraphEntry& entry);

  // Appends the members of a family to `out`.
  void Add(const GraphEntry& family, const Yaml& each, std::vector<Entry>& out);
  // Replaces the names of families by lists.
  void Resolve(std::vector<Entry>& entries);

 private:
  std::optional<int64_t> Count(const Yaml& each);
  void AddMember(const GraphEntry& family, int64_t number, std::vector<Entry>& out);
  bool ResolveExpr(Expr& expr);
  bool ResolveItems(std::vector<Expr>& items);
  bool Expand(const Expr& name, std::vector<Expr>& out);

  const EntryContext& context_;
};

// Parses entries. A family ("each: 3") becomes one entry for each member, name/0, name/1, name/2, and "name/*" the list
// of them. Entries with errors are in the result too, marked as failed.
std::vector<Entry> ParseEntries(const std::vector<GraphEntry>& entries, const EntryContext& context);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_FAMILY_H_
