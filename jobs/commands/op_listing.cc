#include "jobs/commands/op_listing.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>

#include "jobs/commands/op_gradients.h"
#include "src/base/text.h"
#include "src/framework/kernel/kernel_registry.h"

namespace dfrun::jobs {
namespace {

bool HoldsWord(std::string_view text, std::string_view word) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::search(text.begin(), text.end(), word.begin(), word.end(),
                     [&](char a, char b) { return lower(a) == lower(b); }) != text.end();
}

// Returns the signature with a line for each attr, which is easier to read than Signature()'s semicolons.
std::string SignatureLines(const OpDef& op) {
  std::string out;
  for (char c : op.Signature()) out += c == ';' ? "\n " : std::string(1, c);
  return out;
}

std::vector<std::string> Properties(const OpDef& op) {
  std::vector<std::string> out;
  if (op.is_stateful) out.emplace_back("stateful");
  if (op.is_commutative) out.emplace_back("commutative");
  if (op.is_aggregate) out.emplace_back("aggregate");
  if (op.allows_uninitialized_input) out.emplace_back("allows uninitialized input");
  if (op.traits.is_own()) out.emplace_back("dfrun's own");
  return out;
}

std::string KernelLines(const OpDef& op, std::string_view indent) {
  std::string out;
  for (const auto& [device, types] : KernelTypes(op)) out += StrCat(indent, device, ": ", Join(types, " "), "\n");
  return out.empty() ? StrCat(indent, "none: the runtime itself does it, or GPUs alone do\n") : out;
}

// Returns "float32, float64", "Tidx=int32, int64".
std::string TypesText(std::string_view types) {
  if (types.substr(0, 2) == "T=") types.remove_prefix(2);
  std::string text;
  for (char c : types) text += c == ',' ? ", " : std::string(1, c);
  return text;
}

// Returns "cpu: float32, float64", "cpu: Tidx=int32, int64", "cpu: any". `on_gpu`: there is a kernel for GPUs.
std::string TableCell(const OpDef& op, bool on_gpu) {
  std::vector<std::string> devices;
  for (const auto& [device, types] : KernelTypes(op)) {
    devices.push_back(StrCat(device, ": ", TypesText(Join(types, "; "))));
  }
  if (devices.empty()) return on_gpu ? "none" : "runtime";
  return Join(devices, "; ");
}

// Returns the dtypes of kernels for GPUs: "float32, float64", "as cpu", "plain".
std::string GpuCell(const OpDef& op, const std::string& types) {
  static const std::string& plain = *new std::string([] {
    std::set<DType> dtypes;
    for (int number = 0; number <= std::numeric_limits<uint8_t>::max(); ++number) {
      if (IsValidDType(number) && IsPlain(static_cast<DType>(number))) dtypes.insert(static_cast<DType>(number));
    }
    return StrCat(Join(dtypes, ","));
  }());
  for (const auto& [device, of_device] : KernelTypes(op)) {
    if (Join(of_device, " ") == types) return StrCat("as ", device);
  }
  return types.substr(types.find('=') + 1) == plain ? "plain" : TypesText(types);
}

// Returns "12 | 3", "0 | tests/unit/state/variable_test.cc".
std::string TestCells(const OpTests& tests) {
  if (tests.cases > 0 || tests.graphs > 0) return StrCat(tests.cases, " | ", tests.graphs);
  return StrCat("0 | ", tests.test.empty() ? "0" : tests.test);
}

}  // namespace

std::map<std::string, std::vector<std::string>> KernelTypes(const OpDef& op) {
  std::map<std::string_view, std::map<std::string_view, std::set<DType>>> by_device;  // keys: device, attr
  for (const KernelDef* k : KernelRegistry::Builtin().List(op.name))
    by_device[k->device_type][k->attr].insert(k->dtype);
  std::map<std::string, std::vector<std::string>> out;
  for (const auto& [device, attrs] : by_device) {
    for (const auto& [attr, dtypes] : attrs) {
      out[std::string(device == kAnyDevice ? "any device" : device)].push_back(
          attr.empty() ? "any" : StrCat(attr, "=", Join(dtypes, ",")));
    }
  }
  return out;
}

std::string DescribeOp(const OpDef& op) {
  std::string out = StrCat(SignatureLines(op), "\n\n", op.doc, "\n\n");
  if (!op.aliases.empty()) out += StrCat("Also written: ", Join(op.aliases, " "), "\n");
  if (op.traits.is_own()) out += "dfrun's own: TensorFlow has no such op.\n";
  if (op.is_stateful) out += "Stateful: it is never folded or merged with another.\n";
  return out + StrCat("Gradient: ", GradientText(op), "Kernels:\n", KernelLines(op, "  "));
}

std::vector<const OpDef*> SearchOps(std::string_view word) {
  std::vector<const OpDef*> by_name;
  std::vector<const OpDef*> by_doc;
  for (const OpDef* op : OpRegistry::Builtin().List()) {
    const auto has = [&](std::string_view text) { return HoldsWord(text, word); };
    if (has(op->name) || std::any_of(op->aliases.begin(), op->aliases.end(), has)) {
      by_name.push_back(op);
    } else if (has(op->doc)) {
      by_doc.push_back(op);
    }
  }
  by_name.insert(by_name.end(), by_doc.begin(), by_doc.end());
  return by_name;
}

std::string OpSummaries(const std::vector<const OpDef*>& ops) {
  size_t width = 0;
  for (const OpDef* op : ops) width = std::max(width, op->name.size());
  std::string out;
  for (const OpDef* op : ops) {
    out += StrCat(op->name, std::string(width - op->name.size() + 2, ' '), op->doc, "\n");
  }
  return out;
}

std::string RegistryDump() {
  std::string out;
  for (const OpDef* op : OpRegistry::Builtin().List()) {
    const std::vector<std::string> properties = Properties(*op);
    out += StrCat(SignatureLines(*op), "\n");
    if (!properties.empty()) out += StrCat("  [", Join(properties, ", "), "]\n");
    if (!op->aliases.empty()) out += StrCat("  alias: ", Join(op->aliases, " "), "\n");
    out += StrCat("  gradient: ", GradientCell(*op), "\n", KernelLines(*op, "  "), "\n");
  }
  return out;
}

std::string OpsTable(const std::map<std::string, OpTests>& tests) {
  std::string out =
      "# Ops\n\n"
      "Written by `scripts/ops-table`; `dfrun ops NAME` shows an op with its signature and meaning.\n\n"
      "* **dtypes**: by device, those of the attr `T`, or of the attr named; `any`: one kernel for all; `runtime`: "
      "the\n"
      "  executor itself does it; `none`: GPUs alone do.\n"
      "* **GPU**: those of NVIDIA's GPUs, which `tests/golden/registry/gpu.txt` lists; `plain`: all whose elements "
      "are\n"
      "  plain bytes. `tests/gpu/not_on_gpu.txt` says why an op has none.\n"
      "* **gradient**: by output where these differ, and by input where those do; docs/adding-an-op.md has the "
      "criterion.\n" +
      GradientLegend() +
      "* **cases**: of one node, in `tests/golden`, computed by TensorFlow.\n"
      "* **graphs**: exported by TensorFlow, below `tests/golden`, that contain the op, and with it give TensorFlow's\n"
      "  results. Where there is neither a case nor a graph, a test that runs the op.\n"
      "* `*`: dfrun's own, TensorFlow has no op of this name.\n\n"
      "| op | dtypes by device | GPU | gradient | cases | graphs | meaning |\n|---|---|---|---|---|---|---|\n";
  int rows = 0;
  for (const OpDef* op : OpRegistry::Builtin().List()) {
    const auto found = tests.find(op->name);
    const OpTests tested = found == tests.end() ? OpTests() : found->second;
    std::string doc;
    for (char c : op->doc) doc += c == '|' ? "\\|" : std::string(1, c);
    out += StrCat("| ", op->name, op->traits.is_own() ? "*" : "", " | ", TableCell(*op, !tested.gpu.empty()), " | ",
                  GpuCell(*op, tested.gpu), " | ", GradientCell(*op), " | ", TestCells(tested), " | ", doc, " |\n");
    ++rows;
  }
  return out + StrCat("\n", rows, " ops.\n");
}

}  // namespace dfrun::jobs
