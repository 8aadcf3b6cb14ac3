#include "jobs/commands/json_schema.h"

#include "jobs/json.h"
#include "src/base/status.h"
#include "src/base/text.h"

namespace dfrun::jobs::schema {

std::string Object(const std::vector<Member>& members) {
  return "{" + Join(members, ", ", [](const Member& m) { return JsonString(m.first) + ": " + m.second; }) + "}";
}

std::string Array(const std::vector<std::string>& values) {
  return "[" + Join(values) + "]";
}

std::string Strings(const std::vector<std::string>& texts) {
  std::vector<std::string> values;
  values.reserve(texts.size());
  for (const std::string& text : texts) values.push_back(JsonString(text));
  return Array(values);
}

std::string Ref(std::string_view definition) {
  return Object({{"$ref", JsonString(StrCat("#/definitions/", definition))}});
}

std::string Types(const std::vector<std::string>& types) {
  return Object({{"type", Strings(types)}});
}

std::string AnyOf(const std::vector<std::string>& schemas) {
  return Object({{"anyOf", Array(schemas)}});
}

std::string ListOf(const std::string& element) {
  return Object({{"type", "\"array\""}, {"items", element}});
}

std::string Choice(const std::vector<std::string>& words) {
  return AnyOf({Object({{"enum", Strings(words)}}), Ref("param")});
}

std::string Mapping(const std::vector<Member>& keys, const std::vector<std::string>& required) {
  std::vector<Member> members = {
      {"type", "\"object\""}, {"properties", Object(keys)}, {"additionalProperties", "false"}};
  if (!required.empty()) members.emplace_back("required", Strings(required));
  return Object(members);
}

std::string MappingOf(const std::string& value) {
  return Object({{"type", "\"object\""}, {"additionalProperties", value}});
}

}  // namespace dfrun::jobs::schema
