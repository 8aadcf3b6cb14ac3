#include "src/costs/node_key.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "src/base/fnv.h"
#include "src/base/hexadecimal.h"

namespace dfrun {
namespace {

// Attrs that neither choose a kernel nor change its work.
constexpr std::string_view kNamingAttrs[] = {"seed", "seed2", "container", "shared_name"};
// Attrs of the system that choose kernels (src/framework/op/arithmetic.h).
constexpr std::string_view kKernelAttrs[] = {"_deterministic", "_precision"};

bool Matters(std::string_view attr) {
  const auto is_in = [&](const auto& names) {
    return std::find(std::begin(names), std::end(names), attr) != std::end(names);
  };
  return attr.substr(0, 1) == "_" ? is_in(kKernelAttrs) : !is_in(kNamingAttrs);
}

std::string ValueText(DType dtype, const PartialShape& shape) {
  return StrCat(" ", DTypeName(dtype), shape.ToString());
}

std::string AttrText(const AttrValue& value) {
  const Tensor* tensor = value.get<Tensor>();
  if (tensor == nullptr) return value.ToString();
  return StrCat("tensor", ValueText(tensor->dtype(), PartialShape(tensor->shape())));
}

}  // namespace

std::string NodeKeyText(const Graph& graph, const Node& node, std::string_view device_type, int threads) {
  std::string text = node.op->name;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const Output input = node.inputs[i];
    text += ValueText(node.input_types[i].dtype, input.valid() ? graph.shape(input) : PartialShape());
  }
  text += " ->";
  for (size_t i = 0; i < node.output_types.size(); ++i) {
    text += ValueText(node.output_types[i].dtype, node.output_shapes[i]);
  }
  text += " {";
  const char* between = "";
  for (const auto& [name, value] : node.attrs) {
    if (!Matters(name)) continue;
    text += StrCat(between, name, "=", AttrText(value));
    between = ", ";
  }
  return StrCat(text, "} ", device_type, " ", threads);
}

std::string NodeKey(const Graph& graph, const Node& node, std::string_view device_type, int threads) {
  Fnv1a hash;
  hash.Add(NodeKeyText(graph, node, device_type, threads));
  return Hexadecimal(hash.value(), kNodeKeyDigits);
}

}  // namespace dfrun
