// Finds outputs by their names, and suggests a near name where there is none.
#include "src/base/text.h"
#include "src/graph/graph.h"

namespace dfrun {
namespace {

// The number of names that are compared one by one. In larger graphs near names are generated and looked up, at a cost
// that does not grow with the graph.
constexpr int kCompareAll = 1000;

constexpr std::string_view kNameChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/.-";

// Calls f with every name that is one letter more, less, or other than `name`, or has two letters swapped, until it
// returns true.
template <class F>
void ForEachNearName(const std::string& name, F&& f) {
  for (size_t i = 0; i <= name.size(); ++i) {
    std::string text = name;
    if (i + 1 < name.size()) {
      std::swap(text[i], text[i + 1]);
      if (f(text)) return;
      std::swap(text[i], text[i + 1]);
    }
    if (i < name.size()) {
      if (f(std::string(text).erase(i, 1))) return;
      for (char c : kNameChars) {
        text[i] = c;
        if (f(text)) return;
      }
      text[i] = name[i];
    }
    text.insert(i, 1, ' ');
    for (char c : kNameChars) {
      text[i] = c;
      if (f(text)) return;
    }
  }
}

}  // namespace

std::string Graph::Suggest(std::string_view name) const {
  constexpr size_t kMaxLength = 256;  // longer names are no typing errors
  if (name.size() > kMaxLength) return "";
  if (num_nodes() <= kCompareAll) {
    std::vector<std::string> names;
    for (const Node& n : nodes_) names.push_back(n.name);
    return Nearest(name, names);
  }
  std::string found;
  ForEachNearName(std::string(name), [&](const std::string& near) {
    if (!by_name_.contains(near)) return false;
    found = near;
    return true;
  });
  return found;
}

Result<Output> Graph::ParseOutput(std::string_view text) const {
  std::string_view name = text;
  int port = 0;
  if (const size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    name = text.substr(0, colon);
    port = ParseAs<int32_t>(text.substr(colon + 1)).value_or(-1);
    if (port < 0) {
      return InvalidArgument("'", text, "' is no output: it must be a node's name, or name:port with port 0 or more");
    }
  }
  const NodeId id = Find(name);
  if (id < 0) {
    const std::string near = Suggest(name);
    return NotFound("there is no node '", name, "'", near.empty() ? "" : StrCat(", did you mean '", near, "'?"));
  }
  if (port >= node(id).num_outputs()) {
    return NotFound("there is no output '", text, "': node '", name, "' (op ", node(id).op->name, ") has ",
                    node(id).num_outputs(), node(id).num_outputs() == 1 ? " output" : " outputs");
  }
  return Output{id, port};
}

}  // namespace dfrun
