#include "src/checkpoint/tensorflow/object_graph.h"

#include <algorithm>
#include <map>
#include <utility>

#include "src/checkpoint/tensorflow/bundle.pb.h"

namespace dfrun {
namespace {

using tensorflow_bundle::ObjectGraph;

class Builder {
 public:
  Builder() { graph_.add_nodes(); }

  void AddVariable(const std::string& name) {
    int node = 0;
    for (size_t at = 0; at <= name.size();) {
      const size_t end = std::min(name.find('/', at), name.size());
      node = ChildOf(node, name.substr(at, end - at));
      at = end + 1;
    }
    if (children_.emplace(std::pair(0, name), node).second) AddChild(0, name, node);
    ObjectGraph::Attribute* const attribute = graph_.mutable_nodes(node)->add_attributes();
    attribute->set_name("VARIABLE_VALUE");
    attribute->set_full_name(name);
    attribute->set_checkpoint_key(name);
  }

  std::string Serialize() const { return graph_.SerializeAsString(); }

 private:
  int ChildOf(int parent, const std::string& name) {
    const auto [child, is_new] = children_.emplace(std::pair(parent, name), graph_.nodes_size());
    if (is_new) {
      graph_.add_nodes();
      AddChild(parent, name, child->second);
    }
    return child->second;
  }

  void AddChild(int parent, const std::string& name, int node) {
    ObjectGraph::Child* const child = graph_.mutable_nodes(parent)->add_children();
    child->set_node_id(node);
    child->set_local_name(name);
  }

  ObjectGraph graph_;
  std::map<std::pair<int, std::string>, int> children_;
};

}  // namespace

std::string ObjectGraphOf(const std::vector<std::string>& variables) {
  Builder builder;
  for (const std::string& name : variables) builder.AddVariable(name);
  return builder.Serialize();
}

}  // namespace dfrun
