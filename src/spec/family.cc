#include "src/spec/family.h"

#include <unordered_set>

#include "src/spec/schema/schema.h"

namespace dfrun {
namespace {

bool NamesFamily(const Expr& expr) {
  return (expr.is(Expr::Kind::kName) || expr.is(Expr::Kind::kControl)) && expr.text.ends_with("/*");
}

}  // namespace

Folded FoldTasks(const Expr& call, const ClusterSpec& cluster, Diagnostics& diagnostics) {
  constexpr Folded::Kind kError = Folded::Kind::kError;
  const bool names_job = call.items.size() == 1 && call.keywords.empty() &&
                         (call.items[0].is(Expr::Kind::kName) || call.items[0].is(Expr::Kind::kString));
  if (!names_job) {
    diagnostics.Error(call.location, "tasks() takes the name of a job of the cluster: tasks(worker)");
    return {kError, {}};
  }
  const std::optional<int> tasks = cluster.TasksOf(call.items[0].text);
  if (!tasks) {
    std::vector<std::string> jobs;
    for (const JobSize& job : cluster.jobs()) jobs.push_back(job.job);
    diagnostics.Error(call.items[0].location, "the cluster has no job '", call.items[0].text, "'",
                      DidYouMean(call.items[0].text, jobs));
    return {kError, {}};
  }
  Folded folded{Folded::Kind::kConstant, {}};
  folded.value.elements.emplace_back(int64_t{*tasks});
  return folded;
}

std::optional<Yaml> Families::FindEach(const GraphEntry& entry) {
  return entry.value.is_map() ? FindKey(entry.value, "each") : std::nullopt;
}

std::optional<int64_t> Families::Count(const Yaml& each) {
  if (!each.is_scalar()) {
    context_.diagnostics.Error(each.location(), "'each' is a number of nodes, not ", each.Describe());
    return {};
  }
  const std::optional<Expr> expr = ParseScalar(each, context_);
  if (!expr) return {};
  const Folded folded = FoldExpr(
      *expr,
      [&](const Expr& call) {
        const bool is_tasks = call.is(Expr::Kind::kCall) && call.text == "tasks";
        return is_tasks ? FoldTasks(call, context_.cluster, context_.diagnostics) : Folded();
      },
      context_.diagnostics);
  if (folded.is_error()) return {};
  const int64_t* count =
      folded.is_constant() && folded.value.dims.empty() ? std::get_if<int64_t>(&folded.value.elements[0]) : nullptr;
  if (count != nullptr && *count >= 1 && *count <= kMaxFamily) return *count;
  context_.diagnostics.Error(each.location(), "'each' is a number of nodes from 1 to ", kMaxFamily,
                             ", which may hold tasks(job), not ", each.Describe());
  return {};
}

void Families::Add(const GraphEntry& family, const Yaml& each, std::vector<Entry>& out) {
  const std::optional<int64_t> count = Count(each);
  std::vector<std::string_view>& members = context_.families[family.name.text()];
  if (!count) {
    Entry& failed = out.emplace_back();
    failed.name = family.name.text();
    failed.location = family.name.location();
    failed.failed = true;
    return;
  }
  for (int64_t i = 0; i < *count && !context_.diagnostics.full(); ++i) {
    AddMember(family, i, out);
    members.push_back(out.back().name);
  }
}

void Families::AddMember(const GraphEntry& family, int64_t number, std::vector<Entry>& out) {
  Params params(&context_.params);
  params.Set("i", std::to_string(number));
  const EntryContext context{context_.functions, context_.ops,        params, context_.cluster, context_.families,
                             context_.pool,      context_.diagnostics};
  Entry& member = out.emplace_back();
  ParseEntry(family, member, context);
  LocatedText& name = context_.pool.Make();
  name.Append(StrCat(family.name.text(), "/", number), family.name.location());
  member.name = name.text();
}

void Families::Resolve(std::vector<Entry>& entries) {
  if (context_.families.empty()) return;
  std::unordered_set<std::string_view> names;
  for (Entry& entry : entries) {
    if (!names.insert(entry.name).second) {
      context_.diagnostics.Error(entry.location, "node '", entry.name,
                                 "' is made by a family and by an entry of its own");
      entry.failed = true;
    }
    if (entry.failed) continue;
    if (NamesFamily(entry.expr)) {
      context_.diagnostics.Error(entry.expr.location, "'", entry.expr.text,
                                 "' is a list, and no value; join its nodes with Pack or ConcatV2");
      entry.failed = true;
    } else {
      entry.failed = !ResolveExpr(entry.expr) || !ResolveItems(entry.controls);
    }
  }
}

bool Families::ResolveExpr(Expr& expr) {
  if (expr.is(Expr::Kind::kList)) return ResolveItems(expr.items);
  if (!expr.is(Expr::Kind::kCall)) return true;
  bool good = true;
  for (KeywordArg& keyword : expr.keywords) {
    if (NamesFamily(keyword.value)) {
      std::vector<Expr> items;
      good = Expand(keyword.value, items) && good;
      keyword.value.kind = Expr::Kind::kList;
      keyword.value.items = std::move(items);
    } else {
      good = ResolveExpr(keyword.value) && good;
    }
  }
  for (Expr& item : expr.items) {
    if (!item.is(Expr::Kind::kName) || !NamesFamily(item)) continue;
    std::vector<Expr> items;
    good = Expand(item, items) && good;
    item.kind = Expr::Kind::kList;
    item.items = std::move(items);
  }
  return ResolveItems(expr.items) && good;
}

bool Families::ResolveItems(std::vector<Expr>& items) {
  bool good = true;
  std::vector<Expr> out;
  out.reserve(items.size());
  for (Expr& item : items) {
    if (NamesFamily(item)) {
      good = Expand(item, out) && good;
    } else {
      good = ResolveExpr(item) && good;
      out.push_back(std::move(item));
    }
  }
  items = std::move(out);
  return good;
}

bool Families::Expand(const Expr& name, std::vector<Expr>& out) {
  const std::string_view family = name.text.substr(0, name.text.size() - 2);
  const auto found = context_.families.find(family);
  if (found == context_.families.end()) {
    std::vector<std::string> known;
    for (const auto& [text, members] : context_.families) known.emplace_back(text);
    context_.diagnostics.Error(name.location, "'", family, "' is no family, an entry with 'each'",
                               DidYouMean(family, known));
    return false;
  }
  for (std::string_view member : found->second) {
    out.push_back(name);
    out.back().text = member;
  }
  return true;
}

std::vector<Entry> ParseEntries(const std::vector<GraphEntry>& entries, const EntryContext& context) {
  std::vector<Entry> out;
  out.reserve(entries.size());
  Families families(context);
  for (const GraphEntry& e : entries) {
    if (const std::optional<Yaml> each = Families::FindEach(e)) {
      families.Add(e, *each, out);
    } else {
      ParseEntry(e, out.emplace_back(), context);
    }
  }
  families.Resolve(out);
  return out;
}

}  // namespace dfrun
