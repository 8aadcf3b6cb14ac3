#include "src/job/init_plan.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "src/base/counted.h"
#include "src/base/json/json.h"
#include "src/base/name_pattern.h"
#include "src/base/printable.h"
#include "src/base/text.h"
#include "src/checkpoint/weights/widen.h"
#include "src/graph/graph_def/file_kind.h"
#include "src/graph/location_prefix.h"
#include "src/job/find_checkpoint.h"
#include "src/spec/schema/name_patterns.h"
#include "src/training/read_variables.h"

namespace dfrun {
namespace {

using Fate = InitPlan::Fate;
using Row = InitPlan::Row;

constexpr size_t kMaxNamedRows = 10;

const char* WordOf(Fate fate) {
  switch (fate) {
    case Fate::kTaken:
      return "taken";
    case Fate::kShapeDiffers:
      return "shape differs";
    case Fate::kDtypeDiffers:
      return "dtype differs";
    case Fate::kAbsent:
      return "absent";
    case Fate::kExcluded:
      return "excluded";
    case Fate::kNew:
      return "new";
  }
  return "";
}

bool LacksValue(Fate fate) {
  return fate == Fate::kShapeDiffers || fate == Fate::kDtypeDiffers || fate == Fate::kAbsent;
}

// The entry of the file for a variable: "float32[3,4] as net/W"; "" where it has none.
std::string DescribeThere(const Row& row) {
  if (row.there.empty()) return "";
  const std::string type = row.there_dtype == DType::kInvalid ? row.there_type : StrCat(row.there_dtype);
  const std::string as = row.there == row.name ? "" : StrCat(" as ", row.there);
  return StrCat(type, row.there_shape, as);
}

std::vector<std::string> NamesThere(const WeightSource& source) {
  std::vector<std::string> names;
  for (const WeightSource::Entry& entry : source.entries()) names.push_back(entry.name);
  return names;
}

// Opens what a name stands for: a run's checkpoint, or a file.
Result<std::unique_ptr<WeightSource>> OpenNamed(const std::string& name) {
  const Result<FileIdentity> identity = IdentifyFile(RunOfCheckpointName(name));
  const bool is_ours =
      identity.ok() && (identity->kind == FileKind::kRunDirectory || identity->kind == FileKind::kCheckpoint);
  if (!is_ours) return OpenWeights(name);
  DF_ASSIGN(const std::string directory, FindCheckpoint("init_from", name));
  return OpenWeights(directory);
}

// The entries of a source by the names of variables that they are for.
class EntryNames {
 public:
  explicit EntryNames(const WeightSource& source) : source_(source) {
    std::map<std::string, std::set<size_t>> by_alias;
    for (size_t i = 0; i < source.entries().size(); ++i) {
      own_.emplace(source.entries()[i].name, i);
      for (const std::string& alias : source.entries()[i].aliases) by_alias[alias].insert(i);
    }
    // An alias of several is the name of none.
    for (const auto& [alias, entries] : by_alias) {
      if (entries.size() == 1) own_.emplace(alias, *entries.begin());
    }
  }

  // Gives each entry that the pattern matches the name that it has here. Returns a sentence about what does not fit.
  std::string Rename(const InitFromSpec::Rename& rename) {
    const NamePattern there(rename.there);
    const NamePattern here(rename.here);
    bool is_used = false;
    for (const auto& [name, entry] : own_) {
      const std::optional<std::vector<std::string>> runs = there.Captures(name);
      if (!runs) continue;
      is_used = true;
      const auto [other, is_new] = renamed_.emplace(here.Fill(*runs), entry);
      if (!is_new && other->second != entry)
        return StrCat("both '", NameOf(other->second), "' and '", NameOf(entry), "' would be '", other->first, "'");
    }
    return is_used ? "" : DescribeUnmatched(there, NamesThere(source_), StrCat("name in ", source_.what()));
  }

  std::optional<size_t> Find(const std::string& variable) const {
    for (const auto* names : {&renamed_, &own_}) {
      const auto found = names->find(variable);
      if (found != names->end()) return found->second;
    }
    return {};
  }

 private:
  const std::string& NameOf(size_t entry) const { return source_.entries()[entry].name; }

  const WeightSource& source_;
  std::map<std::string, size_t> own_;
  std::map<std::string, size_t> renamed_;
};

void SetFate(const EntryNames& names, const WeightSource& source, Row& row) {
  const std::optional<size_t> found = names.Find(row.name);
  if (!found) return;
  const WeightSource::Entry& entry = source.entries()[*found];
  row.entry = *found;
  row.there = entry.name;
  row.there_dtype = entry.dtype;
  row.there_type = entry.type;
  row.there_shape = entry.shape;
  const bool is_held = entry.dtype != DType::kInvalid && HoldsValuesOf(row.dtype, entry.dtype);
  row.fate = !is_held                                  ? Fate::kDtypeDiffers
             : row.shape.IsCompatibleWith(entry.shape) ? Fate::kTaken
                                                       : Fate::kShapeDiffers;
}

}  // namespace

Result<InitPlan> InitPlan::Make(const JobSpec& job, const Graph& graph, const LoadedSpec* other) {
  const InitFromSpec& from = *job.init_from;
  const std::string where = LocationPrefix(graph, from.location);
  Result<std::unique_ptr<WeightSource>> source = OpenNamed(from.name);
  if (!source.ok())
    return Error(source.status().code(), where, "'init_from': ", source.status().message(),
                 source.status().code() == Code::kNoInput ? "; paths of a spec begin at its folder" : "");
  InitPlan plan(where, *std::move(source));
  EntryNames names(*plan.source_);
  for (const InitFromSpec::Rename& rename : from.renames) {
    const std::string trouble = names.Rename(rename);
    if (!trouble.empty()) return Error(Code::kBadSpec, LocationPrefix(graph, rename.location), "'rename': ", trouble);
  }
  const std::vector<bool> is_read = FindReadVariables(job, graph, other);
  for (size_t i = 0; i < job.variables.size(); ++i) {
    const Output value = {job.variables[i].node, 0};
    const bool is_position = std::any_of(job.inputs.begin(), job.inputs.end(),
                                         [&](const InputSpec& input) { return input.position == value.node; });
    if (!is_read[i] || is_position) continue;
    Row row{
        .variable = i, .name = graph.node(value.node).name, .dtype = graph.dtype(value), .shape = graph.shape(value)};
    using Choice = InitFromSpec::Choice;
    if (from.choices[i] == Choice::kTaken) {
      SetFate(names, *plan.source_, row);
    } else {
      row.fate = from.choices[i] == Choice::kNew ? Fate::kNew : Fate::kExcluded;
    }
    plan.rows_.push_back(std::move(row));
  }
  return plan;
}

std::string InitPlan::NearestThere(const Row& row) const {
  const std::vector<std::string> nearest = NearestNames(NamePattern(row.name), NamesThere(*source_), 1);
  return nearest.empty() ? "" : StrCat(", the nearest is '", nearest[0], "'");
}

Status InitPlan::CheckWhole() const {
  std::vector<std::string> missing;
  size_t count = 0;
  for (const Row& row : rows_) {
    if (!LacksValue(row.fate)) continue;
    if (++count > kMaxNamedRows) continue;
    const std::string why =
        row.fate == Fate::kAbsent ? StrCat("absent", NearestThere(row)) : StrCat("there ", DescribeThere(row));
    missing.push_back(StrCat("'", row.name, "' ", row.dtype, row.shape, " (", why, ")"));
  }
  if (missing.empty()) return Status();
  const std::string more = count > kMaxNamedRows ? StrCat(" and ", count - kMaxNamedRows, " more") : "";
  return Error(Code::kBadSpec, where_, "'init_from': ", source(), " has no values for ", Join(missing), more,
               "; 'rename: {there: here}' finds them under other names, 'new' or 'except' names those that begin ",
               "with their 'init'");
}

std::string InitPlan::Table(size_t most) const {
  std::vector<std::array<std::string, 4>> lines = {{"variable", "shape", "init_from", "there"}};
  const auto taken = std::count_if(rows_.begin(), rows_.end(), [](const Row& row) { return row.fate == Fate::kTaken; });
  const size_t shown = std::min(rows_.size(), most);
  for (size_t i = 0; i < shown; ++i) {
    const Row& row = rows_[i];
    const bool is_plain = row.fate == Fate::kTaken && row.there == row.name && row.there_dtype == row.dtype;
    lines.push_back({PrintableLine(row.name), StrCat(row.dtype, row.shape), WordOf(row.fate),
                     is_plain ? "" : PrintableLine(DescribeThere(row))});
  }
  std::array<size_t, 3> widths = {};
  for (const auto& line : lines) {
    for (size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text =
      StrCat(Counted(taken, "variable"), " of ", rows_.size(), " taken from ", PrintableLine(source()), "\n");
  for (const auto& line : lines) {
    std::string out = "  ";
    for (size_t i = 0; i < widths.size(); ++i) out += line[i] + std::string(widths[i] - line[i].size() + 2, ' ');
    out += line.back();
    out.resize(out.find_last_not_of(' ') + 1);
    text += out + "\n";
  }
  if (shown < rows_.size()) text += StrCat("  ... and ", rows_.size() - shown, " more\n");
  return text;
}

std::string InitPlan::ToJson() const {
  const auto print = [](const Row& row) {
    const std::string there = row.there.empty() ? "" : StrCat(", \"there\": ", JsonString(DescribeThere(row)));
    return StrCat("{\"variable\": ", JsonString(row.name), ", \"shape\": ", JsonString(StrCat(row.dtype, row.shape)),
                  ", \"is\": ", JsonString(WordOf(row.fate)), there, "}");
  };
  return StrCat("{\"source\": ", JsonString(source()), ", \"variables\": [", rows_.empty() ? "" : "\n  ",
                Join(rows_, ",\n  ", print), rows_.empty() ? "" : "\n ", "]}");
}

Result<Tensor> InitPlan::Read(size_t variable) {
  const auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row& r) { return r.variable == variable; });
  if (row == rows_.end() || row->fate != Fate::kTaken)
    return Internal("a variable has no value to take from ", source());
  Result<Tensor> value = source_->Read(row->entry);
  if (!value.ok()) return value.status().Annotate(StrCat(where_, "'init_from': reading '", row->there, "'"));
  if (value->dtype() != row->there_dtype || !(value->shape() == row->there_shape))
    return Error(Code::kDataLoss, source(), " has changed while it was read");
  return Widen(*value, row->dtype);
}

}  // namespace dfrun
