#include "src/spec/load.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "src/graph/order/ancestors.h"
#include "src/spec/document.h"
#include "src/spec/section.h"

namespace dfrun {
namespace {

void CheckFunctionNames(const FunctionMap& functions, const OpRegistry& ops, Diagnostics& diagnostics) {
  static const FunctionMap none;
  for (const auto& [name, def] : functions) {
    const CallTarget target = FindCallTarget(name, none, ops);
    if (target.op != nullptr || target.form != CallTarget::Form::kNone)
      diagnostics.Error(def.location, "function '", name, "' has the name of an op; choose another");
  }
}

// Returns true for the name of a file in a directory, and false for one that leads out of it.
bool IsNameOfFile(const std::string& name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string::npos;
}

// A variable's first value is computed before any step, so it may not depend on a step's values.
void CheckInitialValues(const std::vector<VariableSpec>& variables, const Graph& graph, Diagnostics& diagnostics) {
  AncestorWalk walk(graph);
  for (const VariableSpec& v : variables) {
    walk.Add(v.init.node);
    while (const Node* node = walk.Next()) {
      for (std::string_view op : {"Placeholder", "VariableV2", "HDF5Reader", "SampleReader"}) {
        if (node->op->name != op) continue;
        diagnostics.Error(graph.node(v.node).location, "the 'init' of '", graph.node(v.node).name, "' depends on '",
                          node->name, "' (", op, "), which has no value before the first step");
      }
      walk.AddSources(*node);
    }
  }
}

bool Uses(const Yaml& value, const std::string& param) {
  if (value.is_scalar()) return value.text().find(param) != std::string_view::npos;
  for (size_t i = 0; i < value.size(); ++i) {
    if (Uses(value.is_map() ? value.value(i) : value.item(i), param)) return true;
  }
  return false;
}

// An override without an effect is an error, as that of an unknown param is.
void CheckOverridesUsed(const SpecDocument& document, const std::vector<ParamOverride>& overrides,
                        Diagnostics& diagnostics) {
  std::vector<std::string> names;
  for (const ParamEntry& entry : document.params) names.emplace_back(entry.name.text());
  for (const ParamOverride& o : overrides) {
    const std::string use = "${" + o.name + "}";
    const auto uses = [&](const auto& file) { return Uses(file->root(), use); };
    if (std::find(names.begin(), names.end(), o.name) == names.end() ||
        std::any_of(document.files.begin(), document.files.end(), uses))
      continue;
    std::vector<std::string> others;
    std::copy_if(names.begin(), names.end(), std::back_inserter(others), [&](const auto& n) { return n != o.name; });
    const std::string near = Nearest(o.name, others);
    diagnostics.Error({}, "nothing in the spec uses the param '", o.name, "', so that --set ", o.name,
                      " changes nothing", near.empty() ? "" : StrCat(", did you mean '", near, "'?"));
  }
}

class Loader {
 public:
  Loader(const std::string& path, const SpecOptions& options) : path_(path), options_(options), graph_(*options.ops) {}

  Result<LoadedSpec> Load() {
    DF_ASSIGN(const std::vector<ParamOverride> overrides, ParseOverrides(options_.sets));
    DF_ASSIGN(const SpecDocument document, ReadSpecDocument(path_, diagnostics_));
    CheckFunctionNames(document.functions, *options_.ops, diagnostics_);
    const Params params = MakeParams(document.params, overrides, diagnostics_);
    CheckOverridesUsed(document, overrides, diagnostics_);
    DF_TRY(diagnostics_.ToStatus());
    ValueReader reader(params, diagnostics_);
    ReadHead(document, reader);
    const ClusterSpec cluster = ClusterSpec::Read(document.FindSection("cluster"), options_, reader);
    job_.jobs = cluster.jobs();
    job_.device_counts = cluster.device_counts();
    job_.memory_limits = cluster.memory_limits();
    job_.soft_placement = cluster.soft_placement();
    job_.compression = cluster.compression();

    const LoweringInput input{job_.seed, document.functions, params, cluster};
    Lowering lowering(input, graph_, diagnostics_);
    if (const Yaml* inputs = document.FindSection("inputs")) {
      const std::string directory = std::filesystem::path(path_).parent_path().string();
      job_.inputs = ReadInputs(*inputs, directory, job_.seed, reader, lowering);
      // Errors in inputs end here, because without its inputs a graph has errors in every line.
      DF_TRY(diagnostics_.ToStatus());
    }
    lowering.AddGraph(document.graph);
    ReadSections(document, {document, reader, lowering, graph_, job_.inputs, cluster});
    lowering.CheckUncalledFunctions();
    job_.variables = lowering.variables();
    CheckInitialValues(job_.variables, graph_, diagnostics_);
    graph_.files() = diagnostics_.files();
    DF_TRY(diagnostics_.ToStatus());
    if (Status status = FixBatchSizes(job_.inputs, graph_); !status.ok())
      return Error(Code::kBadSpec, status.message());
    job_.warnings = diagnostics_.Warnings();
    std::map<std::string, std::vector<Output>, std::less<>> values = lowering.ValuesThatAreNoNode();
    return LoadedSpec{std::move(job_), std::move(graph_), std::move(values)};
  }

 private:
  void ReadHead(const SpecDocument& document, ValueReader& reader) {
    job_.path = path_;
    job_.name = std::filesystem::path(path_).stem().string();
    if (const Yaml* name = document.FindSection("name")) {
      if (std::optional<std::string> text = reader.Text(*name, "'name'")) job_.name = *std::move(text);
      if (!IsNameOfFile(job_.name)) {
        diagnostics_.Error(name->location(), "'name' begins the name of the run directory: it is no path, and no '",
                           job_.name, "'; --output gives the run directory another place");
      }
    }
    if (const Yaml* seed = document.FindSection("seed")) job_.seed = reader.Int(*seed, "'seed'").value_or(0);
  }

  void ReadSections(const SpecDocument& document, const SectionContext& context) {
    for (const SectionDef* def : Sections::List()) {
      const Yaml* section = document.FindSection(def->key.name);
      if (section == nullptr || def->read == nullptr) continue;
      def->read(*section, document.Location(def->key.name), context, job_);
    }
  }

  const std::string& path_;
  const SpecOptions& options_;
  Diagnostics diagnostics_;
  Graph graph_;
  JobSpec job_;
};

SPEC_SECTION(SectionDef{.key = {.name = "name", .kind = KeyKind::kTextOrNumber}, .order = 20});
SPEC_SECTION(SectionDef{.key = {.name = "seed", .kind = KeyKind::kInt}, .order = 30});

}  // namespace

Result<LoadedSpec> LoadSpec(const std::string& path, const SpecOptions& options) {
  return Loader(path, options).Load();
}

}  // namespace dfrun
