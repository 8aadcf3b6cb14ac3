// The file of a CostTable.
#include <charconv>
#include <functional>

#include "src/base/file.h"
#include "src/base/hexadecimal.h"
#include "src/base/json/json.h"
#include "src/base/json/json_reader.h"
#include "src/costs/cost_table.h"
#include "src/costs/node_key.h"

namespace dfrun {
namespace {

// A time or a speed, of which more digits would say nothing.
std::string NumberText(double value) {
  constexpr int kDigits = 6;
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value, std::chars_format::general, kDigits);
  return error == std::errc() ? std::string(text, end) : "0";
}

std::string Member(std::string_view name, std::string_view text) {
  return StrCat(JsonString(name), ": ", JsonString(text));
}
std::string Member(std::string_view name, double value) {
  return StrCat(JsonString(name), ": ", NumberText(value));
}

constexpr double kMinNumber = 1e-30;
constexpr double kMaxNumber = 1e30;

// A list of objects, one a line.
class Lines {
 public:
  explicit Lines(std::string_view name) : text_(StrCat(" ", JsonString(name), ": [")) {}
  void Add(const std::string& members) {
    text_ += StrCat(is_first_ ? "\n  {" : ",\n  {", members, "}");
    is_first_ = false;
  }
  std::string End() const { return StrCat(text_, "]"); }

 private:
  std::string text_;
  bool is_first_ = true;
};

// A member of an object of the file, with its place for errors: "families[3]".
class Fields {
 public:
  Fields(const JsonValue& value, std::string place) : value_(value), place_(std::move(place)) {}

  Result<std::string> Text(std::string_view name) const {
    Result<std::string> text = value_.GetText(name);
    if (!text.ok()) return text.status().Annotate(place_);
    return text;
  }
  // A positive number, and neither so large nor so small that times of graphs were no numbers.
  Result<double> Positive(std::string_view name) const {
    const Result<double> number = value_.GetDouble(name);
    if (!number.ok()) return number.status().Annotate(place_);
    if (*number >= kMinNumber && *number <= kMaxNumber) return *number;
    return Error(Code::kDataLoss, place_, ".", name, ": ", *number, " is not from ", kMinNumber, " to ", kMaxNumber);
  }
  Result<int64_t> Count(std::string_view name) const {
    const Result<int64_t> number = value_.GetInt(name);
    if (!number.ok()) return number.status().Annotate(place_);
    if (*number >= 0) return *number;
    return Error(Code::kDataLoss, place_, ".", name, ": ", *number, " is negative");
  }
  Status Unknown(std::string_view name, std::string_view text) const {
    return Error(Code::kDataLoss, place_, ".", name, ": '", text, "' is not known");
  }

 private:
  const JsonValue& value_;
  const std::string place_;
};

Status ReadNode(const Fields& fields, CostTable& table) {
  DF_ASSIGN(const std::string device, fields.Text("device"));
  DF_ASSIGN(const std::string name, fields.Text("family"));
  const std::optional<OpFamily> family = FamilyOfName(name);
  if (!family) return fields.Unknown("family", name);
  NodeSpeed speed;
  DF_ASSIGN(speed.overhead_s, fields.Positive("overhead_s"));
  DF_ASSIGN(speed.flops_per_s, fields.Positive("flops_per_s"));
  DF_ASSIGN(speed.bytes_per_s, fields.Positive("bytes_per_s"));
  table.SetNode(device, *family, speed);
  return Status();
}

Status ReadPair(const Fields& fields, CostTable& table) {
  DF_ASSIGN(const std::string name, fields.Text("pair"));
  const std::optional<PairClass> pair = PairClassOfName(name);
  if (!pair) return fields.Unknown("pair", name);
  PairSpeed speed;
  DF_ASSIGN(speed.latency_s, fields.Positive("latency_s"));
  DF_ASSIGN(speed.bytes_per_s, fields.Positive("bytes_per_s"));
  table.SetPair(*pair, speed);
  return Status();
}

Status ReadMeasured(const Fields& fields, CostTable& table) {
  DF_ASSIGN(const std::string key, fields.Text("key"));
  if (!ParseHexadecimal(key, kNodeKeyDigits)) return fields.Unknown("key", key);
  MeasuredCost cost;
  DF_ASSIGN(cost.op, fields.Text("op"));
  DF_ASSIGN(cost.seconds, fields.Positive("seconds"));
  DF_ASSIGN(cost.samples, fields.Count("samples"));
  table.SetMeasured(key, std::move(cost));
  return Status();
}

// Reads each object of a list, which may be missing.
Status ReadList(const JsonValue& root, const std::string& name, CostTable& table,
                Status (*read)(const Fields&, CostTable&)) {
  const JsonValue* const list = root.Find(name);
  if (list == nullptr) return Status();
  if (list->kind() != JsonValue::Kind::kArray) return Error(Code::kDataLoss, name, " is no list");
  for (size_t i = 0; i < list->values().size(); ++i) {
    DF_TRY(read(Fields(list->values()[i], StrCat(name, "[", i, "]")), table));
  }
  return Status();
}

Result<CostTable> ReadTable(std::string_view json) {
  DF_ASSIGN(const JsonValue root, ParseJson(json));
  if (!root.is_object()) return Error(Code::kDataLoss, "it is no object");
  DF_ASSIGN(const int64_t form, root.GetInt("form"));
  if (form != CostTable::kForm) {
    return Error(Code::kDataLoss, "form: ", form, " is not known here, where it is ", CostTable::kForm);
  }
  CostTable table;
  DF_ASSIGN(table.host, root.GetText("host"));
  DF_ASSIGN(table.processor, root.GetText("processor"));
  DF_ASSIGN(table.threads, Fields(root, "the table").Count("threads"));
  if (const JsonValue* executor = root.Find("executor")) {
    const Fields fields(*executor, "executor");
    ExecutorSpeed speed;
    DF_ASSIGN(speed.node_s, fields.Positive("node_s"));
    DF_ASSIGN(speed.edge_s, fields.Positive("edge_s"));
    table.SetExecutor(speed);
  }
  DF_TRY(ReadList(root, "families", table, &ReadNode));
  DF_TRY(ReadList(root, "pairs", table, &ReadPair));
  DF_TRY(ReadList(root, "measured", table, &ReadMeasured));
  return table;
}

}  // namespace

Result<CostTable> CostTable::Parse(std::string_view json, std::string_view path) {
  Result<CostTable> table = ReadTable(json);
  if (table.ok()) return table;
  return Error(Code::kDataLoss, path, ": no table of costs: ", table.status().message());
}

Result<CostTable> CostTable::Read(const std::string& path) {
  DF_ASSIGN(const std::string json, ReadFile(path, kMaxBytes));
  return Parse(json, path);
}

std::string CostTable::Print() const {
  std::string out = StrCat("{", Member("written_by", "dfrun"), ", \"form\": ", kForm, ",\n ", Member("host", host),
                           ", ", Member("processor", processor), ", \"threads\": ", threads, ",\n");
  if (executor_) {
    out += StrCat(" \"executor\": {", Member("node_s", executor_->node_s), ", ", Member("edge_s", executor_->edge_s),
                  "},\n");
  }
  Lines nodes("families");
  for (const auto& [of, speed] : nodes_) {
    nodes.Add(StrCat(Member("device", of.first), ", ", Member("family", FamilyName(of.second)), ", ",
                     Member("overhead_s", speed.overhead_s), ", ", Member("flops_per_s", speed.flops_per_s), ", ",
                     Member("bytes_per_s", speed.bytes_per_s)));
  }
  Lines pairs("pairs");
  for (const auto& [pair, speed] : pairs_) {
    pairs.Add(StrCat(Member("pair", PairClassName(pair)), ", ", Member("latency_s", speed.latency_s), ", ",
                     Member("bytes_per_s", speed.bytes_per_s)));
  }
  Lines measured("measured");
  for (const auto& [key, cost] : measured_) {
    measured.Add(StrCat(Member("key", key), ", ", Member("op", cost.op), ", ", Member("seconds", cost.seconds),
                        ", \"samples\": ", cost.samples));
  }
  return StrCat(out, nodes.End(), ",\n", pairs.End(), ",\n", measured.End(), "}\n");
}

}  // namespace dfrun
