#include <algorithm>

#include "src/base/path_hint.h"
#include "src/base/text.h"
#include "src/spec/attr_value.h"
#include "src/spec/input_nodes.h"
#include "src/spec/schema/check_keys.h"
#include "src/spec/schema/input_path.h"
#include "src/spec/tied_inputs.h"

namespace dfrun {
namespace {

// An input that goes with another has the order of that one.
bool HasOwnOrder(const Yaml& input, const ValueReader& reader) {
  const std::optional<Yaml> with = FindKey(input, "with");
  return !with || reader.Is(*with, InputSpec::kNoOther);
}

// The keys that every format has.
const std::vector<KeyDef>& CommonKeys() {
  static const std::vector<KeyDef>& keys = *new std::vector<KeyDef>{
      {.name = "tensors",
       .kind = KeyKind::kTensors,
       .keys = {{"from", KeyKind::kTextOrNumber},
                {"dtype", KeyKind::kDType},
                {"shape", KeyKind::kInts},
                {"default", KeyKind::kTextOrNumber}}},
      {"batch", KeyKind::kInt},
      {"split", KeyKind::kBool},
      {.name = "shuffle", .kind = KeyKind::kBoolOrInt, .default_text = "false", .has_default = &HasOwnOrder},
      {"with", KeyKind::kText},
      {.name = "readers", .kind = KeyKind::kInt, .default_text = "1"},
      {.name = "prefetch", .kind = KeyKind::kInt, .default_text = "2"}};
  return keys;
}

// Reads one section of `inputs:`; a function that fails has reported why.
class InputReader {
 public:
  InputReader(const Yaml& name, const Yaml& value, const std::string& directory, ValueReader& reader)
      : name_(name), value_(value), directory_(directory), reader_(reader), diagnostics_(reader.diagnostics()) {}

  std::optional<InputSpec> Read() {
    spec_.name = name_.text();
    spec_.location = name_.location();
    if (!IsValidNodeName(spec_.name)) return Fail(name_.location(), " is no name for nodes: letters, digits and ._/-");
    if (!FindFormat() || !ReadOptions() || !Open() || !ReadTensors() || !Count() || !ReadOrder()) return {};
    if (!ReadCount("readers", kMaxSampleThreads, 1, spec_.readers)) return {};
    if (!ReadCount("prefetch", kMaxBatchesAhead, 0, spec_.prefetch)) return {};
    return std::move(spec_);
  }

 private:
  std::string What() const { return StrCat("input '", name_.text(), "'"); }
  template <class... Args>
  std::nullopt_t Fail(SourceLocation location, const Args&... args) {
    diagnostics_.Error(location, What(), args...);
    return std::nullopt;
  }

  // Reports an error of the files, or of the spec's description of them.
  bool FailWith(SourceLocation location, const Status& status) {
    const Status error = AsInputError(status);
    const bool is_spec = error.code() != Code::kNoInput && error.code() != Code::kResourceExhausted;
    diagnostics_.ErrorOf(is_spec ? Code::kBadSpec : error.code(), location, What(), ": ", error.message(),
                         is_spec ? "" : about_paths_);
    return false;
  }

  // Finds the format, which is named by a key.
  bool FindFormat() {
    if (!CheckMap(value_, What(), diagnostics_)) return false;
    std::vector<std::string> formats;
    for (const SampleFormat* format : SampleFormats::List()) {
      if (format_ == nullptr && FindKey(value_, format->name)) format_ = format;
      formats.push_back(format->name);
    }
    std::vector<std::string> keys = NamesOf(CommonKeys());
    if (format_ != nullptr) {
      keys.push_back(format_->name);
      for (const SampleOption& option : format_->options) keys.push_back(option.name);
    } else {
      keys.insert(keys.end(), formats.begin(), formats.end());
    }
    if (!CheckKeys(value_, keys, What(), diagnostics_)) return false;
    if (format_ == nullptr) return Fail(name_.location(), " lacks its files, by their format: ", Join(formats)), false;
    spec_.format = format_->name;
    return true;
  }

  bool ReadOptions() {
    for (const SampleOption& option : format_->options) {
      const std::optional<Yaml> value = FindKey(value_, option.name);
      if (!value && option.required) return Fail(name_.location(), " lacks '", option.name, "'"), false;
      if (!value) continue;
      const std::optional<std::string> text = OptionText(option, *value);
      if (!text) return false;
      spec_.config.options[option.name] = *text;
      spec_.skips_errors = spec_.skips_errors || (option.name == "on_error" && *text == "skip");
    }
    return true;
  }

  std::optional<std::string> OptionText(const SampleOption& option, const Yaml& value) {
    const std::string what = StrCat("'", option.name, "'");
    if (option.kind == SampleOption::Kind::kInt || option.kind == SampleOption::Kind::kBytes) {
      const bool has_unit = option.kind == SampleOption::Kind::kBytes;
      const std::optional<int64_t> number = has_unit ? reader_.Bytes(value, what) : reader_.Int(value, what, 0);
      return number ? std::optional(std::to_string(*number)) : std::nullopt;
    }
    if (option.kind == SampleOption::Kind::kTexts) return TextLines(value, what);
    if (option.kind == SampleOption::Kind::kBool) {
      const std::optional<bool> is_on = reader_.Bool(value, what);
      return is_on ? std::optional<std::string>(*is_on ? "true" : "false") : std::nullopt;
    }
    std::optional<std::string> text = reader_.Text(value, what);
    if (!text || option.choices.empty()) return text;
    if (std::find(option.choices.begin(), option.choices.end(), *text) != option.choices.end()) return text;
    diagnostics_.Error(value.location(), what, " must be one of ", Join(option.choices), ", not '", *text, "'");
    return {};
  }

  // Reads a text or a list of texts, and joins them as lines.
  std::optional<std::string> TextLines(const Yaml& value, const std::string& what) {
    std::string lines;
    for (size_t i = 0; i < (value.is_sequence() ? value.size() : 1); ++i) {
      const Yaml item = value.is_sequence() ? value.item(i) : value;
      const std::optional<std::string> text = reader_.Text(item, what);
      if (!text) return {};
      if (text->find('\n') != std::string::npos) {
        diagnostics_.Error(item.location(), what, " lists texts of one line each");
        return {};
      }
      lines += *text + "\n";
    }
    return lines;
  }

  // Reads a path or a list of paths, and opens the files.
  bool Open() {
    const Yaml files = *FindKey(value_, format_->name);
    files_location_ = files.location();
    const std::string what = StrCat("'", format_->name, "'");
    const bool is_list = files.is_sequence();
    for (size_t i = 0; i < (is_list ? files.size() : 1); ++i) {
      const std::optional<std::string> text = reader_.Text(is_list ? files.item(i) : files, what);
      if (!text) return false;
      if (about_paths_.empty()) about_paths_ = AboutPath(*text);
      spec_.config.files.push_back(InputPath(directory_, *text));
    }
    if (spec_.config.files.empty()) return Fail(files_location_, " has no files"), false;
    Result<std::unique_ptr<SampleSource>> source = format_->open(spec_.config);
    if (!source.ok()) return FailWith(files_location_, source.status());
    source_ = *std::move(source);
    spec_.config.files = source_->files();
    return true;
  }

  bool ReadTensors() {
    const std::optional<Yaml> tensors = FindKey(value_, "tensors");
    if (!tensors) {
      for (const auto& [name, from] : format_->default_fields) {
        if (!AddTensor(name, {from, DType::kInvalid, PartialShape(), {}}, files_location_)) return false;
      }
      if (spec_.tensors.empty()) return Fail(name_.location(), " lacks 'tensors': {name: what it is made of}"), false;
      return true;
    }
    if (!CheckMap(*tensors, "'tensors'", diagnostics_)) return false;
    for (size_t i = 0; i < tensors->size(); ++i) {
      if (!ReadTensor(tensors->key(i), tensors->value(i))) return false;
    }
    if (spec_.tensors.empty()) return Fail(tensors->location(), " has no tensors"), false;
    return true;
  }

  // Reads the source of a tensor, a text, or a mapping with it. The default source has the tensor's name.
  bool ReadTensor(const Yaml& name, const Yaml& value) {
    const std::string tensor(name.text());
    if (!IsValidNodeName(tensor)) return Fail(name.location(), " cannot name a tensor '", tensor, "'"), false;
    const std::string what = StrCat("'", tensor, "'");
    SampleField field;
    field.from = tensor;
    if (value.is_null()) return AddTensor(tensor, std::move(field), name.location());
    if (!value.is_map()) {
      const std::optional<std::string> from = reader_.Text(value, what);
      if (!from) return false;
      field.from = *from;
      return AddTensor(tensor, std::move(field), value.location());
    }
    const std::vector<KeyDef>& keys = FindKeyDef(CommonKeys(), "tensors")->keys;
    if (!CheckKeys(value, keys, StrCat("tensor ", what), diagnostics_)) return false;
    SourceLocation location = name.location();
    if (const std::optional<Yaml> from = FindKey(value, "from")) {
      const std::optional<std::string> text = reader_.Text(*from, "'from'");
      if (!text) return false;
      field.from = *text;
      location = from->location();
    }
    if (const std::optional<Yaml> fallback = FindKey(value, "default")) {
      field.fallback = reader_.Text(*fallback, "'default'");
      if (!field.fallback) return false;
    }
    return ReadDType(value, field) && ReadShape(value, field) && AddTensor(tensor, std::move(field), location);
  }

  bool ReadDType(const Yaml& value, SampleField& field) {
    const std::optional<Yaml> dtype = FindKey(value, "dtype");
    if (!dtype) return true;
    const std::optional<std::string> text = reader_.Text(*dtype, "'dtype'");
    if (!text) return false;
    field.dtype = ToDType(*text, dtype->location(), diagnostics_).value_or(DType::kInvalid);
    return field.dtype != DType::kInvalid;
  }

  bool ReadShape(const Yaml& value, SampleField& field) {
    const std::optional<Yaml> shape = FindKey(value, "shape");
    if (!shape) return true;
    if (!shape->is_sequence()) {
      diagnostics_.Error(shape->location(), "'shape' must be a list of sizes, not ", shape->Describe());
      return false;
    }
    field.shape = PartialShape::Scalar();
    for (size_t i = 0; i < shape->size(); ++i) {
      const std::optional<int64_t> size = reader_.Int(shape->item(i), "a size (-1: the longest of a batch)", -1);
      if (!size) return false;
      field.shape.Append(*size);
    }
    return true;
  }

  bool AddTensor(const std::string& name, SampleField field, SourceLocation location) {
    if (const Status status = source_->AddField(field); !status.ok()) return FailWith(location, status);
    spec_.tensors.push_back({name, std::move(field), {}, location});
    return true;
  }

  bool Count() {
    if (const Status status = CountSamples(*source_, spec_); !status.ok()) return FailWith(files_location_, status);
    if (spec_.num_samples > 0) return true;
    const char* const which = spec_.record_index.skipped > 0 ? "has no samples without errors" : "has no samples";
    return FailWith(files_location_, NoInput(which));
  }

  bool ReadOrder() { return ReadWith() && (spec_.follows() || (ReadBatch() && ReadSplit() && ReadShuffle())); }

  // Reads `with`, the name of an input or none. The input that is followed has the batch and the order of both.
  bool ReadWith() {
    const std::optional<Yaml> with = FindKey(value_, "with");
    if (!with) return true;
    const std::optional<std::string> text = reader_.Text(*with, "'with' (the name of an input, or none)");
    if (!text) return false;
    spec_.with = *text;
    spec_.with_location = with->location();
    for (const char* key : {"batch", "split", "shuffle"}) {
      const std::optional<Yaml> own = FindKey(value_, key);
      if (!own || !spec_.follows()) continue;
      return Fail(own->location(), " goes with '", *text, "', whose '", key, "' it has: leave out its own"), false;
    }
    return true;
  }

  // Reads `split`: whether replicas split `batch: all`.
  bool ReadSplit() {
    const std::optional<Yaml> split = FindKey(value_, "split");
    if (!split) return true;
    if (!spec_.all) {
      return Fail(split->location(), " has 'split', which is about 'batch: all': other batches are always cut"), false;
    }
    spec_.split = reader_.Bool(*split, "'split'");
    return spec_.split.has_value();
  }

  bool ReadBatch() {
    const std::optional<Yaml> batch = FindKey(value_, "batch");
    if (!batch) return Fail(name_.location(), " lacks 'batch', a number of samples or 'all'"), false;
    spec_.batch_location = batch->location();
    spec_.all = reader_.Is(*batch, "all");
    if (spec_.all) {
      spec_.batch = spec_.num_samples;
      return true;
    }
    const std::optional<int64_t> number = reader_.Int(*batch, "'batch' (a number of samples, or 'all')", 1);
    if (!number) return false;
    if (*number > spec_.num_samples)
      return Fail(batch->location(), " has ", spec_.num_samples, " samples, fewer than a batch of ", *number), false;
    spec_.batch = *number;
    return true;
  }

  // Reads `shuffle`, a bool or the size of the buffer.
  bool ReadShuffle() {
    const std::optional<Yaml> shuffle = FindKey(value_, "shuffle");
    if (!shuffle) return true;
    const std::string what = "'shuffle' (true, false or a number of samples)";
    const std::optional<std::string> text = reader_.Text(*shuffle, what);
    if (!text) return false;
    const std::optional<bool> is_on = ParseBool(*text);
    spec_.shuffle = is_on.value_or(true);
    if (is_on) return true;
    const std::optional<int64_t> buffer = reader_.Int(*shuffle, what, 1);
    spec_.shuffle_buffer = buffer.value_or(0);
    return buffer.has_value();
  }

  bool ReadCount(const char* key, int64_t most, int64_t least, int64_t& count) {
    const std::optional<Yaml> value = FindKey(value_, key);
    if (!value) return true;
    const std::optional<int64_t> number = reader_.Int(*value, StrCat("'", key, "'"), least);
    if (!number) return false;
    if (*number > most) return Fail(value->location(), " has '", key, "' ", *number, ", more than ", most), false;
    count = *number;
    return true;
  }

  const Yaml& name_;
  const Yaml& value_;
  const std::string& directory_;
  ValueReader& reader_;
  Diagnostics& diagnostics_;
  const SampleFormat* format_ = nullptr;
  std::unique_ptr<SampleSource> source_;
  SourceLocation files_location_;
  std::string about_paths_;  // hint about the first path that no file can have
  InputSpec spec_;
};

SPEC_SECTION(SectionDef{.key = {.name = "inputs", .kind = KeyKind::kInputs, .keys = CommonKeys()}, .order = 70});

}  // namespace

std::vector<InputSpec> ReadInputs(const Yaml& section, const std::string& directory, int64_t seed, ValueReader& reader,
                                  Lowering& lowering) {
  std::vector<InputSpec> inputs;
  std::vector<std::string> unread;
  if (!CheckMap(section, "the section 'inputs'", reader.diagnostics())) return inputs;
  for (size_t i = 0; i < section.size(); ++i) {
    const Yaml name = section.key(i);
    const Yaml value = section.value(i);
    std::optional<InputSpec> input = InputReader(name, value, directory, reader).Read();
    if (!input) unread.emplace_back(name.text());
    if (input) inputs.push_back(*std::move(input));
  }
  TieInputs(inputs, unread, reader.diagnostics());
  AddNodesOfInputs(inputs, seed, lowering);
  return inputs;
}

bool IsPosition(NodeId variable, const SectionContext& context) {
  return std::any_of(context.inputs.begin(), context.inputs.end(),
                     [&](const InputSpec& input) { return input.position == variable; });
}

std::vector<std::string> NamesOfVariables(const SectionContext& context) {
  std::vector<std::string> names;
  for (const VariableSpec& variable : context.lowering.variables()) {
    if (!IsPosition(variable.node, context)) names.push_back(context.graph.node(variable.node).name);
  }
  return names;
}

void AddNodesOfInputs(std::vector<InputSpec>& inputs, int64_t seed, Lowering& lowering) {
  // The position of an input is there before the readers that share it.
  std::vector<bool> has_nodes;
  for (InputSpec& input : inputs) has_nodes.push_back(!input.follows() && AddInputNodes(input, inputs, seed, lowering));
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].follows()) has_nodes[i] = AddInputNodes(inputs[i], inputs, seed, lowering);
  }
  std::vector<InputSpec> good;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (has_nodes[i]) good.push_back(std::move(inputs[i]));
  }
  inputs = std::move(good);
}

}  // namespace dfrun
