// Reads a spec's file and those that it includes, and merges them.
#ifndef DFRUN_SRC_SPEC_DOCUMENT_H_
#define DFRUN_SRC_SPEC_DOCUMENT_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "src/spec/expr/params.h"
#include "src/spec/schema/function_def.h"
#include "src/spec/schema/overrides.h"

namespace dfrun {

inline constexpr size_t kMaxSpecFiles = 100;

struct SpecDocument {
  std::vector<std::unique_ptr<YamlDocument>> files;  // own the bytes that the members below point into
  std::vector<ParamEntry> params;                    // a file's own come before those of files that it includes
  FunctionMap functions;
  std::vector<GraphEntry> graph;
  std::map<std::string, GraphEntry, std::less<>> sections;  // the other sections, of the spec's own file

  std::set<std::string> overridden_params = {};

  // Returns null if the spec lacks the section.
  const Yaml* FindSection(std::string_view name) const;
  // The position of the key of an existing section.
  SourceLocation Location(std::string_view section) const { return sections.find(section)->second.name.location(); }
};

// The changes that the command line makes in a spec.
struct SpecChanges {
  std::vector<SpecOverride> overrides = {};
  std::optional<int64_t> steps = {};  // the length of the job
};

// Reads the spec's files, with the changes. kIo if the spec itself cannot be read. Other errors go to `diagnostics`,
// and the result is as complete as possible. An included file may have functions, params and graph, and is read once
// however often it is named. Blocks: on file reads.
Result<SpecDocument> ReadSpecDocument(const std::string& path, const SpecChanges& changes, Diagnostics& diagnostics);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_DOCUMENT_H_
