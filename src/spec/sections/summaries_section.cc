// Reads the section summaries: values to look at, beside the loss and the metrics.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "src/spec/document.h"
#include "src/spec/schema/check_keys.h"
#include "src/spec/schema/name_patterns.h"
#include "src/spec/section.h"

namespace dfrun {
namespace {

constexpr int64_t kMaxSampleRate = int64_t{1} << 30;  // a WAV file's bytes a second have 32 bits

std::vector<KeyDef> HistogramKeys() {
  return {{"weights", KeyKind::kNames}, {"gradients", KeyKind::kNames}, {"values", KeyKind::kNames}};
}

std::vector<KeyDef> PrCurveKeys() {
  return {{.name = "labels", .required = true}, {.name = "predictions", .required = true}};
}

std::vector<KeyDef> EmbeddingKeys() {
  return {{.name = "variable", .required = true}, {.name = "labels", .kind = KeyKind::kPath}};
}

// Kinds that are made every `every` steps.
constexpr std::array kOnTheirOwn = {"histograms", "images", "audio", "text", "pr_curves"};

bool HasStepsOfItsOwn(const Yaml& summaries, const ValueReader&) {
  return std::any_of(kOnTheirOwn.begin(), kOnTheirOwn.end(),
                     [&](const char* kind) { return FindKey(summaries, kind).has_value(); });
}

bool HasAudio(const Yaml& summaries, const ValueReader&) {
  return FindKey(summaries, "audio").has_value();
}

bool HasAny(const Yaml& summaries, const ValueReader&) {
  return summaries.size() > 0;
}

bool MayHaveRank(const PartialShape& shape, int rank) {
  return !shape.known_rank() || shape.rank() == rank;
}

bool IsImage(DType dtype, const PartialShape& shape) {
  if ((dtype != DType::kUint8 && !IsFloating(dtype)) || !MayHaveRank(shape, 4)) return false;
  const int64_t channels = shape.known_rank() ? shape.dim(3) : -1;
  return channels < 0 || channels == 1 || channels == 3 || channels == 4;
}

bool IsAudio(DType dtype, const PartialShape& shape) {
  return IsFloating(dtype) && (MayHaveRank(shape, 2) || MayHaveRank(shape, 3));
}

bool IsNumeric(DType dtype, const PartialShape&) {
  return IsFloating(dtype) || IsInteger(dtype);
}

bool IsLabel(DType dtype, const PartialShape& shape) {
  return dtype == DType::kBool || IsNumeric(dtype, shape);
}

bool IsPrediction(DType dtype, const PartialShape&) {
  return IsFloating(dtype);
}

bool IsTable(DType dtype, const PartialShape& shape) {
  return IsFloating(dtype) && MayHaveRank(shape, 2);
}

bool IsText(DType dtype, const PartialShape&) {
  return dtype == DType::kString;
}

// A kind of summary that lists outputs.
struct OutputList {
  const char* key;
  bool (*fits)(DType dtype, const PartialShape& shape);
  const char* wanted;  // describes what fits
  std::vector<FetchSpec> SummariesSpec::*list;
};

constexpr OutputList kHistogramValues = {"values", &IsNumeric, "real numbers", &SummariesSpec::values};
constexpr std::array kOutputLists = {
    OutputList{"images", &IsImage, "[batch, height, width, 1, 3 or 4] of uint8 or floating-point numbers",
               &SummariesSpec::images},
    OutputList{"audio", &IsAudio, "[batch, frames] or [batch, frames, channels] of floating-point numbers",
               &SummariesSpec::audio},
    OutputList{"text", &IsText, "strings", &SummariesSpec::text}};

// Reads one section. Errors are reported, and what is good is kept.
class SummariesReader {
 public:
  SummariesReader(const Yaml& map, const SectionContext& context, const JobSpec& job)
      : map_(map), context_(context), job_(job), diagnostics_(context.reader.diagnostics()) {}

  SummariesSpec Read(SourceLocation location) {
    spec_.location = location;
    if (!CheckSection("summaries", map_, diagnostics_) || !CheckTrains()) return {};
    ReadNumbers();
    ReadScalars();
    ReadHistograms();
    for (const OutputList& list : kOutputLists) ReadOutputs(map_, list);
    ReadPrCurves();
    ReadEmbeddings();
    return spec_;
  }

 private:
  const std::vector<KeyDef>& Keys() const { return Sections::Get("summaries").key.keys; }

  // Values other than scalars are those of training steps.
  bool CheckTrains() {
    if (context_.document.FindSection("train") != nullptr) return true;
    for (size_t i = 0; i < map_.size(); ++i) {
      if (map_.key(i).text() == "scalars") continue;
      diagnostics_.Error(map_.key(i).location(), "'", map_.key(i).text(),
                         "' is about the steps of a training, and the job has no 'train'; 'fetch' of 'run' gives its ",
                         "values");
      return false;
    }
    return true;
  }

  void ReadNumbers() {
    ReadKey(map_, Keys(), "every", context_.reader, spec_.every);
    ReadKey(map_, Keys(), "sample_rate", context_.reader, spec_.sample_rate);
    ReadKey(map_, Keys(), "gradient_norm", context_.reader, spec_.gradient_norm);
  }

  void ReadScalars() {
    const std::optional<Yaml> scalars = FindKey(map_, "scalars");
    if (!scalars) return;
    spec_.scalars = ReadFetches(*scalars, "'scalars'", true, context_);
    CheckNames(spec_.scalars, "scalars");
    if (!spec_.gradient_norm) return;
    for (const FetchSpec& scalar : spec_.scalars) {
      if (scalar.name != "grad_norm") continue;
      diagnostics_.Error(scalar.location,
                         "a summary cannot have the name 'grad_norm', which metrics.jsonl has for "
                         "that of 'gradient_norm'");
    }
  }

  // Results are reported by name, so names must differ.
  void CheckNames(const std::vector<FetchSpec>& fetches, const char* key) {
    std::set<std::string_view> seen;
    for (const FetchSpec& fetch : fetches) {
      if (!seen.insert(fetch.name).second)
        diagnostics_.Error(fetch.location, "'", key, "' has the name '", fetch.name, "' twice");
    }
  }

  void ReadHistograms() {
    const std::optional<Yaml> map = FindKey(map_, "histograms");
    if (!map || !CheckKeys(*map, HistogramKeys(), "'histograms'", diagnostics_)) return;
    spec_.weights = ReadVariables(*map, "weights", false);
    spec_.gradients = ReadVariables(*map, "gradients", true);
    ReadOutputs(*map, kHistogramValues);
  }

  // The index and the name of each variable that may be chosen. Trained ones are trainable and not frozen.
  std::vector<std::pair<size_t, std::string>> Variables(bool trained) const {
    std::vector<NamePattern> frozen;
    if (trained && job_.train) {
      for (const std::string& pattern : job_.train->freeze) frozen.emplace_back(pattern);
    }
    std::vector<std::pair<size_t, std::string>> variables;
    const std::vector<VariableSpec>& all = context_.lowering.variables();
    for (size_t i = 0; i < all.size(); ++i) {
      const std::string& name = context_.graph.node(all[i].node).name;
      const bool is_frozen = std::any_of(frozen.begin(), frozen.end(), [&](const auto& p) { return p.Matches(name); });
      if (IsPosition(all[i].node, context_) || (trained && (!all[i].trainable || is_frozen))) continue;
      const DType dtype = context_.graph.dtype({all[i].node, 0});
      if (IsNumeric(dtype, {})) variables.emplace_back(i, name);
    }
    return variables;
  }

  std::vector<size_t> ReadVariables(const Yaml& map, const char* key, bool trained) {
    const std::optional<Yaml> value = FindKey(map, key);
    if (!value) return {};
    const std::optional<std::vector<LocatedPattern>> patterns =
        ReadNamePatterns(*value, StrCat("'", key, "'"), context_.reader);
    // Variables may be missing for other reasons, which have been reported.
    if (!patterns || !diagnostics_.ok()) return {};
    const std::vector<std::pair<size_t, std::string>> variables = Variables(trained);
    std::vector<std::string> names;
    names.reserve(variables.size());
    for (const auto& [index, name] : variables) names.push_back(name);
    const std::vector<bool> matched =
        MatchNames(*patterns, names, trained ? "trained variable" : "variable of the graph", diagnostics_);
    std::vector<size_t> chosen;
    for (size_t i = 0; i < names.size(); ++i) {
      if (matched[i]) chosen.push_back(variables[i].first);
    }
    return chosen;
  }

  // Whether the output fits; an error where it does not. `what` names the key: "'images'".
  bool CheckFits(const FetchSpec& fetch, std::string_view what, const char* wanted,
                 bool (*fits)(DType, const PartialShape&)) {
    const DType dtype = context_.graph.dtype(fetch.output);
    const PartialShape& shape = context_.graph.shape(fetch.output);
    if (fits(dtype, shape)) return true;
    diagnostics_.Error(fetch.location, what, " takes ", wanted, ", but '", fetch.name, "' is ", dtype, shape);
    return false;
  }

  void ReadOutputs(const Yaml& map, const OutputList& list) {
    const std::optional<Yaml> value = FindKey(map, list.key);
    if (!value) return;
    const std::string what = StrCat("'", list.key, "'");
    const std::vector<FetchSpec> fetches = ReadFetches(*value, what, false, context_);
    CheckNames(fetches, list.key);
    for (const FetchSpec& fetch : fetches) {
      if (CheckFits(fetch, what, list.wanted, list.fits)) (spec_.*list.list).push_back(fetch);
    }
  }

  // The output that a key of `map` names.
  std::optional<FetchSpec> FindOutput(const Yaml& map, const char* key) {
    const Yaml name = *FindKey(map, key);
    if (!name.is_scalar()) {
      diagnostics_.Error(name.location(), "'", key, "' is the name of a value, not ", name.Describe());
      return {};
    }
    const std::optional<Output> output = context_.lowering.Find(name);
    if (!output) return {};
    return FetchSpec{std::string(name.text()), *output, name.location()};
  }

  // Reports a required key that is missing.
  bool CheckHas(const Yaml& map, std::initializer_list<const char*> keys, std::string_view what) {
    for (const char* key : keys) {
      if (FindKey(map, key)) continue;
      diagnostics_.Error(map.location(), what, " lacks '", key, "'");
      return false;
    }
    return true;
  }

  void ReadPrCurves() {
    const std::optional<Yaml> curves = FindKey(map_, "pr_curves");
    if (!curves || !CheckMap(*curves, "'pr_curves'", diagnostics_)) return;
    for (size_t i = 0; i < curves->size(); ++i) ReadPrCurve(curves->key(i), curves->value(i));
  }

  void ReadPrCurve(const Yaml& name, const Yaml& map) {
    const std::string what = StrCat("the curve '", name.text(), "'");
    if (!CheckKeys(map, PrCurveKeys(), what, diagnostics_) || !CheckHas(map, {"labels", "predictions"}, what)) return;
    const std::optional<FetchSpec> labels = FindOutput(map, "labels");
    const std::optional<FetchSpec> predictions = FindOutput(map, "predictions");
    if (!labels || !predictions) return;
    if (!CheckFits(*labels, "'labels'", "bools, or numbers that are 0 or 1", &IsLabel)) return;
    if (!CheckFits(*predictions, "'predictions'", "floating-point numbers", &IsPrediction)) return;
    const PartialShape& shape = context_.graph.shape(labels->output);
    const PartialShape& other = context_.graph.shape(predictions->output);
    if (!shape.IsCompatibleWith(other)) {
      diagnostics_.Error(labels->location, "'labels' and 'predictions' must have one shape, but '", labels->name,
                         "' has ", shape, " and '", predictions->name, "' has ", other);
      return;
    }
    spec_.pr_curves.push_back({std::string(name.text()), labels->output, predictions->output, name.location()});
  }

  void ReadEmbeddings() {
    const std::optional<Yaml> embeddings = FindKey(map_, "embeddings");
    if (!embeddings || !CheckMap(*embeddings, "'embeddings'", diagnostics_)) return;
    for (size_t i = 0; i < embeddings->size(); ++i) ReadEmbedding(embeddings->key(i), embeddings->value(i));
  }

  void ReadEmbedding(const Yaml& name, const Yaml& map) {
    const std::string what = StrCat("the embedding '", name.text(), "'");
    if (!CheckKeys(map, EmbeddingKeys(), what, diagnostics_) || !CheckHas(map, {"variable"}, what)) return;
    EmbeddingSpec embedding{.name = std::string(name.text()), .labels = {}, .location = name.location()};
    const Yaml of_variable = *FindKey(map, "variable");
    const std::optional<std::string> variable = context_.reader.Text(of_variable, "'variable'");
    if (!variable || !diagnostics_.ok()) return;
    const auto variables = Variables(false);
    const auto found =
        std::find_if(variables.begin(), variables.end(), [&](const auto& v) { return v.second == *variable; });
    if (found == variables.end()) {
      std::vector<std::string> names;
      for (const auto& [index, other] : variables) names.push_back(other);
      diagnostics_.Error(of_variable.location(),
                         DescribeUnmatched(NamePattern(*variable), names, "variable of the graph"));
      return;
    }
    embedding.variable = found->first;
    const NodeId node = context_.lowering.variables()[found->first].node;
    const PartialShape& shape = context_.graph.shape({node, 0});
    if (!CheckFits({*variable, {node, 0}, of_variable.location()}, "'variable'",
                   "floating-point numbers [rows, columns]", &IsTable)) {
      return;
    }
    if (ReadLabels(map, shape.known_rank() ? shape.dim(0) : -1, embedding.labels))
      spec_.embeddings.push_back(std::move(embedding));
  }

  // `rows`: of the variable, -1 where they are not known.
  bool ReadLabels(const Yaml& map, int64_t rows, std::string& out) {
    const std::optional<Yaml> value = FindKey(map, "labels");
    if (!value) return true;
    const std::optional<std::string> text = context_.reader.Text(*value, "'labels'");
    if (!text) return false;
    out = (std::filesystem::path(job_.path).parent_path() / *text).string();
    std::error_code error;
    std::ifstream file(out);
    if (!file || !std::filesystem::is_regular_file(out, error)) {
      diagnostics_.Error(value->location(), "cannot read the labels in ", out);
      return false;
    }
    int64_t lines = 0;
    bool has_columns = false;  // a table's first line names its columns
    for (std::string line; std::getline(file, line); ++lines) {
      has_columns = has_columns || (lines == 0 && line.find('\t') != std::string::npos);
    }
    if (has_columns) --lines;
    if (rows < 0 || lines == rows) return true;
    diagnostics_.Error(value->location(), out, " has ", lines, " labels for ", rows, " rows",
                       has_columns ? ", below its line with the names of columns" : "");
    return false;
  }

  const Yaml& map_;
  const SectionContext& context_;
  const JobSpec& job_;
  Diagnostics& diagnostics_;
  SummariesSpec spec_;
};

void ReadSummaries(const Yaml& section, SourceLocation location, const SectionContext& context, JobSpec& job) {
  job.summaries = SummariesReader(section, context, job).Read(location);
}

SPEC_SECTION(SectionDef{
    .key = {.name = "summaries",
            .kind = KeyKind::kMapping,
            .keys = {{"scalars", KeyKind::kNames},
                     {.name = "gradient_norm", .kind = KeyKind::kBool, .default_text = "false", .has_default = &HasAny},
                     {.name = "histograms", .kind = KeyKind::kMapping, .keys = HistogramKeys()},
                     {"images", KeyKind::kNames},
                     {"audio", KeyKind::kNames},
                     {"text", KeyKind::kNames},
                     {.name = "pr_curves", .kind = KeyKind::kNamedMappings, .keys = PrCurveKeys()},
                     {.name = "embeddings", .kind = KeyKind::kNamedMappings, .keys = EmbeddingKeys()},
                     {.name = "every",
                      .kind = KeyKind::kInt,
                      .minimum = 1,
                      .default_text = "1000",
                      .has_default = &HasStepsOfItsOwn},
                     {.name = "sample_rate",
                      .kind = KeyKind::kInt,
                      .minimum = 1,
                      .maximum = kMaxSampleRate,
                      .default_text = "44100",
                      .has_default = &HasAudio}}},
    .order = 140,
    .form = SectionDef::Form::kTraining,
    .read = &ReadSummaries});

}  // namespace
}  // namespace dfrun
