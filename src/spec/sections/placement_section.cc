// Reads `placement:`, how nodes get the devices that the spec leaves open.
#include <filesystem>

#include "src/spec/schema/check_keys.h"
#include "src/spec/section.h"

namespace dfrun {
namespace {

const std::vector<std::string>& PlacementKinds() {
  static const std::vector<std::string>& kinds = *new std::vector<std::string>{"rules", "simulated"};
  return kinds;
}

const std::vector<std::string>& PlacementCosts() {
  static const std::vector<std::string>& costs = *new std::vector<std::string>{"static", "measured"};
  return costs;
}

class PlacementReader {
 public:
  PlacementReader(const Yaml& map, const SectionContext& context, const std::string& spec)
      : map_(map), reader_(context.reader), folder_(std::filesystem::path(spec).parent_path()) {}

  void Read(PlacementSpec& out) {
    if (!CheckSection("placement", map_, reader_.diagnostics())) return;
    out.location = map_.location();
    out.kind = static_cast<PlacementSpec::Kind>(Choice("kind", PlacementKinds()));
    ReadPath("file", out.file);
    ReadPath("cost_file", out.cost_file);
    ReadPath("profile", out.profile);
    const std::optional<Yaml> costs = FindKey(map_, "costs");
    if (costs) CheckCosts(*costs, out);
    if (const std::optional<Yaml> moves = FindKey(map_, "moves"))
      out.moves = reader_.Int(*moves, "'moves'", 0).value_or(out.moves);
  }

 private:
  int Choice(const char* key, const std::vector<std::string>& choices) {
    const std::optional<Yaml> value = FindKey(map_, key);
    return value ? reader_.Choice(*value, StrCat("'", key, "'"), choices).value_or(0) : 0;
  }

  void ReadPath(const char* key, std::string& out) {
    const std::optional<Yaml> value = FindKey(map_, key);
    if (!value) return;
    const std::optional<std::string> text = reader_.Text(*value, StrCat("'", key, "'"));
    if (!text) return;
    if (!text->empty()) {
      out = (folder_ / *text).string();
    } else {
      reader_.diagnostics().Error(value->location(), "'", key, "' must name a file or a run");
    }
  }

  // Static costs leave the profile out; measured ones need it.
  void CheckCosts(const Yaml& value, PlacementSpec& out) {
    const bool are_measured = Choice("costs", PlacementCosts()) == 1;
    if (!are_measured) {
      out.profile.clear();
    } else if (out.profile.empty()) {
      reader_.diagnostics().Error(value.location(), "'costs: measured' needs 'profile', a run with a trace");
    }
  }

  const Yaml& map_;
  ValueReader& reader_;
  const std::filesystem::path folder_;
};

void ReadPlacement(const Yaml& section, SourceLocation, const SectionContext& context, JobSpec& job) {
  PlacementReader(section, context, job.path).Read(job.placement);
}

SPEC_SECTION(SectionDef{
    .key = {.name = "placement",
            .kind = KeyKind::kMapping,
            .keys = {{.name = "kind", .kind = KeyKind::kChoice, .choices = PlacementKinds(), .default_text = "rules"},
                     {.name = "file", .kind = KeyKind::kPath},
                     {.name = "costs", .kind = KeyKind::kChoice, .choices = PlacementCosts()},
                     {.name = "cost_file", .kind = KeyKind::kPath},
                     {.name = "profile", .kind = KeyKind::kPath},
                     {.name = "moves", .kind = KeyKind::kInt, .minimum = 0, .default_text = "2000"}}},
    .order = 37,
    .read = &ReadPlacement});

}  // namespace
}  // namespace dfrun
