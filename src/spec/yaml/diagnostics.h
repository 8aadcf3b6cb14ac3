// Collects the errors of a spec, so that one run of `dfrun check` shows as many as possible.
#ifndef DFRUN_SRC_SPEC_YAML_DIAGNOSTICS_H_
#define DFRUN_SRC_SPEC_YAML_DIAGNOSTICS_H_

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

// Thread safety: one thread.
class Diagnostics {
  struct Entry {
    SourceLocation location;
    std::string message;
    std::string called;  // the calls of the first that reported it
    bool is_of_call;     // other calls report it too
    Code code;
    bool operator<(const Entry& other) const;
  };

 public:
  static constexpr size_t kMaxErrors = 20;

  // Returns the index of a file, for SourceLocations in it.
  int32_t AddFile(std::string path);
  // Returns the index of a value that the command line gives, "--set train.steps=5": a file of one line.
  int32_t AddOption(std::string option);
  const std::vector<std::string>& files() const { return files_; }
  // Whether a file is a value of the command line.
  bool IsOption(int32_t file) const { return options_.contains(file); }
  // Whether a file belongs to the library of functions.
  bool IsLibrary(int32_t file) const { return library_files_.contains(file); }

  template <class... Args>
  void Error(SourceLocation location, const Args&... args) {
    Add(location, StrCat(args...));
  }
  // Reports an error that depends on the arguments of the call around it, so that each call reports its own.
  template <class... Args>
  void ErrorOfCall(SourceLocation location, const Args&... args) {
    Add(location, StrCat(args...), Code::kBadSpec, /*is_of_call=*/true);
  }
  // Reports the message of another part of dfrun.
  void Error(SourceLocation location, const Status& status) { Add(location, status.message()); }
  // Reports an error in data that the spec names, which is not the spec's own.
  template <class... Args>
  void ErrorOf(Code code, SourceLocation location, const Args&... args) {
    Add(location, StrCat(args...), code);
  }

  // Reports a text that is no error but may not be meant, once for each location and text.
  template <class... Args>
  void Warning(SourceLocation location, const Args&... args) {
    AddWarning(location, StrCat(args...));
  }
  // "spec.yaml:3:7: message" each, in the order of files and lines.
  std::vector<std::string> Warnings() const;

  // Gives errors the context of a call of a function, which they name (source_calls.h), while an object lives. An error
  // that an earlier call has reported already is not reported again. Contexts end in the reverse order of their
  // beginnings.
  class Context {
   public:
    // `chain` gives the calls, the innermost first.
    Context(Diagnostics& diagnostics, std::function<std::vector<SourceCall>()> chain)
        : diagnostics_(diagnostics), around_(diagnostics.where_), chain_(std::move(chain)) {
      diagnostics.where_ = this;
    }
    ~Context() { diagnostics_.where_ = around_; }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    std::vector<SourceCall> chain() const { return chain_(); }

   private:
    Diagnostics& diagnostics_;
    const Context* const around_;
    const std::function<std::vector<SourceCall>()> chain_;
  };

  // Keeps the errors that are reported while an object lives apart from the others.
  class Apart {
   public:
    explicit Apart(Diagnostics& diagnostics) : diagnostics_(diagnostics) { diagnostics_.errors_.swap(others_); }
    ~Apart() { diagnostics_.errors_.swap(others_); }
    Apart(const Apart&) = delete;
    Apart& operator=(const Apart&) = delete;
    // Returns them as Diagnostics::ToStatus() does.
    Status ToStatus() const { return diagnostics_.ToStatus(); }

   private:
    Diagnostics& diagnostics_;
    std::set<Entry> others_;
  };

  // Has messages of errors end so from now on. An error that was reported before is not reported again with the end.
  void set_ending(std::string ending) { ending_ = std::move(ending); }

  bool ok() const { return errors_.empty(); }
  // Returns true if further errors would not be shown, so that work may stop.
  bool full() const { return errors_.size() >= kMaxErrors; }
  // Prints "spec.yaml:3:7", or "--set train.steps=5"; the path alone for a SourceLocation without a line.
  std::string Print(SourceLocation location) const;
  // Returns OK without errors. Else the message has a printable line "file:line:column: message" for each, in the order
  // of files and lines; the code is kBadSpec if one of them is the spec's own, else that of the first.
  Status ToStatus() const;

 private:
  Entry Located(SourceLocation location, std::string message, Code code, bool is_of_call) const;
  void Add(SourceLocation location, std::string message, Code code = Code::kBadSpec, bool is_of_call = false);
  void AddWarning(SourceLocation location, std::string message);

  std::vector<std::string> files_;
  std::set<int32_t> library_files_;
  std::set<int32_t> options_;  // files that are values of the command line
  std::set<Entry> errors_;
  std::set<Entry> warnings_;
  const Context* where_ = nullptr;  // the innermost
  std::string ending_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_YAML_DIAGNOSTICS_H_
