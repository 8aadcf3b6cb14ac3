#include "src/passes/pass.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "src/base/registry.h"

namespace dfrun {
namespace {

Registry<Pass>& Passes() {
  static Registry<Pass> passes;
  return passes;
}

std::vector<const Pass*> PassesWhere(const std::function<bool(const Pass&)>& fits) {
  std::vector<const Pass*> found;
  for (const auto& [name, pass] : Passes().all()) {
    if (fits(pass)) found.push_back(&pass);
  }
  std::stable_sort(found.begin(), found.end(), [](const Pass* a, const Pass* b) { return a->order < b->order; });
  return found;
}

}  // namespace

namespace internal {
PassRegistration::PassRegistration(Pass pass) {
  std::string name = pass.name;
  Passes().Add(std::move(name), std::move(pass));
}
}  // namespace internal

const Pass* FindPass(std::string_view name) {
  return Passes().Find(name);
}

std::vector<const Pass*> GraphPasses() {
  return PassesWhere([](const Pass& pass) { return pass.device.empty() && pass.run != nullptr; });
}

std::vector<const Pass*> DevicePasses(std::string_view device) {
  return PassesWhere([&](const Pass& pass) { return pass.device == device; });
}

std::vector<const Pass*> DevicePasses() {
  return PassesWhere([](const Pass& pass) { return !pass.device.empty(); });
}

std::vector<const Pass*> PartitionPasses() {
  return PassesWhere([](const Pass& pass) { return pass.run_on_all != nullptr; });
}

Status RunPass(const Pass& pass, Graph& graph, const PassContext& context) {
  const Status status = pass.run(graph, context);
  return pass.is_required ? status : status.Annotate(StrCat("while running the pass ", pass.name));
}

Status RunPartitionPass(const Pass& pass, std::span<Graph* const> partitions, const PassContext& context) {
  return pass.run_on_all(partitions, context).Annotate(StrCat("while running the pass ", pass.name));
}

Status OptimizeForDevice(Graph& graph, std::string_view device, const PassContext& context) {
  for (const Pass* pass : GraphPasses()) DF_TRY(RunPass(*pass, graph, context));
  for (const Pass* pass : DevicePasses(device)) DF_TRY(RunPass(*pass, graph, context));
  return Status();
}

}  // namespace dfrun
