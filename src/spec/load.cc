#include "src/spec/load.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "src/base/name_pattern.h"
#include "src/graph/order/ancestors.h"
#include "src/spec/document.h"
#include "src/spec/section.h"
#include "src/spec/shared_variables.h"
#include "src/spec/spec_printer.h"

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

void FreezeVariables(const Graph& graph, JobSpec& job) {
  for (const std::string& text : job.train->freeze) {
    const NamePattern pattern(text);
    for (VariableSpec& v : job.variables) v.frozen = v.frozen || pattern.Matches(graph.node(v.node).name);
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
void CheckOverridesUsed(const SpecDocument& document, Diagnostics& diagnostics) {
  for (const std::string& name : document.overridden_params) {
    const std::string use = "${" + name + "}";
    const auto uses = [&](const auto& file) { return Uses(file->root(), use); };
    if (std::any_of(document.files.begin(), document.files.end(), uses)) continue;
    std::vector<std::string> others;
    for (const ParamEntry& entry : document.params) {
      if (entry.name.text() != name) others.emplace_back(entry.name.text());
    }
    const std::string near = Nearest(name, others);
    diagnostics.Error({}, "nothing in the spec uses the param '", name, "', so that --set ", name, " changes nothing",
                      near.empty() ? "" : StrCat(", did you mean '", near, "'?"));
  }
}

// Finds the names under `feed` in a section, and below.
void FindFed(const Yaml& section, std::vector<Yaml>& names) {
  for (size_t i = 0; section.is_map() && i < section.size(); ++i) {
    const Yaml value = section.value(i);
    if (section.key(i).text() != "feed" || !value.is_map()) {
      FindFed(value, names);
      continue;
    }
    for (size_t k = 0; k < value.size(); ++k) names.push_back(value.key(k));
  }
}

// "norm/training" of "norm/training:0=false".
std::string NodeOfFeed(std::string_view text) {
  return std::string(text.substr(0, text.find_first_of("=:")));
}

// One form of the model while it is built. It stays where it is.
struct Form {
  Form(LoweringInput with, const OpRegistry& ops, Diagnostics& diagnostics)
      : input(std::move(with)), graph(ops), lowering(input, graph, diagnostics) {}
  Form(const Form&) = delete;
  Form& operator=(const Form&) = delete;

  const LoweringInput input;
  Graph graph;
  Lowering lowering;
  std::vector<InputSpec> inputs;
};

// The parts of the spec that forms are built from.
struct Source {
  const SpecDocument& document;
  const Params& params;
  const ClusterSpec& cluster;
  ValueReader& reader;
};

class Loader {
 public:
  Loader(const std::string& path, const SpecOptions& options) : path_(path), options_(options) {}

  Result<LoadedSpec> Load() {
    SpecChanges changes{.steps = options_.steps};
    DF_ASSIGN(changes.overrides, ParseOverrides(options_.sets));
    DF_ASSIGN(const SpecDocument document, ReadSpecDocument(path_, changes, diagnostics_));
    CheckFunctionNames(document.functions, *options_.ops, diagnostics_);
    const Params params = MakeParams(document.params, diagnostics_);
    CheckOverridesUsed(document, diagnostics_);
    DF_TRY(diagnostics_.ToStatus());
    ValueReader reader(params, diagnostics_);
    ReadHead(document, reader);
    ListParams(document, params);
    const ClusterSpec cluster = ClusterSpec::Read(document.FindSection("cluster"), options_, reader);
    job_.jobs = cluster.jobs();
    job_.device_counts = cluster.device_counts();
    job_.memory_limits = cluster.memory_limits();
    job_.soft_placement = cluster.soft_placement();
    job_.compression = cluster.compression();

    const Source source{document, params, cluster, reader};
    const bool trains = document.FindSection("train") != nullptr;
    DF_ASSIGN(const std::unique_ptr<Form> form, Build(source, trains, nullptr));
    std::unique_ptr<Form> other;
    if (form->lowering.depends_on_mode() || SectionsMayUseMode(document)) {
      diagnostics_.set_ending(StrCat("; so it is where `training` is ", trains ? "false" : "true"));
      DF_ASSIGN(other, Build(source, !trains, form.get()));
      diagnostics_.set_ending("");
      const BuiltForm built[] = {{form->lowering, form->graph}, {other->lowering, other->graph}};
      if (diagnostics_.ok()) ShareVariables(built[trains ? 0 : 1], built[trains ? 1 : 0], diagnostics_);
    }
    LoadedSpec spec = Read(source, *form, other != nullptr);
    std::shared_ptr<LoadedSpec> of_other;
    if (other != nullptr) of_other = std::make_shared<LoadedSpec>(Read(source, *other, true));
    DF_TRY(diagnostics_.ToStatus());
    DF_TRY(Finish(spec));
    spec.files = Files();
    const auto is_called = [&](const FunctionDef& def) {
      return form->lowering.IsCalled(def) || (other != nullptr && other->lowering.IsCalled(def));
    };
    if (options_.prints) spec.printed = PrintSpec({document, job_, params, reader, is_called});
    if (other == nullptr || !(form->lowering.depends_on_mode() || other->lowering.depends_on_mode())) return spec;
    DF_TRY(Finish(*of_other));
    spec.other = std::move(of_other);
    return spec;
  }

 private:
  std::vector<std::string> Files() const {
    std::vector<std::string> files;
    for (size_t i = 0; i < diagnostics_.files().size(); ++i) {
      if (!diagnostics_.IsOption(static_cast<int32_t>(i))) files.push_back(diagnostics_.files()[i]);
    }
    return files;
  }

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

  void ListParams(const SpecDocument& document, const Params& params) {
    for (const ParamEntry& entry : document.params) {
      const std::string name(entry.name.text());
      const bool is_own = entry.name.location().file == 0 || document.overridden_params.count(name) > 0;
      const auto is_it = [&](const auto& param) { return param.first == name; };
      if (!is_own || std::any_of(job_.params.begin(), job_.params.end(), is_it)) continue;
      if (const ParamText* text = params.Find(name)) job_.params.emplace_back(name, text->text);
    }
  }

  // Builds the graph of a form. The inputs are read by the first that is built, `first` for a later one.
  Result<std::unique_ptr<Form>> Build(const Source& source, bool training, Form* first) {
    LoweringInput input{job_.seed, source.document.functions, source.params, source.cluster, training};
    if (first != nullptr) input.other_sides = &first->lowering.decided_sides();
    DF_ASSIGN(std::unique_ptr<Form> form, BuildWith(source, input, first));
    if (training) return form;
    input.fed_calls = FedCalls(source.document, *form);
    if (input.fed_calls.empty()) return form;
    return BuildWith(source, input, first == nullptr ? form.get() : first);
  }

  Result<std::unique_ptr<Form>> BuildWith(const Source& source, const LoweringInput& input, const Form* first) {
    auto form = std::make_unique<Form>(input, *options_.ops, diagnostics_);
    const Yaml* const inputs = source.document.FindSection("inputs");
    if (first != nullptr) {
      form->graph.calls() = first->graph.calls();  // a job's graph holds nodes of both
      form->inputs = first->inputs;
      AddNodesOfInputs(form->inputs, job_.seed, form->lowering);
    } else if (inputs != nullptr) {
      const std::string directory = std::filesystem::path(path_).parent_path().string();
      form->inputs = ReadInputs(*inputs, directory, job_.seed, source.reader, form->lowering);
      // Errors in inputs end here, because without its inputs a graph has errors in every line.
      DF_TRY(diagnostics_.ToStatus());
    }
    form->lowering.AddGraph(source.document.graph);
    return form;
  }

  // The calls of functions in which a feed has the place of a constant of the mode.
  std::set<std::string> FedCalls(const SpecDocument& document, const Form& form) {
    std::set<std::string> calls;
    const auto add = [&](const std::string& node, SourceLocation location) {
      const NodeId id = form.graph.Find(node);
      if (id < 0 || !form.lowering.IsModeConstant(id)) return;
      const size_t slash = node.rfind('/');
      if (slash != std::string::npos) calls.insert(node.substr(0, slash));
      mode_feeds_.push_back(StrCat(diagnostics_.Print(location), ": '", node, "' is fed, a constant that `training` ",
                                   "decides: without the feed it has the value that is meant for evaluation"));
    };
    std::vector<Yaml> names;
    for (const char* section : {"eval", "run"}) {
      if (const Yaml* found = document.FindSection(section)) FindFed(*found, names);
    }
    for (const Yaml& name : names) add(NodeOfFeed(name.text()), name.location());
    for (const std::string& feed : options_.feeds) add(NodeOfFeed(feed), {});
    return calls;
  }

  // Whether an expression of a section, such as that of a feed, may depend on the mode.
  static bool SectionsMayUseMode(const SpecDocument& document) {
    return std::any_of(document.sections.begin(), document.sections.end(), [](const auto& section) {
      return Sections::Get(section.first).form != SectionDef::Form::kAny && Uses(section.second.value, "training");
    });
  }

  // Reads the sections with the nodes of a form. `has_other`: errors in those that are about the other form are that
  // one's.
  LoadedSpec Read(const Source& source, Form& form, bool has_other) {
    JobSpec job = job_;
    job.inputs = std::move(form.inputs);
    const SectionContext context{source.document, source.reader, form.lowering, form.graph, job.inputs, source.cluster};
    Status of_other;
    for (const SectionDef* def : Sections::List()) {
      const Yaml* section = source.document.FindSection(def->key.name);
      if (section == nullptr || def->read == nullptr) continue;
      std::optional<Diagnostics::Apart> apart;
      const auto own = form.input.training ? SectionDef::Form::kTraining : SectionDef::Form::kEvaluation;
      if (has_other && def->form != SectionDef::Form::kAny && def->form != own) apart.emplace(diagnostics_);
      def->read(*section, source.document.Location(def->key.name), context, job);
      if (apart && of_other.ok()) of_other = apart->ToStatus();
    }
    form.lowering.CheckUncalledFunctions();
    job.variables = form.lowering.variables();
    if (job.train) FreezeVariables(form.graph, job);
    CheckInitialValues(job.variables, form.graph, diagnostics_);
    form.graph.files() = diagnostics_.files();
    std::map<std::string, std::vector<Output>, std::less<>> values = form.lowering.ValuesThatAreNoNode();
    LoadedSpec spec{std::move(job), std::move(form.graph), std::move(values)};
    spec.training = form.input.training;
    spec.sections = of_other;
    spec.mode_feeds = mode_feeds_;
    return spec;
  }

  Status Finish(LoadedSpec& spec) const {
    spec.job.warnings = diagnostics_.Warnings();
    if (Status status = FixBatchSizes(spec.job.inputs, spec.graph); !status.ok())
      return Error(Code::kBadSpec, status.message());
    return Status();
  }

  const std::string& path_;
  const SpecOptions& options_;
  Diagnostics diagnostics_;
  JobSpec job_;  // with the sections before the graph
  std::vector<std::string> mode_feeds_;
};

SPEC_SECTION(SectionDef{.key = {.name = "name", .kind = KeyKind::kTextOrNumber}, .order = 20});
SPEC_SECTION(SectionDef{.key = {.name = "seed", .kind = KeyKind::kInt, .default_text = "0"}, .order = 30});

}  // namespace

Result<LoadedSpec> LoadSpec(const std::string& path, const SpecOptions& options) {
  return Loader(path, options).Load();
}

}  // namespace dfrun
