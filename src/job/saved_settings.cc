#include "src/job/saved_settings.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <type_traits>
#include <utility>

#include "src/base/crc32c.h"
#include "src/base/file.h"
#include "src/base/file_sample.h"
#include "src/base/file_version.h"
#include "src/base/text.h"
#include "src/graph/order/ancestors.h"
#include "src/job/rule_change.h"

namespace dfrun {
namespace {

constexpr const char* kGraph = "graph";
constexpr const char* kNone = "none";
constexpr const char* kFreeze = "train.freeze";
constexpr std::string_view kData = ".data";
constexpr std::string_view kFiles = ".files";

std::string TextOf(double value) {
  char text[64];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return std::string(text, end);
}

std::string TextOf(bool value) {
  return value ? "true" : "false";
}

std::string TextOf(int64_t value) {
  return std::to_string(value);
}

std::string TextOf(const ScheduleSpec& schedule) {
  using Kind = ScheduleSpec::Kind;
  const std::string warmup = schedule.warmup == 0 ? "" : StrCat(" after a warmup of ", schedule.warmup, " steps");
  const std::string initial = TextOf(schedule.initial);
  const auto print = [](double value) { return TextOf(value); };
  switch (schedule.kind) {
    case Kind::kConstant:
      return initial + warmup;
    case Kind::kPiecewise:
      return StrCat("piecewise(", Join(schedule.values, " ", print), " at ", Join(schedule.boundaries, " "), ")",
                    warmup);
    case Kind::kStep:
      return StrCat("step(", initial, " by ", TextOf(schedule.factor), " every ", schedule.steps, ")", warmup);
    case Kind::kExponential:
      return StrCat("exponential(", initial, " by ", TextOf(schedule.factor), " in ", schedule.steps, ")", warmup);
    case Kind::kCosine:
      return StrCat("cosine(", initial, " to ", TextOf(schedule.final), " in ", schedule.steps, ")", warmup);
  }
  return "";
}

std::string TextOf(WireCompression compression) {
  switch (compression) {
    case WireCompression::kNone:
      return kNone;
    case WireCompression::kHosts:
      return "hosts";
    case WireCompression::kRanks:
      return "ranks";
  }
  return kNone;
}

// "2 files of 300 bytes, crc32c 0a1b2c3d": of many files some tell, and of large ones some blocks and the time of their
// last change. Empty where one cannot be read.
std::string DataOf(const std::vector<std::string>& files) {
  constexpr size_t kMaxFiles = 16;
  constexpr uint64_t kMaxBlocks = 16;
  uint64_t bytes = 0;
  uint32_t digest = 0;
  const size_t chosen = std::min(files.size(), kMaxFiles);
  for (size_t i = 0; i < chosen; ++i) {
    const std::string& path = files[chosen == 1 ? 0 : i * (files.size() - 1) / (chosen - 1)];
    const Result<FileDescriptor> file = FileDescriptor::OpenForReading(path);
    const Result<FileVersion> version = file.ok() ? VersionOf(*file) : Result<FileVersion>(file.status());
    if (!version.ok()) return "";
    const Result<uint32_t> sample = DigestSample(*file, version->bytes, kMaxBlocks);
    if (!sample.ok()) return "";
    bytes += version->bytes;
    const bool is_whole = version->bytes <= kMaxBlocks * kSampleBlockBytes;
    const std::string told = StrCat(*sample, " ", version->bytes, " ", is_whole ? 0 : version->modified_ns);
    digest = ExtendCrc32c(digest, told.data(), told.size());
  }
  char text[9];
  std::snprintf(text, sizeof text, "%08x", digest);
  const std::string some = chosen == files.size() ? "" : StrCat(chosen, " of ");
  return StrCat(some, files.size(), files.size() == 1 ? " file" : " files", " of ", bytes, " bytes, crc32c ", text);
}

// One call of SettingsOf().
class Settings {
 public:
  explicit Settings(const LoadedSpec& spec) : spec_(spec) {}

  std::vector<SavedSetting> Take() {
    const JobSpec& job = spec_.job;
    Add("seed", TextOf(job.seed));
    Add("precision", job.arithmetic.tf32 ? "tf32" : "float32");
    Add("cluster.compress", TextOf(job.compression));
    for (const InputSpec& input : job.inputs) AddInput(input);
    if (job.train) AddTrain(*job.train);
    Add(kGraph, GraphDigest());
    settings_.push_back(KnownRules());
    return std::move(settings_);
  }

  std::vector<SavedSetting> TakeTrain() {
    if (spec_.job.train) AddTrain(*spec_.job.train);
    return std::move(settings_);
  }

  // Returns a digest of the nodes that a step computes, by the names that the spec gives. Batches, files and seeds are
  // settings of their own.
  std::string GraphDigest() const {
    AncestorWalk walk(spec_.graph);
    if (spec_.job.train) walk.Add(spec_.job.train->loss.node);
    if (spec_.job.train && spec_.job.train->loss_over.valid()) walk.Add(spec_.job.train->loss_over.node);
    if (spec_.job.run) {
      for (const FetchSpec& fetch : spec_.job.run->fetches) walk.Add(fetch.output.node);
      for (const FeedSpec& feed : spec_.job.run->feeds) walk.Add(feed.value.node);
      for (const NodeId target : spec_.job.run->targets) walk.Add(target);
    }
    std::vector<std::string> lines;
    while (const Node* node = walk.Next()) {
      if (!IsInput(node->id)) lines.push_back(LineOf(*node));
      walk.AddSources(*node);
    }
    std::sort(lines.begin(), lines.end());
    uint32_t digest = 0;
    for (const std::string& line : lines) digest = ExtendCrc32c(digest, line.data(), line.size());
    char text[9];
    std::snprintf(text, sizeof text, "%08x", digest);
    return text;
  }

 private:
  void Add(std::string name, std::string value) { settings_.push_back({std::move(name), std::move(value)}); }

  void AddInput(const InputSpec& input) {
    const std::string prefix = StrCat("inputs.", input.name, ".");
    Add(prefix + "batch", input.all ? "all" : TextOf(input.batch));
    Add(prefix + "split", TextOf(input.split.value_or(false)));
    Add(prefix + "with", input.follows() ? input.with : kNone);
    Add(prefix + "shuffle", TextOf(input.shuffle));
    Add(prefix + "shuffle_buffer", TextOf(input.shuffle_buffer));
    Add(prefix + "files", FilesOf(input));
    if (const std::string data = DataOf(input.config.files); !data.empty()) Add(prefix + "data", data);
  }

  // The input's files by their paths relative to the spec's folder, which may have been moved together with them.
  std::string FilesOf(const InputSpec& input) const {
    constexpr size_t kMaxNamed = 3;
    const std::filesystem::path folder = std::filesystem::path(spec_.job.path).parent_path();
    std::vector<std::string> names;
    for (const std::string& file : input.config.files) {
      if (names.size() == kMaxNamed) break;
      const std::string relative = std::filesystem::path(file).lexically_relative(folder).string();
      names.push_back(relative.empty() ? file : relative);
    }
    const size_t others = input.config.files.size() - names.size();
    return others == 0 ? Join(names) : StrCat(Join(names), " and ", others, " more");
  }

  void AddTrain(const TrainSpec& train) {
    Add("train.deterministic", TextOf(spec_.job.arithmetic.deterministic));
    const std::string over = train.loss_over.valid() ? " / " + OutputName(spec_.graph, train.loss_over) : "";
    Add("train.loss", OutputName(spec_.graph, train.loss) + over);
    Add("train.learning_rate", TextOf(train.learning_rate));
    Add("train.clip_norm", train.clip_norm ? TextOf(*train.clip_norm) : kNone);
    Add(kFreeze, train.freeze.empty() ? kNone : Join(train.freeze, " "));
    AddAlternative("optimizer", train.optimizer);
    AddAlternative("strategy", train.strategy);
  }

  void AddAlternative(const char* key, const Alternative& chosen) {
    Add(StrCat("train.", key), chosen.name());
    for (const auto& [name, value] : chosen.values()) {
      Add(StrCat("train.", name), std::visit([](const auto& typed) { return TextOf(typed); }, value));
    }
  }

  bool IsInput(NodeId id) const {
    return std::any_of(spec_.job.inputs.begin(), spec_.job.inputs.end(),
                       [&](const InputSpec& input) { return input.read == id || input.position == id; });
  }

  std::string LineOf(const Node& node) const {
    std::string line = StrCat(node.name, "=", node.op->name);
    for (const Output input : node.inputs) line += input.valid() ? StrCat(" ", OutputName(spec_.graph, input)) : " ?";
    for (const NodeId control : node.control_inputs) line += StrCat(" ^", spec_.graph.node(control).name);
    for (const auto& [name, value] : node.attrs) {
      const AttrDef* const def = node.op->FindAttr(name);
      // A newer program may know more attrs, with defaults that change nothing.
      const bool is_default = def != nullptr && def->default_value.ToString() == value.ToString();
      if (name == "seed" || name == "seed2" || name[0] == '_' || is_default) continue;
      line += StrCat(" ", name, "=", AttrText(value));
    }
    return line + "\n";
  }

  static std::string AttrText(const AttrValue& value) {
    const Tensor* const tensor = value.get<Tensor>();
    if (tensor == nullptr || !IsPlain(tensor->dtype())) return value.ToString();
    return StrCat(tensor->dtype(), tensor->shape(), Crc32c(tensor->raw(), tensor->num_bytes()));
  }

  const LoadedSpec& spec_;
  std::vector<SavedSetting> settings_;
};

const SavedSetting* FindSetting(const std::vector<SavedSetting>& settings, std::string_view name) {
  const auto found = std::find_if(settings.begin(), settings.end(), [&](const auto& s) { return s.name == name; });
  return found == settings.end() ? nullptr : &*found;
}

// Whether two paths may be those of one file, seen from two folders.
bool IsPathOf(std::string_view a, std::string_view b) {
  constexpr std::string_view kUp = "../";
  while (a.starts_with(kUp)) a.remove_prefix(kUp.size());
  while (b.starts_with(kUp)) b.remove_prefix(kUp.size());
  if (a.size() < b.size()) std::swap(a, b);
  return a == b || (a.ends_with(b) && a[a.size() - b.size() - 1] == '/');
}

// Whether two values of `inputs.NAME.files` may name the same files: those of a spec that has been moved, or that the
// run has kept. Their contents are a setting of their own.
bool AreSameFiles(std::string_view a, std::string_view b) {
  constexpr std::string_view kBetween = ", ";
  while (true) {
    const size_t end_a = a.find(kBetween);
    const size_t end_b = b.find(kBetween);
    if (!IsPathOf(a.substr(0, end_a), b.substr(0, end_b))) return false;
    if (end_a == std::string_view::npos || end_b == std::string_view::npos) return end_a == end_b;
    a.remove_prefix(end_a + kBetween.size());
    b.remove_prefix(end_b + kBetween.size());
  }
}

bool IsSame(const SavedSetting& saved, const SavedSetting& now) {
  if (saved.value == now.value) return true;
  return now.name.starts_with("inputs.") && now.name.ends_with(kFiles) && AreSameFiles(saved.value, now.value);
}

std::string Change(const SavedSetting& saved, const SavedSetting& now) {
  if (now.name.starts_with("inputs.") && now.name.ends_with(kData)) {
    return StrCat("the files of ", now.name.substr(0, now.name.size() - kData.size()), " have changed (", now.value,
                  ", and were ", saved.value, ")");
  }
  if (now.name == kGraph) return "the graph has other nodes, or other attrs";
  return StrCat(now.name, " is ", now.value, " and was ", saved.value);
}

}  // namespace

std::vector<SavedSetting> SettingsOf(const LoadedSpec& spec) {
  return Settings(spec).Take();
}

std::vector<SavedSetting> TrainSettingsOf(const LoadedSpec& spec) {
  constexpr size_t kPrefix = std::string_view("train.").size();
  std::vector<SavedSetting> settings = Settings(spec).TakeTrain();
  std::erase_if(settings, [](const SavedSetting& setting) { return setting.value == kNone; });
  for (SavedSetting& setting : settings) setting.name.erase(0, kPrefix);
  return settings;
}

std::vector<std::string> FrozenPatterns(const std::vector<SavedSetting>& settings) {
  const SavedSetting* const freeze = FindSetting(settings, kFreeze);
  if (freeze == nullptr || freeze->value == kNone) return {};
  std::vector<std::string> patterns;
  std::istringstream texts(freeze->value);
  for (std::string text; std::getline(texts, text, ' ');) patterns.push_back(text);
  return patterns;
}

std::string GraphDigest(const LoadedSpec& spec) {
  return Settings(spec).GraphDigest();
}

std::string DescribeChanges(const std::vector<SavedSetting>& saved, const std::vector<SavedSetting>& now) {
  std::vector<std::string> changes;
  for (const SavedSetting& setting : now) {
    if (setting.name == KnownRules().name) continue;  // DescribeRuleChanges() tells which of them matter
    const SavedSetting* const was = FindSetting(saved, setting.name);
    // Older programs froze nothing.
    const SavedSetting unfrozen{kFreeze, kNone};
    const SavedSetting* const before = was == nullptr && setting.name == kFreeze ? &unfrozen : was;
    if (before != nullptr && !IsSame(*before, setting)) changes.push_back(Change(*before, setting));
  }
  return Join(changes);
}

}  // namespace dfrun
