// dfrun ops [NAME]: what the op and kernel registries hold.
#include <cstdio>
#include <map>
#include <memory>
#include <set>

#include "jobs/command.h"
#include "src/framework/kernel.h"
#include "src/framework/op.h"

namespace dfrun::jobs {
namespace {

std::string Gradient(const OpDef& op) {
  if (op.gradient) return "yes";
  return op.not_differentiable ? "none: nothing flows back through it" : "none: differentiating through it is an error";
}

// "cpu: float32 float64" lines, a line a device type.
std::string KernelDTypes(const OpDef& op) {
  std::map<std::string, std::set<std::string>> by_device;
  for (const KernelDef* kernel : KernelRegistry::Builtin().List(op.name)) {
    by_device[kernel->device_type].insert(kernel->attr.empty() ? "any"
                                                               : StrCat(kernel->attr, "=", DTypeName(kernel->dtype)));
  }
  std::string out;
  for (const auto& [device, dtypes] : by_device) {
    out += StrCat("  ", device, ":");
    for (const std::string& dtype : dtypes) out += " " + dtype;
    out += "\n";
  }
  return out.empty() ? "  none: the runtime itself does it\n" : out;
}

// Signature() puts the attrs after semicolons: a line each is easier to read.
std::string SignatureLines(const OpDef& op) {
  std::string out;
  for (char c : op.Signature()) {
    if (c == ';') {
      out += "\n ";
    } else {
      out += c;
    }
  }
  return out;
}

void PrintOp(const OpDef& op) {
  std::printf("%s\n\n%s\n\n", SignatureLines(op).c_str(), op.doc.c_str());
  if (!op.aliases.empty()) {
    std::printf("Also written:");
    for (const std::string& alias : op.aliases) std::printf(" %s", alias.c_str());
    std::printf("\n");
  }
  if (op.is_stateful) std::printf("Stateful: it is never folded or merged with another.\n");
  std::printf("Gradient: %s\nKernels:\n%s", Gradient(op).c_str(), KernelDTypes(op).c_str());
}

Result<int> ShowOps(const std::string& name) {
  if (name.empty()) {
    for (const OpDef* op : OpRegistry::Builtin().List()) std::printf("%s\n", op->Signature().c_str());
    return 0;
  }
  const OpDef* op = OpRegistry::Builtin().FindByNameOrAlias(name);
  if (op == nullptr) return Error(Code::kUsage, OpRegistry::Builtin().UnknownOp(name).message());
  PrintOp(*op);
  return 0;
}

COMMAND("ops", "Lists the ops, or shows one: signature, attrs, gradient, dtypes by device.", "dfrun ops MatMul",
        [](CLI::App& app) -> RunCommand {
          auto name = std::make_shared<std::string>();
          app.add_option("name", *name, "Op to show; without it all are listed");
          return [name] { return ShowOps(*name); };
        });

}  // namespace
}  // namespace dfrun::jobs
