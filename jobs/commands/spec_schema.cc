#include "jobs/commands/spec_schema.h"

#include "jobs/commands/json_schema.h"
#include "jobs/json.h"
#include "src/framework/op/op.h"
#include "src/spec/call_target.h"
#include "src/spec/schema/alternatives.h"
#include "src/spec/schema/node_keys.h"
#include "src/spec/schema/section_def.h"
#include "src/storage/sample_source.h"

namespace dfrun::jobs {
namespace {

using schema::AnyOf;
using schema::Array;
using schema::Choice;
using schema::ListOf;
using schema::Mapping;
using schema::MappingOf;
using schema::Member;
using schema::Object;
using schema::Ref;
using schema::Strings;
using schema::Types;

// A number may be a sum or a product in text, and every value may be a param.
std::string IntSchema() {
  return Types({"integer", "string"});
}
std::string FloatSchema() {
  return Types({"number", "string"});
}
std::string BoolSchema() {
  return Types({"boolean", "string"});
}

std::string ElementSchema(const AttrDef& attr, std::string_view type) {
  if (type == "int") return IntSchema();
  if (type == "float") return FloatSchema();
  if (type == "bool") return BoolSchema();
  if (type == "type") return Ref("dtype");
  if (type == "shape") return Ref("shape");
  if (type == "string")
    return attr.allowed_strings.empty() ? Types({"string", "number"}) : Choice(attr.allowed_strings);
  return "true";  // "true" for a tensor or a function, which is an expression
}

std::string AttrSchema(const AttrDef& attr) {
  if (attr.type.compare(0, 5, "list(") != 0) return ElementSchema(attr, attr.type);
  return AnyOf({ListOf(ElementSchema(attr, attr.type.substr(5, attr.type.size() - 6))), Types({"string"})});
}

std::string KeySchema(const KeyDef& key);

void AddKeys(const std::vector<KeyDef>& keys, std::vector<Member>& members) {
  for (const KeyDef& key : keys) members.emplace_back(key.name, KeySchema(key));
}

void AddRequired(const std::vector<KeyDef>& keys, std::vector<std::string>& required) {
  for (const KeyDef& key : keys) {
    if (key.required) required.push_back(key.name);
  }
}

std::string KeysSchema(const std::vector<KeyDef>& keys) {
  const std::vector<KeyDef> all = WithAlternatives(keys);
  std::vector<Member> members;
  std::vector<std::string> required;
  AddKeys(all, members);
  AddRequired(all, required);
  return Mapping(members, required);
}

std::string OptionSchema(const SampleOption& option) {
  if (option.kind == SampleOption::Kind::kInt || option.kind == SampleOption::Kind::kBytes) return IntSchema();
  if (option.kind == SampleOption::Kind::kBool) return BoolSchema();
  if (option.kind == SampleOption::Kind::kTexts) return Ref("names");
  return option.choices.empty() ? Types({"string"}) : Choice(option.choices);
}

// Returns the schema of an input; `common` are the keys of every format.
std::string InputSchema(const SampleFormat& format, const std::vector<KeyDef>& common) {
  std::vector<Member> keys = {{format.name, Ref("names")}};
  AddKeys(common, keys);
  std::vector<std::string> required = {format.name};
  AddRequired(common, required);
  if (format.default_fields.empty()) required.emplace_back("tensors");
  for (const SampleOption& option : format.options) {
    keys.emplace_back(option.name, OptionSchema(option));
    if (option.required) required.push_back(option.name);
  }
  return Mapping(keys, required);
}

std::string InputSchema(const std::vector<KeyDef>& common) {
  std::vector<std::string> formats;
  for (const SampleFormat* format : SampleFormats::List()) formats.push_back(InputSchema(*format, common));
  return AnyOf(formats);
}

std::string MetricSchema(const KeyDef& key) {
  return AnyOf({Types({"string"}), KeysSchema(key.keys)});
}

std::string KeySchema(const KeyDef& key) {
  switch (key.kind) {
    case KeyKind::kInt:
    case KeyKind::kBytes:
    case KeyKind::kDeviceCounts:
      return IntSchema();
    case KeyKind::kNumber:
    case KeyKind::kFraction:
    case KeyKind::kPositive:
    case KeyKind::kSeconds:
    case KeyKind::kShareOrBytes:
    case KeyKind::kDeviceMemory:
      return FloatSchema();
    case KeyKind::kBool:
      return BoolSchema();
    case KeyKind::kBoolOrInt:
      return Types({"boolean", "integer", "string"});
    case KeyKind::kText:
    case KeyKind::kPath:
      return Types({"string"});
    case KeyKind::kTextOrNumber:
      return Types({"string", "number"});
    case KeyKind::kChoice:
      return key.keys.empty() ? Choice(key.choices) : AnyOf({Choice(key.choices), KeysSchema(key.keys)});
    case KeyKind::kAlternative:
    case KeyKind::kAlternativeKeys:
      return Choice(key.alternatives().Names());
    case KeyKind::kDType:
      return Ref("dtype");
    case KeyKind::kVersion:
      return Object({{"const", "1"}});
    case KeyKind::kShape:
      return Ref("shape");
    case KeyKind::kAny:
      return "true";
    case KeyKind::kInts:
      return ListOf(IntSchema());
    case KeyKind::kNumbers:
      return ListOf(FloatSchema());
    case KeyKind::kTexts:
      return ListOf(Types({"string"}));
    case KeyKind::kNames:
      return Ref("names");
    case KeyKind::kFetches:
      return AnyOf({Ref("names"), MappingOf(Types({"string"}))});
    case KeyKind::kReturns:
      return AnyOf({Ref("expression"), MappingOf(Ref("expression"))});
    case KeyKind::kExpression:
      return Ref("expression");
    case KeyKind::kExpressionList:
      return ListOf(Ref("expression"));
    case KeyKind::kExpressions:
      return MappingOf(Ref("expression"));
    case KeyKind::kNodes:
      return Ref("graph");
    case KeyKind::kCounts:
      return MappingOf(IntSchema());
    case KeyKind::kAnyMapping:
      return Object({{"type", "\"object\""}});
    case KeyKind::kMapping:
      return KeysSchema(key.keys);
    case KeyKind::kNamedMappings:
      return MappingOf(KeysSchema(key.keys));
    case KeyKind::kEvaluations:
      return AnyOf({KeysSchema(key.keys), MappingOf(KeysSchema(key.keys))});
    case KeyKind::kMetric:
      return MetricSchema(key);
    case KeyKind::kMetrics:
      return AnyOf({ListOf(AnyOf({Types({"string"}), MappingOf(MetricSchema(key))})), MappingOf(MetricSchema(key)),
                    Types({"string"})});
    case KeyKind::kSchedule:
      return AnyOf({FloatSchema(), KeysSchema(key.keys)});
    case KeyKind::kTensors:
      return MappingOf(AnyOf({Types({"string", "number", "null"}), KeysSchema(key.keys)}));
    case KeyKind::kInputs:
      return MappingOf(InputSchema(key.keys));
  }
  return "true";
}

std::string OpSchema(const OpDef& op) {
  std::vector<Member> keys;
  AddKeys(NodeKeys(), keys);
  for (const AttrDef& attr : op.attrs) keys.emplace_back(attr.name, AttrSchema(attr));
  for (const ArgDef& input : op.inputs) {
    if (op.FindAttr(input.name) == nullptr) keys.emplace_back(input.name, Ref("expression"));
  }
  for (std::string_view spelling : FurtherSpellings()) {
    const Keyword found = FindKeyword(op, spelling);
    const bool exact =
        op.FindAttr(spelling) != nullptr || (found.input >= 0 && op.inputs[found.input].name == spelling);
    if (found.known() && !exact) keys.emplace_back(spelling, found.attr ? AttrSchema(*found.attr) : Ref("expression"));
  }
  return Object({{"description", JsonString(op.doc)}, {"properties", Object(keys)}, {"additionalProperties", "false"}});
}

// Returns the schema of a node for which the language has a form of its own.
std::string FormSchema(std::string_view doc, const std::vector<KeyDef>& own) {
  std::vector<Member> keys;
  AddKeys(NodeKeys(), keys);
  AddKeys(own, keys);
  std::vector<std::string> required;
  AddRequired(own, required);
  std::vector<Member> members = {{"description", JsonString(doc)}, {"properties", Object(keys)}};
  if (!required.empty()) members.emplace_back("required", Strings(required));
  members.emplace_back("additionalProperties", "false");
  return Object(members);
}

// Returns the condition "if it is the op `name`, then the definition holds".
std::string WhereOpIs(const std::string& name, const std::string& definition) {
  const std::string is = Object({{"properties", Object({{"op", Object({{"const", JsonString(name)}})}})}});
  return Object({{"if", is}, {"then", Ref(definition)}});
}

// Returns whether the language has a form of its own for the op.
bool HasFormOfItsOwn(std::string_view op) {
  const CallTarget target = FindCallTarget(op, {}, OpRegistry::Builtin());
  return target.form != CallTarget::Form::kNone;
}

struct OpParts {
  std::vector<Member> definitions;
  std::vector<std::string> conditions;
  std::vector<std::string> names;
};

OpParts AllOps() {
  OpParts parts;
  parts.names = {"Variable"};
  parts.definitions.emplace_back("op.Variable", FormSchema("A tensor that outlives steps.", VariableKeys()));
  for (const char* name : {"Variable", "VariableV2"}) parts.conditions.push_back(WhereOpIs(name, "op.Variable"));
  const std::pair<std::string, std::string> forms[] = {
      {"Cond", FormSchema("The values of the side that `pred` chooses; the other does not run.", CondKeys())},
      {"While", FormSchema("Variables that get new values for as long as `cond` holds.", WhileKeys())}};
  for (const auto& [name, schema] : forms) {
    parts.names.push_back(name);
    parts.definitions.emplace_back("op." + name, schema);
    parts.conditions.push_back(WhereOpIs(name, "op." + name));
  }
  for (const OpDef* op : OpRegistry::Builtin().List()) {
    if (op->name[0] == '_') continue;  // internal ops
    std::vector<std::string> names = op->aliases;
    names.push_back(op->name);
    const bool checked = !HasFormOfItsOwn(op->name);
    if (checked) parts.definitions.emplace_back("op." + op->name, OpSchema(*op));
    for (const std::string& name : names) {
      if (name != "Variable" && name != "While") parts.names.push_back(name);
      if (checked) parts.conditions.push_back(WhereOpIs(name, "op." + op->name));
    }
  }
  return parts;
}

std::string NodeMapping(const OpParts& ops) {
  const std::string op = AnyOf({Object({{"enum", Strings(ops.names)}}), Types({"string"})});
  return Object({{"type", "\"object\""},
                 {"properties", Object({{"op", op}})},
                 {"required", Strings({"op"})},
                 {"allOf", Array(ops.conditions)}});
}

std::string DTypes() {
  std::vector<std::string> names;
#define DF_ADD_NAME(name, number, type, text, dt) names.emplace_back(text);
  DF_FOR_EACH_DTYPE(DF_ADD_NAME)
#undef DF_ADD_NAME
  return AnyOf({Object({{"enum", Strings(names)}}), Types({"string"})});
}

std::string Definitions(const OpParts& ops) {
  std::vector<Member> members = {
      {"param", Object({{"type", "\"string\""}, {"pattern", JsonString("\\$\\{")}})},
      {"dtype", DTypes()},
      {"shape", AnyOf({ListOf(IntSchema()), Types({"string"})})},
      {"expression", Types({"string", "number", "boolean", "array"})},
      {"names", AnyOf({ListOf(Types({"string"})), Types({"string"})})},
      {"graph", MappingOf(AnyOf({Ref("expression"), Ref("node")}))},
      {"node", NodeMapping(ops)},
  };
  members.insert(members.end(), ops.definitions.begin(), ops.definitions.end());
  return Object(members);
}

std::vector<Member> SectionSchemas() {
  std::vector<Member> sections;
  for (const SectionDef* def : Sections::List()) sections.emplace_back(def->key.name, KeySchema(def->key));
  return sections;
}

}  // namespace

std::string SpecSchema() {
  return Object({{"$schema", JsonString("http://json-schema.org/draft-07/schema#")},
                 {"title", JsonString("A dfrun spec")},
                 {"type", "\"object\""},
                 {"properties", Object(SectionSchemas())},
                 {"additionalProperties", "false"},
                 {"definitions", Definitions(AllOps())}}) +
         "\n";
}

}  // namespace dfrun::jobs
