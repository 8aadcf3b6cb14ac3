// dfrun ops [NAME]: what the op and kernel registries hold.
#include <cstdio>
#include <memory>

#include "jobs/command.h"
#include "jobs/op_listing.h"
#include "jobs/spec_schema.h"

namespace dfrun::jobs {
namespace {

struct OpsOptions {
  std::string name;
  bool registry = false;
  bool json_schema = false;
  bool table = false;
  std::string tests = "tests";
};

std::string Signatures() {
  std::string out;
  for (const OpDef* op : OpRegistry::Builtin().List()) out += op->Signature() + "\n";
  return out;
}

Result<std::string> Listing(const OpsOptions& options) {
  if (options.registry) return RegistryDump();
  if (options.json_schema) return SpecSchema();
  if (options.table) {
    DF_ASSIGN(const auto tests, FindOpTests(options.tests));
    return OpsTable(tests);
  }
  if (options.name.empty()) return Signatures();
  const OpDef* op = OpRegistry::Builtin().FindByNameOrAlias(options.name);
  if (op == nullptr) return Error(Code::kUsage, OpRegistry::Builtin().UnknownOp(options.name).message());
  return DescribeOp(*op);
}

RunCommand Setup(CLI::App& app) {
  auto options = std::make_shared<OpsOptions>();
  CLI::Option* name = app.add_option("name", options->name, "Op to show; without it all signatures are listed");
  CLI::Option* registry = app.add_flag("--registry", options->registry, "Every op with all that is registered for it");
  CLI::Option* schema = app.add_flag("--json-schema", options->json_schema,
                                     "The JSON Schema (draft-07) of specs, which gives editors completion");
  CLI::Option* table =
      app.add_flag("--table", options->table, "A Markdown table: ops, dtypes, gradients, golden cases, graphs");
  app.add_option("--tests", options->tests, "The directory of the tests that --table looks at")->needs(table);
  name->excludes(registry)->excludes(schema)->excludes(table);
  registry->excludes(schema)->excludes(table);
  schema->excludes(table);
  return [options]() -> Result<int> {
    DF_ASSIGN(const std::string text, Listing(*options));
    std::fwrite(text.data(), 1, text.size(), stdout);
    return 0;
  };
}

COMMAND("ops", "Lists the ops, or shows one: signature, attrs, gradient, dtypes by device.", "dfrun ops MatMul", Setup);

}  // namespace
}  // namespace dfrun::jobs
