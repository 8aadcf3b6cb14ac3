// Texts as they are written in YAML.
#ifndef DFRUN_SRC_SPEC_YAML_YAML_TEXT_H_
#define DFRUN_SRC_SPEC_YAML_YAML_TEXT_H_

#include <string>
#include <string_view>

namespace dfrun {

// The place where a text stands decides which characters end it: as the value of a line, within [] or {}, as a key.
enum class YamlPlace { kBlock, kFlow, kKey };

// Writes a text of valid UTF-8 on one line, without quotes where it reads back as it is. The parser of yaml_tree.h
// reads the result as a scalar of the same bytes.
std::string YamlText(std::string_view text, YamlPlace place);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_YAML_YAML_TEXT_H_
