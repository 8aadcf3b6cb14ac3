// Text of GraphDefs with function libraries, for tests.
#ifndef DFRUN_TESTS_UNIT_PASSES_FUNCTIONS_LIBRARY_TEXT_H_
#define DFRUN_TESTS_UNIT_PASSES_FUNCTIONS_LIBRARY_TEXT_H_

#include <string>
#include <vector>

#include "src/base/status.h"

namespace dfrun::testing {

constexpr char kFloat[] = R"( attr { key: "T" value { type: DT_FLOAT } } )";

// A function of one float argument `x` and one result, the output of node `last`.
inline std::string Function(const std::string& name, const std::string& nodes, const std::string& result = "last:z:0",
                            const std::string& more = "") {
  return StrCat("function { signature { name: '", name,
                "' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } } ", nodes,
                " ret { key: 'y' value: '", result, "' } ", more, " } ");
}

inline std::string Library(const std::string& functions) {
  return StrCat("library { ", functions, "} ");
}

// A node of a function.
inline std::string Node(const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
                        const std::string& more = kFloat) {
  std::string text = StrCat("node_def { name: '", name, "' op: '", op, "' ");
  for (const std::string& input : inputs) text += StrCat("input: '", input, "' ");
  return text + more + "} ";
}

inline std::string FunctionAttr(const std::string& key, const std::string& function) {
  return StrCat("attr { key: '", key, "' value { func { name: '", function, "' } } } ");
}

// `count` floats as the value of an attr.
inline std::string FloatList(const std::string& key, int count = 1) {
  std::string types;
  for (int i = 0; i < count; ++i) types += "type: DT_FLOAT ";
  return StrCat("attr { key: '", key, "' value { list { ", types, "} } } ");
}

// A node of the graph that calls a function of one float argument and one float result.
inline std::string Call(const std::string& name, const std::string& function, const std::string& input,
                        const std::string& more = "") {
  return StrCat("node { name: '", name, "' op: 'PartitionedCall' input: '", input, "' ", FunctionAttr("f", function),
                FloatList("Tin"), FloatList("Tout"), more, " } ");
}

constexpr char kInput[] =
    "node { name: 'in' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } "
    "attr { key: 'shape' value { shape { dim { size: 3 } } } } } ";

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_PASSES_FUNCTIONS_LIBRARY_TEXT_H_
