// A spec's file and those that it includes, read and merged.
#ifndef DFRUN_SRC_SPEC_DOCUMENT_H_
#define DFRUN_SRC_SPEC_DOCUMENT_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "src/spec/function_def.h"
#include "src/spec/params.h"

namespace dfrun {

inline constexpr size_t kMaxSpecFiles = 100;

struct SpecDocument {
  std::vector<std::unique_ptr<YamlDocument>> files;  // keep what the rest points into
  std::vector<ParamEntry> params;                    // of a file before those that it includes
  FunctionMap functions;
  std::vector<GraphEntry> graph;
  std::map<std::string, GraphEntry, std::less<>> sections;  // the others, of the job's own file

  // Null if the spec lacks the section.
  const Yaml* FindSection(std::string_view name) const;
  // Of the key of a section that is there.
  SourcePlace Place(std::string_view section) const { return sections.find(section)->second.name.place(); }
};

// kIo where the spec itself cannot be read; all else goes to `diagnostics`, with what could be read. An included file
// gives functions, params and graph; it is read once however often it is named. Blocks on file reads.
Result<SpecDocument> ReadSpecDocument(const std::string& path, Diagnostics& diagnostics);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_DOCUMENT_H_
