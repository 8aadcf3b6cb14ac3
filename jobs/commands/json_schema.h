// Builders of the parts of a JSON Schema, as JSON text.
#ifndef DFRUN_JOBS_COMMANDS_JSON_SCHEMA_H_
#define DFRUN_JOBS_COMMANDS_JSON_SCHEMA_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dfrun::jobs::schema {

using Member = std::pair<std::string, std::string>;  // key, and the JSON text of its value

std::string Object(const std::vector<Member>& members);
std::string Array(const std::vector<std::string>& values);
std::string Strings(const std::vector<std::string>& texts);

// Returns {"$ref": "#/definitions/name"}.
std::string Ref(std::string_view definition);
// Returns {"type": ["a", "b"]}.
std::string Types(const std::vector<std::string>& types);
std::string AnyOf(const std::vector<std::string>& schemas);
std::string ListOf(const std::string& element);
// Accepts one of these words, or a text with ${param}.
std::string Choice(const std::vector<std::string>& words);
// Accepts a mapping of these keys and no others.
std::string Mapping(const std::vector<Member>& keys, const std::vector<std::string>& required = {});
// Accepts a mapping of any keys to values of one kind.
std::string MappingOf(const std::string& value);

}  // namespace dfrun::jobs::schema

#endif  // DFRUN_JOBS_COMMANDS_JSON_SCHEMA_H_
