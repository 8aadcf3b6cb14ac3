#include "src/runs/spec_lines.h"

#include <algorithm>
#include <optional>

#include "src/base/status.h"

namespace dfrun {
namespace {

constexpr std::string_view kComment = "  # ";

// The text in double quotes without its escapes, those that YamlText() writes.
std::string WithoutEscapes(std::string_view quoted) {
  std::string out;
  for (size_t i = 0; i < quoted.size(); ++i) {
    if (quoted[i] != '\\' || i + 1 == quoted.size()) {
      out += quoted[i];
      continue;
    }
    const char c = quoted[++i];
    if (c == 'x' && i + 2 < quoted.size()) {
      const auto digit = [](char d) { return d >= 'a' ? d - 'a' + 10 : d - '0'; };
      out += static_cast<char>(digit(quoted[i + 1]) * 16 + digit(quoted[i + 2]));
      i += 2;
    } else {
      out += c == 'n' ? '\n' : c == 't' ? '\t' : c;
    }
  }
  return out;
}

std::string Unquoted(std::string_view text) {
  if (text.size() < 2 || text.front() != text.back()) return std::string(text);
  const std::string_view inner = text.substr(1, text.size() - 2);
  if (text.front() == '"') return WithoutEscapes(inner);
  if (text.front() != '\'') return std::string(text);
  std::string out;
  for (size_t i = 0; i < inner.size(); ++i) {
    out += inner[i];
    if (inner[i] == '\'') ++i;  // two quotes are one
  }
  return out;
}

// The end of the key that the line begins with, where its colon is.
size_t EndOfKey(std::string_view line) {
  const char quote = line[0];
  if (quote != '"' && quote != '\'') return line.find(':');
  for (size_t i = 1; i < line.size(); ++i) {
    if (quote == '"' && line[i] == '\\') {
      ++i;
    } else if (line[i] == quote) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

// Reads one line after another.
class SpecLineReader {
 public:
  // The line's key and value; nothing for a line of another form.
  std::optional<SpecLine> Read(std::string_view line) {
    const size_t indent = line.find_first_not_of(' ');
    const size_t comment = line.rfind(kComment);
    if (indent == std::string_view::npos || line[indent] == '#' || comment == std::string_view::npos) return {};
    const std::string_view about = line.substr(comment + kComment.size());
    std::string_view entry = line.substr(indent, comment > indent ? comment - indent : 0);
    while (!above_.empty() && above_.back().indent >= indent) above_.pop_back();
    const std::optional<std::string> key = TakeKey(entry);
    if (!key) return {};
    SpecLine read;
    read.path = above_.empty() ? *key : StrCat(above_.back().path, ".", *key);
    read.text = std::string(entry);
    const size_t comma = about.find(", ");
    read.origin = std::string(about.substr(0, comma));
    const bool has_params = entry.find("${") != std::string_view::npos;
    read.value = has_params && comma != std::string_view::npos ? std::string(about.substr(comma + 2)) : Unquoted(entry);
    above_.push_back({indent, read.path, 0});
    return read;
  }

 private:
  struct Level {
    size_t indent = 0;
    std::string path;
    int64_t elements = 0;  // elements of a list, so far
  };

  // Takes the key, or the bar of an element, off `entry`, of which the value stays.
  std::optional<std::string> TakeKey(std::string_view& entry) {
    if (entry.empty()) return {};
    if (entry == "-" || entry.starts_with("- ")) {
      entry.remove_prefix(std::min<size_t>(2, entry.size()));
      return StrCat(above_.empty() ? 0 : above_.back().elements++);
    }
    const size_t colon = EndOfKey(entry);
    if (colon == std::string_view::npos || colon >= entry.size() || entry[colon] != ':') return {};
    std::string key = Unquoted(entry.substr(0, colon));
    entry.remove_prefix(std::min(colon + 2, entry.size()));
    return key;
  }

  std::vector<Level> above_;
};

// The key of a section that is a graph, at the beginning of a line.
bool BeginsGraph(std::string_view line) {
  return line.starts_with("graph:") || line.starts_with("functions:");
}

}  // namespace

std::vector<SpecLine> ReadSpecLines(std::string_view text, bool settings_only) {
  std::vector<SpecLine> lines;
  SpecLineReader reader;
  bool is_graph = false;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!line.empty() && line[0] != ' ') is_graph = settings_only && BeginsGraph(line);
    if (is_graph) continue;
    if (std::optional<SpecLine> read = reader.Read(line)) lines.push_back(*std::move(read));
  }
  return lines;
}

std::string_view ValueIn(const std::vector<SpecLine>& lines, std::string_view path) {
  const auto found = std::find_if(lines.begin(), lines.end(), [&](const SpecLine& line) { return line.path == path; });
  return found == lines.end() ? std::string_view() : found->value;
}

}  // namespace dfrun
