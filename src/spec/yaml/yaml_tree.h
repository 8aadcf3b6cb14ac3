// A YAML document as a compact tree with the position of every key and value.
//
// These are refused, each with its position: tags, duplicate keys, keys that are not scalars, aliases that contain
// themselves, aliases that expand to more than kMaxYamlNodes, nesting beyond kMaxYamlDepth, a second document.
// Thread safety: const methods from any thread.
#ifndef DFRUN_SRC_SPEC_YAML_YAML_TREE_H_
#define DFRUN_SRC_SPEC_YAML_YAML_TREE_H_

#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/spec/yaml/diagnostics.h"
#include "src/spec/yaml/text_runs.h"

namespace dfrun {

inline constexpr int kMaxYamlDepth = 64;
inline constexpr int64_t kMaxYamlNodes = 4'000'000;  // with every alias written out

class YamlDocument;

// A view of one value of a document, valid as long as the document.
class Yaml {
 public:
  enum class Kind : uint8_t { kNull, kScalar, kSequence, kMap };

  Yaml(const YamlDocument* document, uint32_t id) : document_(document), id_(id) {}

  Kind kind() const;
  bool is_null() const { return kind() == Kind::kNull; }
  bool is_scalar() const { return kind() == Kind::kScalar; }
  bool is_sequence() const { return kind() == Kind::kSequence; }
  bool is_map() const { return kind() == Kind::kMap; }
  SourceLocation location() const;

  // The text of a scalar, and the position of its byte `offset`; the offset `size` is the end of the text.
  std::string_view text() const;
  SourceLocation LocationOf(size_t offset) const;

  // The items of a sequence, or the entries of a map.
  size_t size() const;
  Yaml item(size_t i) const;
  Yaml key(size_t i) const;
  Yaml value(size_t i) const;

  // A description for messages: "a list", "a mapping", "'text'", "nothing".
  std::string Describe() const;

 private:
  const YamlDocument* document_;
  uint32_t id_;
};

// A parsed document, which owns its text and nodes.
// Thread safety: const methods from any thread.
class YamlDocument {
 public:
  // Parses `text`, which has passed CheckSpecText(). Null after an error, which is then in `diagnostics`; the error
  // quotes the text only if that is allowed.
  static std::unique_ptr<YamlDocument> Parse(std::string text, int32_t file, Diagnostics& diagnostics,
                                             bool may_quote = true);

  // Makes a document of one text, which is as it stands.
  static std::unique_ptr<YamlDocument> OfText(std::string text, int32_t file);

  Yaml root() const { return {this, root_}; }

  // The following change one place; views of values elsewhere stay as they are, and so do other places that have the
  // same value by an alias. A `path` says which value of each mapping, and which item of each list, from the root on.
  // Gives the place the value of another document, which keeps its positions.
  void Replace(std::span<const size_t> path, std::unique_ptr<YamlDocument> value);
  // Adds to the mapping there the key keys[0]; several keys are mappings within each other. A null becomes a mapping.
  void Add(std::span<const size_t> path, std::span<const std::string> keys, std::unique_ptr<YamlDocument> value);
  // Removes the entry of a mapping.
  void Remove(std::span<const size_t> path);

 private:
  friend class Yaml;
  friend class YamlTreeBuilder;

  struct Node {
    Yaml::Kind kind = Yaml::Kind::kNull;
    bool verbatim = false;    // the text is in the file byte for byte
    uint8_t text_column = 0;  // if verbatim: the columns from the node to the text
    int32_t file = -1;
    int32_t line = 0;
    int32_t column = 0;
    uint32_t begin = 0;     // into children_
    uint32_t size = 0;      // number of children_; a map has two an entry
    std::string_view text;  // in source_ or copies_
  };

  using Edit = std::function<uint32_t(uint32_t id)>;
  // Returns a copy of the node `id` in which `edit` has replaced what is at `path`.
  uint32_t Edited(uint32_t id, std::span<const size_t> path, const Edit& edit);
  std::vector<uint32_t> ChildrenOf(uint32_t id) const;
  uint32_t AddCollection(Node node, const std::vector<uint32_t>& children);
  // Takes over the nodes of a document; the id of its root here.
  uint32_t Import(std::unique_ptr<YamlDocument> other);

  std::string source_;
  int32_t file_ = -1;
  std::vector<std::unique_ptr<YamlDocument>> imported_;      // own texts of nodes
  std::deque<std::string> copies_;                           // texts that are not verbatim
  std::unordered_map<uint32_t, std::vector<TextRun>> runs_;  // runs of those texts, by node
  std::vector<Node> nodes_;
  std::vector<uint32_t> children_;
  uint32_t root_ = 0;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_YAML_YAML_TREE_H_
