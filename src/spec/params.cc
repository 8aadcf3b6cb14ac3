#include "src/spec/params.h"

#include <functional>
#include <optional>

#include "src/spec/constant.h"

namespace dfrun {
namespace {

using Lookup = std::function<const std::string*(std::string_view name, SourceLocation location)>;

// Replaces every ${name} by the result of `lookup`, which reports unknown names.
const LocatedText* Replace(const Yaml& scalar, const Lookup& lookup, TextPool& pool, Diagnostics& diagnostics) {
  const std::string_view text = scalar.text();
  size_t open = text.find("${");
  if (open == std::string_view::npos) return &pool.View(scalar);
  LocatedText& out = pool.Make();
  size_t at = 0;
  for (; open != std::string_view::npos; open = text.find("${", at)) {
    out.Append(scalar, at, open - at);
    const SourceLocation location = scalar.LocationOf(open);
    const size_t close = text.find('}', open);
    if (close == std::string_view::npos) {
      diagnostics.Error(location, "'${' without '}'");
      return nullptr;
    }
    const std::string* value = lookup(text.substr(open + 2, close - open - 2), location);
    if (value == nullptr) return nullptr;
    out.Append(*value, location);
    if (!pool.Spend(value->size())) {
      diagnostics.Error(location, "params make more than ", TextPool::kMaxBytes, " bytes of text");
      return nullptr;
    }
    at = close + 1;
  }
  out.Append(scalar, at, text.size() - at);
  return &out;
}

// Renders a scalar by `render_scalar`, or a list of scalars.
std::optional<std::string> Render(const Yaml& value,
                                  const std::function<std::optional<std::string>(const Yaml&)>& render_scalar,
                                  Diagnostics& diagnostics) {
  if (value.is_scalar()) return render_scalar(value);
  if (!value.is_sequence()) {
    diagnostics.Error(value.location(), "expected a number, a text or a list, not ", value.Describe());
    return {};
  }
  std::string out = "[";
  for (size_t i = 0; i < value.size(); ++i) {
    std::optional<std::string> item = Render(value.item(i), render_scalar, diagnostics);
    if (!item) return {};
    out += (i > 0 ? ", " : "") + *item;
  }
  return out + "]";
}

void ReportUnknown(std::string_view name, SourceLocation location, const std::vector<std::string>& known,
                   Diagnostics& diagnostics) {
  const std::string near = Nearest(name, known);
  diagnostics.Error(location, "unknown param '", name, "'",
                    near.empty() ? std::string("; params are defined in the section 'params'")
                                 : StrCat(", did you mean '", near, "'?"));
}

// Computes params on demand, so that they may be written in any order.
class Resolver {
 public:
  Resolver(const std::vector<ParamEntry>& entries, Diagnostics& diagnostics) : diagnostics_(diagnostics) {
    for (const ParamEntry& e : entries) entries_.emplace(std::string(e.name.text()), e);
  }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& [name, entry] : entries_) names.push_back(name);
    return names;
  }
  bool Has(const std::string& name) const { return entries_.contains(name); }
  void Override(const ParamOverride& o) {
    LocatedText text;
    text.Append(o.text, {});
    done_[o.name] = WorkedOut(text);
  }

  // Null after an error.
  const std::string* Resolve(const std::string& name, SourceLocation location) {
    if (auto it = done_.find(name); it != done_.end()) return it->second ? &*it->second : nullptr;
    auto entry = entries_.find(name);
    if (entry == entries_.end()) {
      ReportUnknown(name, location, Names(), diagnostics_);
      return nullptr;
    }
    if (depth_ >= kMaxYamlDepth || !open_.emplace(name, true).second) {
      diagnostics_.Error(location, "the param '", name, "' ",
                         depth_ >= kMaxYamlDepth ? "stands for params within params, too deep" : "stands for itself");
      return nullptr;
    }
    ++depth_;
    std::optional<std::string> text = Render(
        entry->second.value, [&](const Yaml& scalar) { return ScalarText(scalar); }, diagnostics_);
    --depth_;
    open_.erase(name);
    std::optional<std::string>& kept = done_[name] = std::move(text);
    return kept ? &*kept : nullptr;
  }

 private:
  std::optional<std::string> ScalarText(const Yaml& value) {
    const LocatedText* text = Replace(
        value, [&](std::string_view name, SourceLocation location) { return Resolve(std::string(name), location); },
        pool_, diagnostics_);
    if (text == nullptr) return {};
    return WorkedOut(*text);
  }

  // Replaces a sum or product of numbers by its value, so that it can be an operand of other operators.
  static std::string WorkedOut(const LocatedText& text) {
    // A param may be any text, so text that is no expression is no error here.
    Diagnostics unheeded;
    std::optional<Expr> expr = ParseExpr(text, unheeded);
    if (expr && expr->is_operator) {
      const Folded folded = FoldExpr(*expr, unheeded);
      if (folded.is_constant()) return ToText(folded.value);
    }
    return std::string(text.text());
  }

  Diagnostics& diagnostics_;
  std::map<std::string, ParamEntry> entries_;
  std::map<std::string, std::optional<std::string>> done_;  // nothing: an error was reported
  std::map<std::string, bool> open_;
  TextPool pool_;
  int depth_ = 0;
};

}  // namespace

const std::string* Params::Find(std::string_view name) const {
  if (auto it = texts_.find(name); it != texts_.end()) return &it->second;
  return outer_ != nullptr ? outer_->Find(name) : nullptr;
}

std::vector<std::string> Params::Names() const {
  std::vector<std::string> names = outer_ != nullptr ? outer_->Names() : std::vector<std::string>();
  for (const auto& [name, text] : texts_) names.push_back(name);
  return names;
}

const LocatedText* Params::Substitute(const Yaml& scalar, TextPool& pool, Diagnostics& diagnostics) const {
  const auto lookup = [&](std::string_view name, SourceLocation location) {
    const std::string* text = Find(name);
    if (text == nullptr) ReportUnknown(name, location, Names(), diagnostics);
    return text;
  };
  return Replace(scalar, lookup, pool, diagnostics);
}

std::optional<std::string> Params::SubstituteAll(const Yaml& value, Diagnostics& diagnostics) const {
  TextPool pool;
  const auto substitute = [&](const Yaml& scalar) -> std::optional<std::string> {
    const LocatedText* text = Substitute(scalar, pool, diagnostics);
    if (text == nullptr) return {};
    return std::string(text->text());
  };
  return Render(value, substitute, diagnostics);
}

Result<std::vector<ParamOverride>> ParseOverrides(const std::vector<std::string>& sets) {
  std::vector<ParamOverride> out;
  for (const std::string& set : sets) {
    const size_t equals = set.find('=');
    if (equals == 0 || equals == std::string::npos)
      return Error(Code::kUsage, "--set takes key=value, not '", set, "'");
    out.push_back({set.substr(0, equals), set.substr(equals + 1)});
  }
  return out;
}

Params MakeParams(const std::vector<ParamEntry>& entries, const std::vector<ParamOverride>& overrides,
                  Diagnostics& diagnostics) {
  Resolver resolver(entries, diagnostics);
  for (const ParamOverride& o : overrides) {
    if (resolver.Has(o.name)) {
      resolver.Override(o);
    } else {
      ReportUnknown(o.name, {}, resolver.Names(), diagnostics);
    }
  }
  Params params;
  for (const ParamEntry& e : entries) {
    const std::string name(e.name.text());
    const std::string* text = resolver.Resolve(name, e.name.location());
    // A failed param is defined all the same, so that its uses are no further errors.
    params.Set(name, text != nullptr ? *text : std::string());
  }
  return params;
}

}  // namespace dfrun
