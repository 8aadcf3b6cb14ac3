#include "src/spec/expr/params.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "src/spec/expr/brackets.h"
#include "src/spec/expr/constant.h"

namespace dfrun {
namespace {

using ParamLookup = std::function<const ParamText*(std::string_view name, SourceLocation location)>;
using Remarks = std::vector<ParamText::Remark>;

// Replaces every ${name} of a scalar by the result of a lookup, which reports unknown names.
class Replacement {
 public:
  Replacement(const Yaml& scalar, const ParamLookup& lookup, TextPool& pool, Diagnostics& diagnostics)
      : scalar_(scalar), lookup_(lookup), pool_(pool), diagnostics_(diagnostics) {}

  const LocatedText* Run() {
    return Replace([](const ParamText& param, const Place&) { return param.text; });
  }

  // Substitutes in an expression for Params::SubstituteInExpr(), which warns of the remarks.
  const LocatedText* RunInExpr(Remarks& remarks) {
    const LocatedText* const plain = Replace([&](const ParamText& param, const Place& place) {
      if (place.is_quoted) return param.text;
      remarks.insert(remarks.end(), param.remarks.begin(), param.remarks.end());
      return param.in_expr;
    });
    if (plain == nullptr) return nullptr;
    const std::vector<InsertedText> inserted = inserted_;
    const std::vector<bool> operands = FindOperands(plain->text(), inserted);
    const auto first = std::find(operands.begin(), operands.end(), true);
    if (first == operands.end()) return plain;
    const LocatedText* const bracketed = Replace([&](const ParamText& param, const Place& place) {
      if (place.is_quoted) return param.text;
      return operands[place.number] ? StrCat("(", param.in_expr, ")") : param.in_expr;
    });
    if (bracketed == nullptr || !MeansOther(*plain, *bracketed)) return bracketed == nullptr ? nullptr : plain;
    remarks.push_back(RemarkOn(inserted[static_cast<size_t>(first - operands.begin())], *plain, *bracketed));
    return bracketed;
  }

 private:
  struct Place {
    size_t number;  // number of the ${}
    bool is_quoted;
  };

  // `text_of` gives the text for the ${} of a place.
  template <class TextOf>
  const LocatedText* Replace(const TextOf& text_of) {
    const std::string_view text = scalar_.text();
    size_t open = text.find("${");
    inserted_.clear();
    if (open == std::string_view::npos) return &pool_.View(scalar_);
    LocatedText& out = pool_.Make();
    const std::vector<bool> quoted = FindQuoted(text);
    size_t at = 0;
    for (; open != std::string_view::npos; open = text.find("${", at)) {
      out.Append(scalar_, at, open - at);
      const SourceLocation location = scalar_.LocationOf(open);
      const size_t close = text.find('}', open);
      if (close == std::string_view::npos) {
        diagnostics_.Error(location, "'${' without '}'");
        return nullptr;
      }
      const ParamText* const value = lookup_(text.substr(open + 2, close - open - 2), location);
      if (value == nullptr || !Insert(text_of(*value, {inserted_.size(), quoted[open]}), location, out)) return nullptr;
      at = close + 1;
    }
    out.Append(scalar_, at, text.size() - at);
    return &out;
  }

  bool Insert(const std::string& value, SourceLocation location, LocatedText& out) {
    inserted_.push_back({out.text().size(), value.size(), location});
    out.Append(value, location);
    if (pool_.Spend(value.size())) return true;
    diagnostics_.Error(location, "params make more than ", TextPool::kMaxBytes, " bytes of text");
    return false;
  }

  static ParamText::Remark RemarkOn(const InsertedText& first, const LocatedText& plain, const LocatedText& bracketed) {
    return {first.location,
            StrCat("'", plain.text().substr(first.begin, first.size),
                   "', which is put in here, counts as one operand: '", bracketed.text(), "', not '", plain.text(),
                   "'; brackets that the spec writes around it say so without this warning")};
  }

  const Yaml& scalar_;
  const ParamLookup& lookup_;
  TextPool& pool_;
  Diagnostics& diagnostics_;
  std::vector<InsertedText> inserted_;
};

using RenderScalar = std::function<std::optional<std::string>(const Yaml& scalar)>;

// Renders a scalar by `render_scalar`, or a list of scalars.
std::optional<std::string> Render(const Yaml& value, const RenderScalar& render_scalar, Diagnostics& diagnostics) {
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

// Renders a scalar or a list as a param's text. Gives nothing after an error, which is then in `diagnostics`; `lookup`
// reports names that it does not know. `finish` runs twice a scalar: as text, and for an expression; `pool` is charged
// for every pass.
std::optional<ParamText> RenderParam(const Yaml& value, const ParamLookup& lookup,
                                     const std::function<std::string(const LocatedText&)>& finish, TextPool& pool,
                                     Diagnostics& diagnostics) {
  ParamText param;
  const auto render = [&](bool in_expr) {
    return Render(
        value,
        [&](const Yaml& scalar) -> std::optional<std::string> {
          Replacement replacement(scalar, lookup, pool, diagnostics);
          const LocatedText* text = in_expr ? replacement.RunInExpr(param.remarks) : replacement.Run();
          return text == nullptr ? std::nullopt : std::optional(finish(*text));
        },
        diagnostics);
  };
  std::optional<std::string> text = render(false);
  std::optional<std::string> in_expr = text ? render(true) : std::nullopt;
  if (!in_expr) return {};
  param.text = *std::move(text);
  param.in_expr = *std::move(in_expr);
  return param;
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

  // Returns null after an error.
  const ParamText* Resolve(const std::string& name, SourceLocation location) {
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
    const ParamLookup lookup = [&](std::string_view used, SourceLocation at) { return Resolve(std::string(used), at); };
    std::optional<ParamText> text = RenderParam(entry->second.value, lookup, &WorkedOut, pool_, diagnostics_);
    --depth_;
    open_.erase(name);
    std::optional<ParamText>& kept = done_[name] = std::move(text);
    return kept ? &*kept : nullptr;
  }

 private:
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
  std::map<std::string, std::optional<ParamText>> done_;  // nothing: an error was reported
  std::map<std::string, bool> open_;
  TextPool pool_;
  int depth_ = 0;
};

}  // namespace

const ParamText* Params::Find(std::string_view name) const {
  if (auto it = texts_.find(name); it != texts_.end()) return &it->second;
  return outer_ != nullptr ? outer_->Find(name) : nullptr;
}

std::vector<std::string> Params::Names() const {
  std::vector<std::string> names = outer_ != nullptr ? outer_->Names() : std::vector<std::string>();
  for (const auto& [name, text] : texts_) names.push_back(name);
  return names;
}

const ParamText* Params::Lookup(std::string_view name, SourceLocation location, Diagnostics& diagnostics) const {
  const ParamText* text = Find(name);
  if (text == nullptr) ReportUnknown(name, location, Names(), diagnostics);
  return text;
}

const LocatedText* Params::Substitute(const Yaml& scalar, TextPool& pool, Diagnostics& diagnostics) const {
  const ParamLookup lookup = [&](std::string_view name, SourceLocation location) {
    return Lookup(name, location, diagnostics);
  };
  return Replacement(scalar, lookup, pool, diagnostics).Run();
}

const LocatedText* Params::SubstituteInExpr(const Yaml& scalar, TextPool& pool, Diagnostics& diagnostics) const {
  const ParamLookup lookup = [&](std::string_view name, SourceLocation location) {
    return Lookup(name, location, diagnostics);
  };
  Remarks remarks;
  const LocatedText* text = Replacement(scalar, lookup, pool, diagnostics).RunInExpr(remarks);
  for (const ParamText::Remark& remark : remarks) diagnostics.Warning(remark.location, remark.message);
  return text;
}

std::optional<ParamText> Params::SubstituteAll(const Yaml& value, Diagnostics& diagnostics) const {
  const ParamLookup lookup = [&](std::string_view name, SourceLocation location) {
    return Lookup(name, location, diagnostics);
  };
  TextPool pool;
  return RenderParam(
      value, lookup, [](const LocatedText& text) { return std::string(text.text()); }, pool, diagnostics);
}

Params MakeParams(const std::vector<ParamEntry>& entries, Diagnostics& diagnostics) {
  Resolver resolver(entries, diagnostics);
  Params params;
  for (const ParamEntry& e : entries) {
    const std::string name(e.name.text());
    const ParamText* text = resolver.Resolve(name, e.name.location());
    // A failed param is defined all the same, so that its uses are no further errors.
    params.Set(name, text != nullptr ? *text : ParamText());
  }
  return params;
}

}  // namespace dfrun
