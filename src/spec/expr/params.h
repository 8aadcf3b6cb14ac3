// Named texts that ${name} stands for: the spec's params, and a function's attrs over them.
#ifndef DFRUN_SRC_SPEC_EXPR_PARAMS_H_
#define DFRUN_SRC_SPEC_EXPR_PARAMS_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/spec/yaml/diagnostics.h"
#include "src/spec/yaml/located_text.h"

namespace dfrun {

// The text that ${name} stands for.
struct ParamText {
  // The reason why `in_expr` differs from `text`, for the place that puts it into an expression.
  struct Remark {
    SourceLocation location;
    std::string message;
  };
  std::string text;
  std::string in_expr;  // in an expression: with the brackets of Params::SubstituteInExpr()
  std::vector<Remark> remarks = {};
};

// Thread safety: const methods from any thread, each with its own pool and diagnostics.
class Params {
 public:
  // Names that this object lacks are looked up in `outer`, which may be null and outlives it.
  explicit Params(const Params* outer = nullptr) : outer_(outer) {}

  void Set(std::string_view name, ParamText text) { texts_.insert_or_assign(std::string(name), std::move(text)); }
  void Set(std::string_view name, const std::string& text) { Set(name, ParamText{text, text}); }
  // Returns null if there is none.
  const ParamText* Find(std::string_view name) const;

  // Returns a scalar or a list as text ("[1, 2]"), with every ${name} replaced. Nothing after an error.
  std::optional<ParamText> SubstituteAll(const Yaml& value, Diagnostics& diagnostics) const;
  // Returns the scalar with every ${name} replaced, owned by `pool`. Null after an error, which is then in
  // `diagnostics`.
  const LocatedText* Substitute(const Yaml& scalar, TextPool& pool, Diagnostics& diagnostics) const;
  // Substitutes in an expression: a text that holds a binary operator counts as one operand. It gets brackets where
  // these give the expression another value, which is a warning.
  const LocatedText* SubstituteInExpr(const Yaml& scalar, TextPool& pool, Diagnostics& diagnostics) const;

 private:
  const ParamText* Lookup(std::string_view name, SourceLocation location, Diagnostics& diagnostics) const;
  std::vector<std::string> Names() const;

  const Params* outer_;
  std::map<std::string, ParamText, std::less<>> texts_;
};

// A `params:` entry: its name and value.
struct ParamEntry {
  Yaml name;
  Yaml value;
};
// Makes params, which may use each other in any order. Sums and products of numbers are computed. Of entries with one
// name the first counts.
Params MakeParams(const std::vector<ParamEntry>& entries, Diagnostics& diagnostics);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_EXPR_PARAMS_H_
