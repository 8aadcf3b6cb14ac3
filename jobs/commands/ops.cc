// `dfrun ops [WORD]`: shows the content of the op and kernel registries.
#include <cstdio>
#include <memory>

#include "jobs/command.h"
#include "jobs/commands/op_listing.h"
#include "jobs/commands/spec_schema.h"

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
  if (const OpDef* op = OpRegistry::Builtin().FindByNameOrAlias(options.name)) return DescribeOp(*op);
  const std::vector<const OpDef*> found = SearchOps(options.name);
  if (found.empty()) {
    return Error(Code::kUsage, OpRegistry::Builtin().UnknownOp(options.name).message(),
                 "; no name and no description of an op has the word");
  }
  return OpSummaries(found);
}

RunCommand SetupOps(Options& args) {
  auto options = std::make_shared<OpsOptions>();
  const Option name = args.Value(
      "name", options->name,
      "Op to show, or a word to search the names and descriptions for; without it all signatures are listed");
  const Option registry = args.Flag("--registry", options->registry, "Every op with all that is registered for it");
  const Option schema = args.Flag("--json-schema", options->json_schema,
                                  "The JSON Schema (draft-07) of specs, which gives editors completion");
  const Option table =
      args.Flag("--table", options->table, "A Markdown table: ops, dtypes, gradients, golden cases, graphs");
  args.Value("--tests", options->tests, "The directory of the tests that --table looks at").Needs(table);
  name.Excludes(registry).Excludes(schema).Excludes(table);
  registry.Excludes(schema).Excludes(table);
  schema.Excludes(table);
  return [options]() -> Result<int> {
    DF_ASSIGN(const std::string text, Listing(*options));
    std::fwrite(text.data(), 1, text.size(), stdout);
    return 0;
  };
}

COMMAND("ops", "Lists ops, searches them for a word, or shows one: signature, attrs, gradient, dtypes by device.",
        "dfrun ops MatMul", SetupOps);

}  // namespace
}  // namespace dfrun::jobs
