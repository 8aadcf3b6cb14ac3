#include "src/spec/yaml/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <iterator>
#include <streambuf>
#include <unordered_map>
#include <unordered_set>

#include "src/base/characters.h"

namespace dfrun {
namespace {

// A stream buffer over text that is not copied.
class TextBuffer : public std::streambuf {
 public:
  explicit TextBuffer(std::string& text) { setg(text.data(), text.data(), text.data() + text.size()); }
};

// A message of yaml-cpp, and the mistake that is mostly behind it.
struct YamlAdvice {
  std::string_view reason;
  std::string_view advice;
};
constexpr YamlAdvice kAdvice[] = {
    {"illegal map value",
     "a key is expected here, with no ':' before it on the line: check the indentation, and quote texts that hold ': "
     "'"},
    {"illegal map key", "no key can stand here: check the indentation"},
    {"illegal block entry", "no '- ' of a list can stand here: check the indentation"},
    {"end of map not found",
     "this belongs to no mapping above it: check its indentation, and the quotes and brackets before it"},
    {"end of sequence not found",
     "this belongs to no list above it: check its indentation, and the quotes and brackets before it"},
    {"end of map flow not found", "a '{' before this is not closed, or a ',' is missing"},
    {"end of sequence flow not found", "a '[' before this is not closed, or a ',' is missing"},
    {"illegal flow end", "this closes no '[' or '{'"},
    {"illegal EOF in scalar", "a quoted text before this is never closed"},
    {"unknown token", "no value begins so: quote it"},
    {"the referenced anchor is not defined", "no '&' above gives a value this name"},
    {"alias not found after *", "'*' begins the name of a value that '&' marks above"},
    {"illegal character found while scanning alias", "'*' begins the name of a value that '&' marks above"},
    {"unknown escape character", "within \"...\" a backslash begins an escape; within '...' it is itself"},
};

std::string Explain(const std::string& reason, bool may_quote) {
  for (const YamlAdvice& known : kAdvice) {
    if (!reason.starts_with(known.reason)) continue;
    return StrCat("YAML: ", may_quote ? std::string_view(reason) : known.reason, "; ", known.advice);
  }
  return may_quote ? StrCat("YAML: ", reason) : "this is no YAML";
}

// A text that was meant to begin with a star: "; a text that begins with '*' is quoted: \"*/W\"". It is the first of
// the line that is not quoted and comes no earlier than what ends at `end`; "" where there is none.
std::string AboutStar(const std::string& reason, std::string_view line, size_t at) {
  const bool is_of_alias =
      reason.find("alias") != std::string::npos || reason.find("anchor is not") != std::string::npos;
  if (!is_of_alias) return "";
  size_t star = line.substr(0, std::min(at + 1, line.size())).rfind('*');
  while (star != std::string_view::npos && star > 0 && std::string_view(" \t[{,:").find(line[star - 1]) == line.npos)
    star = line.substr(0, star).rfind('*');
  if (star == std::string_view::npos) return "";
  std::string_view text = line.substr(star);
  text = text.substr(0, text.find_first_of(" \t,]}\r"));
  return StrCat("; a text that begins with '*' is quoted: \"", text, "\"");
}

// Guesses the cause of an error from its line; "" where nothing is odd.
std::string AboutLine(std::string_view line) {
  const std::string strange = FindLookAlike(line);
  if (!strange.empty()) return StrCat("; the line holds ", strange);
  const size_t param = line.find("${");
  const bool is_in_flow = param != std::string_view::npos && line.substr(0, param).find_first_of("{[") != line.npos;
  return is_in_flow ? "; within {} and [] a param is in quotes: \"${name}\"" : "";
}

}  // namespace

// Turns parser events into nodes. It ignores events after the first error.
class YamlTreeBuilder final : public YAML::EventHandler {
 public:
  YamlTreeBuilder(YamlDocument& document, Diagnostics& diagnostics, bool may_quote)
      : doc_(document), diagnostics_(diagnostics), may_quote_(may_quote) {}

  bool failed() const { return failed_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) Fail(mark, "a second document begins here; a spec is one document");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (failed_) return;
    Close(Open(Yaml::Kind::kNull, mark), anchor, {1, 1});
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (failed_) return;
    auto it = anchors_.find(anchor);
    if (it == anchors_.end()) return Fail(mark, "an alias stands inside the value that it names");
    Attach(it->second, extents_[it->second], mark);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (failed_ || !CheckTag(mark, tag)) return;
    const uint32_t id = Open(Yaml::Kind::kScalar, mark);
    SetText(id, mark, value);
    if (failed_) return;
    Close(id, anchor, {1, 1});
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Begin(Yaml::Kind::kSequence, mark, tag, anchor);
  }
  void OnSequenceEnd() override { End(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Begin(Yaml::Kind::kMap, mark, tag, anchor);
  }
  void OnMapEnd() override { End(); }

  // Reports yaml-cpp's error, unless the reason is a tab that looks like spaces.
  void FailToParse(YAML::Mark mark, const std::string& reason) {
    const std::string_view source = doc_.source_;
    const auto at = static_cast<size_t>(std::max(mark.pos, 0));
    const size_t line = source.substr(0, at).rfind('\n') + 1;
    const std::string_view indent = source.substr(line, source.find_first_not_of(" \t", line) - line);
    const size_t tab = indent.find('\t');
    if (tab == std::string_view::npos) {
      const std::string_view whole = source.substr(line, source.find('\n', line) - line);
      const std::string star = may_quote_ ? AboutStar(reason, whole, at - line) : "";
      return Fail(mark, StrCat(Explain(reason, may_quote_), star, AboutLine(whole)));
    }
    mark.column = static_cast<int>(tab);
    Fail(mark, "YAML: lines are indented by spaces, not by tabs");
  }

  void Fail(const YAML::Mark& mark, std::string_view message) {
    if (!failed_) diagnostics_.Error(Location(mark), message);
    failed_ = true;
  }

 private:
  // The size of a value with its aliases written out.
  struct Extent {
    int64_t nodes = 1;
    int height = 1;
  };
  struct OpenCollection {
    uint32_t id;
    YAML::anchor_t anchor;
    Extent extent;
    std::vector<uint32_t> children;
  };

  std::string Quoted(std::string_view text) const { return may_quote_ ? StrCat(" '", text, "'") : std::string(); }

  SourceLocation Location(const YAML::Mark& mark) const { return {doc_.file_, mark.line + 1, mark.column + 1}; }

  // Plain scalars and collections have the tag "?" or none, quoted scalars "!".
  bool CheckTag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return true;
    Fail(mark, StrCat("the tag", Quoted(tag), "; a spec has no tags"));
    return false;
  }

  uint32_t Open(Yaml::Kind kind, const YAML::Mark& mark) {
    YamlDocument::Node node;
    node.kind = kind;
    node.file = doc_.file_;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    doc_.nodes_.push_back(node);
    extents_.emplace_back();
    return static_cast<uint32_t>(doc_.nodes_.size()) - 1;
  }

  void SetText(uint32_t id, const YAML::Mark& mark, const std::string& value) {
    YamlDocument::Node& node = doc_.nodes_[id];
    const std::string_view source = doc_.source_;
    const size_t begin = std::min(static_cast<size_t>(mark.pos), source.size());
    size_t at = SkipAnchor(source, begin);
    const char quote = at < source.size() && (source[at] == '"' || source[at] == '\'') ? source[at] : '\0';
    if (quote != '\0') node.text_column = 1;
    at += node.text_column;
    node.verbatim = at == begin + node.text_column && source.substr(at, value.size()) == value &&
                    value.find('\n') == std::string::npos;
    if (node.verbatim) {
      node.text = source.substr(at, value.size());
      at += value.size();
    } else {
      node.text = doc_.copies_.emplace_back(value);
      TextRuns runs = FindTextRuns(source, begin, node.line, node.column, value);
      doc_.runs_.emplace(id, std::move(runs.runs));
      at = runs.end;
    }
    // yaml-cpp takes the end of the file as the end of a quoted text.
    if (quote != '\0' && source.find(quote, at) == std::string_view::npos)
      Fail(mark, "this quoted text is never closed");
  }

  void Begin(Yaml::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (failed_ || !CheckTag(mark, tag)) return;
    if (static_cast<int>(open_.size()) >= kMaxYamlDepth)
      return Fail(mark, StrCat("nested deeper than ", kMaxYamlDepth, " levels"));
    open_.push_back({Open(kind, mark), anchor, {1, 1}, {}});
  }

  void End() {
    if (failed_) return;
    OpenCollection done = std::move(open_.back());
    open_.pop_back();
    YamlDocument::Node& node = doc_.nodes_[done.id];
    node.begin = static_cast<uint32_t>(doc_.children_.size());
    node.size = static_cast<uint32_t>(done.children.size());
    doc_.children_.insert(doc_.children_.end(), done.children.begin(), done.children.end());
    if (node.kind == Yaml::Kind::kMap && !CheckKeys(done.id)) return;
    Close(done.id, done.anchor, done.extent);
  }

  void Close(uint32_t id, YAML::anchor_t anchor, Extent extent) {
    extents_[id] = extent;
    if (anchor != YAML::NullAnchor) anchors_[anchor] = id;
    const YamlDocument::Node& node = doc_.nodes_[id];
    YAML::Mark mark;
    mark.line = node.line - 1;
    mark.column = node.column - 1;
    Attach(id, extent, mark);
  }

  // Makes `id` the next child of the innermost open collection, or the root.
  void Attach(uint32_t id, Extent extent, const YAML::Mark& mark) {
    if (open_.empty()) {
      doc_.root_ = id;
      return;
    }
    OpenCollection& parent = open_.back();
    parent.children.push_back(id);
    parent.extent.nodes += extent.nodes;
    parent.extent.height = std::max(parent.extent.height, extent.height + 1);
    if (static_cast<int>(open_.size()) + extent.height > kMaxYamlDepth + 1)
      return Fail(mark, StrCat("nested deeper than ", kMaxYamlDepth, " levels, aliases written out"));
    if (parent.extent.nodes > kMaxYamlNodes)
      return Fail(mark, StrCat("more than ", kMaxYamlNodes, " values, aliases written out"));
  }

  // yaml-cpp gives a missing value the position of the next token; here it gets that of its key.
  static void LocateNothing(YamlDocument::Node& value, const YamlDocument::Node& key) {
    if (value.kind != Yaml::Kind::kNull || value.line == key.line) return;
    value.line = key.line;
    value.column = key.column;
  }

  bool CheckKeys(uint32_t map) {
    const YamlDocument::Node& node = doc_.nodes_[map];
    std::unordered_set<std::string_view> seen;
    seen.reserve(node.size / 2);
    for (uint32_t i = 0; i < node.size; i += 2) {
      const YamlDocument::Node& key = doc_.nodes_[doc_.children_[node.begin + i]];
      const SourceLocation location{doc_.file_, key.line, key.column};
      LocateNothing(doc_.nodes_[doc_.children_[node.begin + i + 1]], key);
      if (key.text == "<<" && key.text_column == 0) {
        diagnostics_.Error(location, "merge keys (<<) are no part of this language: write the keys out");
        failed_ = true;
      } else if (key.kind != Yaml::Kind::kScalar) {
        diagnostics_.Error(location, "a key must be a word");
        failed_ = true;
      } else if (!seen.insert(key.text).second) {
        diagnostics_.Error(location, "the key", Quoted(key.text), " is written twice in this mapping");
        failed_ = true;
      }
    }
    return !failed_;
  }

  YamlDocument& doc_;
  Diagnostics& diagnostics_;
  const bool may_quote_;
  bool failed_ = false;
  int documents_ = 0;
  std::vector<OpenCollection> open_;
  std::vector<Extent> extents_;                           // by node
  std::unordered_map<YAML::anchor_t, uint32_t> anchors_;  // anchors of finished values
};

std::unique_ptr<YamlDocument> YamlDocument::Parse(std::string text, int32_t file, Diagnostics& diagnostics,
                                                  bool may_quote) {
  auto document = std::make_unique<YamlDocument>();
  document->source_ = std::move(text);
  document->file_ = file;
  YamlTreeBuilder builder(*document, diagnostics, may_quote);
  TextBuffer buffer(document->source_);
  std::istream stream(&buffer);
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) {
      diagnostics.Error({file, 1, 1}, "the file is empty");
      return nullptr;
    }
    if (!builder.failed()) parser.HandleNextDocument(builder);
  } catch (const YAML::Exception& e) {
    builder.FailToParse(e.mark, e.msg);
  }
  return builder.failed() ? nullptr : std::move(document);
}

std::unique_ptr<YamlDocument> YamlDocument::OfText(std::string text, int32_t file) {
  auto document = std::make_unique<YamlDocument>();
  document->source_ = std::move(text);
  document->file_ = file;
  Node node;
  node.kind = Yaml::Kind::kScalar;
  node.verbatim = true;
  node.file = file;
  node.line = node.column = 1;
  node.text = document->source_;
  document->nodes_.push_back(node);
  return document;
}

void YamlDocument::Replace(std::span<const size_t> path, std::unique_ptr<YamlDocument> value) {
  const uint32_t id = Import(std::move(value));
  root_ = Edited(root_, path, [id](uint32_t) { return id; });
}

void YamlDocument::Add(std::span<const size_t> path, std::span<const std::string> keys,
                       std::unique_ptr<YamlDocument> value) {
  uint32_t id = Import(std::move(value));
  const Node at = nodes_[id];
  const auto entry = [&](const std::string& key) {
    Node name = at;
    name.kind = Yaml::Kind::kScalar;
    name.text = copies_.emplace_back(key);
    nodes_.push_back(name);
    return std::vector<uint32_t>{static_cast<uint32_t>(nodes_.size()) - 1, id};
  };
  for (size_t i = keys.size(); i-- > 1;) {
    const std::string& key = keys[i];
    Node map = at;
    map.kind = Yaml::Kind::kMap;
    map.text = {};
    id = AddCollection(map, entry(key));
  }
  root_ = Edited(root_, path, [&](uint32_t old) {
    std::vector<uint32_t> children = ChildrenOf(old);
    for (const uint32_t child : entry(keys[0])) children.push_back(child);
    Node map = nodes_[old];
    map.kind = Yaml::Kind::kMap;
    return AddCollection(map, children);
  });
}

void YamlDocument::Remove(std::span<const size_t> path) {
  const auto entry = static_cast<std::ptrdiff_t>(2 * path.back());
  root_ = Edited(root_, path.first(path.size() - 1), [&](uint32_t old) {
    std::vector<uint32_t> children = ChildrenOf(old);
    children.erase(children.begin() + entry, children.begin() + entry + 2);
    return AddCollection(nodes_[old], children);
  });
}

std::vector<uint32_t> YamlDocument::ChildrenOf(uint32_t id) const {
  const auto begin = children_.begin() + nodes_[id].begin;
  return {begin, begin + nodes_[id].size};
}

uint32_t YamlDocument::AddCollection(Node node, const std::vector<uint32_t>& children) {
  node.begin = static_cast<uint32_t>(children_.size());
  node.size = static_cast<uint32_t>(children.size());
  children_.insert(children_.end(), children.begin(), children.end());
  nodes_.push_back(node);
  return static_cast<uint32_t>(nodes_.size()) - 1;
}

uint32_t YamlDocument::Edited(uint32_t id, std::span<const size_t> path, const Edit& edit) {
  if (path.empty()) return edit(id);
  std::vector<uint32_t> children = ChildrenOf(id);
  uint32_t& child = children[nodes_[id].kind == Yaml::Kind::kMap ? 2 * path[0] + 1 : path[0]];
  child = Edited(child, path.subspan(1), edit);
  return AddCollection(nodes_[id], children);
}

uint32_t YamlDocument::Import(std::unique_ptr<YamlDocument> other) {
  const auto nodes = static_cast<uint32_t>(nodes_.size());
  const auto children = static_cast<uint32_t>(children_.size());
  for (Node node : other->nodes_) {
    node.begin += children;
    nodes_.push_back(node);
  }
  for (const uint32_t child : other->children_) children_.push_back(child + nodes);
  for (auto& [id, runs] : other->runs_) runs_.emplace(id + nodes, std::move(runs));
  const uint32_t root = other->root_ + nodes;
  imported_.push_back(std::move(other));
  return root;
}

Yaml::Kind Yaml::kind() const {
  return document_->nodes_[id_].kind;
}

SourceLocation Yaml::location() const {
  const YamlDocument::Node& node = document_->nodes_[id_];
  return {node.file, node.line, node.column};
}

std::string_view Yaml::text() const {
  return document_->nodes_[id_].text;
}

SourceLocation Yaml::LocationOf(size_t offset) const {
  const YamlDocument::Node& node = document_->nodes_[id_];
  if (const auto found = document_->runs_.find(id_); found != document_->runs_.end()) {
    const std::vector<TextRun>& runs = found->second;
    const auto after = std::upper_bound(runs.begin() + 1, runs.end(), offset,
                                        [](size_t at, const TextRun& run) { return at < run.begin; });
    const TextRun& run = *std::prev(after);
    return {node.file, run.line, run.column + static_cast<int32_t>(offset - run.begin)};
  }
  return {node.file, node.line, node.column + node.text_column + static_cast<int32_t>(offset)};
}

size_t Yaml::size() const {
  const YamlDocument::Node& node = document_->nodes_[id_];
  return node.kind == Kind::kMap ? node.size / 2 : node.size;
}

Yaml Yaml::item(size_t i) const {
  return {document_, document_->children_[document_->nodes_[id_].begin + i]};
}

Yaml Yaml::key(size_t i) const {
  return item(2 * i);
}

Yaml Yaml::value(size_t i) const {
  return item(2 * i + 1);
}

std::string Yaml::Describe() const {
  switch (kind()) {
    case Kind::kNull:
      return "nothing";
    case Kind::kScalar:
      return StrCat("'", text(), "'");
    case Kind::kSequence:
      return "a list";
    case Kind::kMap:
      return "a mapping";
  }
  return "";
}

}  // namespace dfrun
