// Lowers the entries of the graph and of functions, in order.
#include "src/spec/family.h"
#include "src/spec/lowering.h"
#include "src/spec/schema/schema.h"

namespace dfrun {

void Lowering::LowerEntries(CallFrame& frame, const std::vector<GraphEntry>& list) {
  std::vector<Entry> entries = ParseEntries(list, Parsing(frame));
  frame.entries.reserve(frame.entries.size() + entries.size());
  frame.values.reserve(frame.values.size() + entries.size());
  for (const Entry& e : entries) frame.entries.insert(e.name);
  const std::optional<std::vector<size_t>> order = OrderEntries(entries, Parsing(frame));
  if (!order) return LowerCrosswise(frame, entries);
  for (const size_t i : *order) {
    if (diagnostics_.full()) return;
    LowerEntry(frame, entries[i]);
  }
}

void Lowering::LowerEntry(CallFrame& frame, Entry& entry) {
  std::optional<Value> value;
  const std::optional<bool> is_present = entry.failed ? std::nullopt : IsPresent(frame, entry);
  if (is_present == false) value = Value{.absent = true, .absent_by = entry.condition->location};
  if (is_present == true) {
    if (const std::optional<NodeOptions> options = EntryOptions(frame, entry)) {
      const std::string name = frame.scope.empty() ? std::string(entry.name) : StrCat(frame.scope, "/", entry.name);
      value = LowerExpr({frame, name, *options}, entry.expr, name);
    }
  }
  if (!value) value = Value{.failed = true};
  frame.values.insert_or_assign(entry.name, *std::move(value));
}

std::optional<NodeOptions> Lowering::EntryOptions(CallFrame& frame, const Entry& entry) {
  NodeOptions options;
  bool good = true;
  if (!entry.device.text.empty()) {
    if (Status status = in_.cluster.CheckDevice(entry.device.text); !status.ok()) {
      diagnostics_.Error(entry.device.location, status);
      good = false;
    }
    options.device = entry.device.text;
  }
  options.compress = entry.compress;
  if (!entry.colocate_with.text.empty()) {
    Expr name;
    name.kind = Expr::Kind::kName;
    name.text = entry.colocate_with.text;
    name.location = entry.colocate_with.location;
    Value storage;
    const Value* value = FindValue(frame, name.text, storage);
    // An entry that is built later counts as well, and an absent one binds nothing.
    if (value != nullptr && value->absent) {
      options.colocate_with.clear();
    } else if (value != nullptr && !value->failed && !value->outputs.empty()) {
      options.colocate_with = graph_.node(value->outputs[0].node).name;
    } else if (frame.entries.contains(name.text)) {
      options.colocate_with = frame.scope.empty() ? std::string(name.text) : StrCat(frame.scope, "/", name.text);
    } else if (value == nullptr) {
      ReportUnknownName(frame, name);
      good = false;
    }
  }
  for (const Expr& control : entry.controls) good = AddControl(frame, control, options.controls) && good;
  if (!good) return {};
  return options;
}

}  // namespace dfrun
