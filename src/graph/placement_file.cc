#include "src/graph/placement_file.h"

#include "src/base/file.h"
#include "src/base/json/json.h"
#include "src/base/json/json_reader.h"

namespace dfrun {
namespace {

constexpr size_t kMaxFileBytes = size_t{256} << 20;
constexpr int64_t kForm = 1;

const char* KindText(PlacedBy kind) {
  switch (kind) {
    case PlacedBy::kRules:
      return "rules";
    case PlacedBy::kSimulation:
      return "simulated";
    case PlacedBy::kLearning:
      return "learned";
    case PlacedBy::kFile:
      return "file";
    case PlacedBy::kResumedRun:
      return "resumed";
  }
  return "";
}

Result<NodePlacement> ParsePlacement(const std::string& json, const std::string& path) {
  DF_ASSIGN(const JsonValue value, ParseJson(json));
  const JsonValue* const nodes = value.Find("nodes");
  if (nodes == nullptr || !nodes->is_object())
    return Error(Code::kDataLoss, "it has no member 'nodes' with the devices of nodes");
  if (const JsonValue* const form = value.Find("form")) {
    const Result<int64_t> number = form->AsInt();
    if (!number.ok() || *number != kForm)
      return Error(Code::kDataLoss, "it has the form ", form->Print(), ", and this version reads ", kForm);
  }
  NodePlacement placement;
  placement.source = path;
  for (size_t i = 0; i < nodes->names().size(); ++i) {
    const std::string& name = nodes->names()[i];
    Result<std::string> device = nodes->values()[i].AsText();
    if (!device.ok()) return Error(Code::kDataLoss, "the device of '", name, "' is no text");
    if (device->empty()) return Error(Code::kDataLoss, "the device of '", name, "' is empty");
    placement.devices.emplace(name, *std::move(device));
  }
  return placement;
}

}  // namespace

std::string PrintPlacement(const NodePlacement& placement, const PlacementFacts& facts) {
  std::string text = StrCat("{\"written_by\": \"dfrun\", \"form\": ", kForm,
                            ", \"kind\": ", JsonString(KindText(facts.kind)), ", \"ranks\": ", facts.ranks,
                            ", \"seconds\": ", facts.seconds, ", \"rules_s\": ", facts.rules_s, ",\n \"nodes\": {");
  const char* separator = "\n  ";
  for (const auto& [node, device] : placement.devices) {
    text += StrCat(separator, JsonString(node), ": ", JsonString(device));
    separator = ",\n  ";
  }
  return text + "}}\n";
}

Result<NodePlacement> ReadPlacement(const std::string& path) {
  const Result<std::string> json = ReadFile(path, kMaxFileBytes);
  if (json.status().code() == Code::kNotFound) return Error(Code::kNoInput, json.status().message());
  DF_TRY(json.status());
  Result<NodePlacement> placement = ParsePlacement(*json, path);
  if (placement.ok()) return placement;
  return Error(Code::kDataLoss, path, ": no placement: ", placement.status().message(),
               "; repair the file, or remove it and place the job anew");
}

}  // namespace dfrun
