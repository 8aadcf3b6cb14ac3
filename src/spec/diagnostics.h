// The errors of a spec: collected, so that one run of `dfrun check` shows as many as it can.
#ifndef DFRUN_SRC_SPEC_DIAGNOSTICS_H_
#define DFRUN_SRC_SPEC_DIAGNOSTICS_H_

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

// Thread safety: one thread.
class Diagnostics {
 public:
  static constexpr size_t kMaxErrors = 20;

  // The index that a SourcePlace of this file has.
  int32_t AddFile(std::string path);
  const std::vector<std::string>& files() const { return files_; }

  template <class... Args>
  void Error(SourcePlace place, const Args&... args) {
    Add(place, StrCat(args...));
  }
  // The same where it comes of what the call around gives: each call has its own.
  template <class... Args>
  void ErrorOfCall(SourcePlace place, const Args&... args) {
    Add(place, StrCat(args..., where_ == nullptr ? std::string() : where_->text()));
  }
  // An error as a library of dfrun worded it.
  void Error(SourcePlace place, const Status& status) { Add(place, status.message()); }
  // An error that is not the spec's: of data that it names.
  template <class... Args>
  void ErrorOf(Code code, SourcePlace place, const Args&... args) {
    Add(place, StrCat(args...), code);
  }

  // While this lives, errors end with its text: the call of a function that brought them. An error that a call before
  // brought already is not said again. Contexts end in the reverse of the order in which they began.
  class Context {
   public:
    Context(Diagnostics& diagnostics, std::function<std::string()> text)
        : diagnostics_(diagnostics), around_(diagnostics.where_), text_(std::move(text)) {
      diagnostics.where_ = this;
    }
    ~Context() { diagnostics_.where_ = around_; }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    std::string text() const { return text_(); }

   private:
    Diagnostics& diagnostics_;
    const Context* const around_;
    const std::function<std::string()> text_;
  };

  bool ok() const { return errors_.empty(); }
  // Further errors would not be shown: work may stop.
  bool full() const { return errors_.size() >= kMaxErrors; }
  // "spec.yaml:3:7"; the path alone for a place without a line.
  std::string Print(SourcePlace place) const;
  // A printable line "file:line:column: message" an error, in the order of the files and lines; OK without errors.
  // kBadSpec where one of them is the spec's own, else the code of the first.
  Status ToStatus() const;

 private:
  struct Entry {
    SourcePlace place;
    std::string message;
    std::string called;  // of the first call that brought it
    Code code;
    bool operator<(const Entry& other) const;
  };
  void Add(SourcePlace place, std::string message, Code code = Code::kBadSpec);

  std::vector<std::string> files_;
  std::set<Entry> errors_;
  const Context* where_ = nullptr;  // the innermost
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_DIAGNOSTICS_H_
