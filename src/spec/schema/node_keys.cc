#include "src/spec/schema/node_keys.h"

namespace dfrun {

const std::vector<KeyDef>& NodeKeys() {
  static const std::vector<KeyDef>& keys = *new std::vector<KeyDef>{
      {"op", KeyKind::kAny},        {"inputs", KeyKind::kExpressionList}, {"control", KeyKind::kNames},
      {"device", KeyKind::kText},   {"colocate_with", KeyKind::kText},    {"each", KeyKind::kInt},
      {"compress", KeyKind::kBool}, {"if", KeyKind::kExpression}};
  return keys;
}

const std::vector<KeyDef>& VariableKeys() {
  static const std::vector<KeyDef>& keys =
      *new std::vector<KeyDef>{{.name = "shape", .kind = KeyKind::kShape, .required = true},
                               {"init", KeyKind::kExpression},
                               {"dtype", KeyKind::kDType},
                               {"trainable", KeyKind::kBool},
                               {.name = "reduce", .kind = KeyKind::kChoice, .choices = {"mean", "sum", "first"}},
                               {"finite", KeyKind::kBool},
                               {"container", KeyKind::kText},
                               {"shared_name", KeyKind::kText}};
  return keys;
}

const std::vector<KeyDef>& CondKeys() {
  static const std::vector<KeyDef>& keys = *new std::vector<KeyDef>{
      {"pred", KeyKind::kExpression}, {"then", KeyKind::kExpression}, {"else", KeyKind::kExpression}};
  return keys;
}

const std::vector<KeyDef>& WhileKeys() {
  static const std::vector<KeyDef>& keys = *new std::vector<KeyDef>{{"vars", KeyKind::kExpressions},
                                                                    {"cond", KeyKind::kExpression},
                                                                    {"body", KeyKind::kReturns},
                                                                    {"max_iterations", KeyKind::kExpression},
                                                                    {"parallel_iterations", KeyKind::kInt},
                                                                    {"swap_memory", KeyKind::kBool}};
  return keys;
}

}  // namespace dfrun
