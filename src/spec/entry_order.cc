#include <algorithm>
#include <unordered_map>

#include "src/spec/entry.h"

namespace dfrun {
namespace {

// Finds the entries that an entry reads or waits for.
class References {
 public:
  References(const std::vector<Entry>& entries, const EntryContext& context) : context_(context) {
    index_.reserve(entries.size());
    for (size_t i = 0; i < entries.size(); ++i) index_.emplace(entries[i].name, i);
  }

  std::vector<size_t> Of(const Entry& entry) {
    found_.clear();
    Walk(entry.expr);
    for (const Expr& control : entry.controls) Walk(control);
    return std::move(found_);
  }

 private:
  void Walk(const Expr& expr) {
    switch (expr.kind) {
      case Expr::Kind::kName:
      case Expr::Kind::kControl:
        return Add(expr.text);
      case Expr::Kind::kList:
        for (const Expr& item : expr.items) Walk(item);
        return;
      case Expr::Kind::kMap:
        for (const KeywordArg& k : expr.keywords) Walk(k.value);
        return;
      case Expr::Kind::kCall:
        return WalkCall(expr);
      default:
        return;
    }
  }

  void WalkCall(const Expr& call) {
    for (const Expr& item : call.items) Walk(item);
    if (call.keywords.empty()) return;
    const CallTarget target = FindCallTarget(call.text, context_.functions, context_.ops);
    if (target.form == CallTarget::Form::kWhile && target.function == nullptr) return WalkWhile(call);
    for (const KeywordArg& k : call.keywords) {
      if (IsAttr(target, k.name)) {
        WalkAttr(k.value);
      } else {
        Walk(k.value);
      }
    }
  }

  // The variables of a loop hide entries of the same names.
  void WalkWhile(const Expr& call) {
    std::vector<std::string_view> hidden;
    for (const KeywordArg& k : call.keywords) {
      if (k.name != "vars") continue;
      for (const KeywordArg& var : k.value.keywords) hidden.push_back(var.name);
      Walk(k.value);
    }
    hidden_.insert(hidden_.end(), hidden.begin(), hidden.end());
    for (const KeywordArg& k : call.keywords) {
      if (k.name == "cond" || k.name == "body") Walk(k.value);
    }
    hidden_.resize(hidden_.size() - hidden.size());
  }

  static bool IsAttr(const CallTarget& target, std::string_view keyword) {
    if (target.function != nullptr) return TakesText(target, keyword);
    if (target.form == CallTarget::Form::kVariable && keyword == "reduce") return true;
    return target.op != nullptr && FindKeyword(*target.op, keyword).attr != nullptr;
  }

  // Words in an attr are texts; only dim() looks at nodes.
  void WalkAttr(const Expr& expr) {
    if (expr.is(Expr::Kind::kCall) && expr.text == "dim") return Walk(expr);
    for (const Expr& item : expr.items) WalkAttr(item);
    for (const KeywordArg& k : expr.keywords) WalkAttr(k.value);
  }

  // "h1/W" is a node within the entry "h1" unless it is an entry itself.
  void Add(std::string_view name) {
    if (std::find(hidden_.begin(), hidden_.end(), name) != hidden_.end()) return;
    while (true) {
      if (auto it = index_.find(name); it != index_.end()) {
        found_.push_back(it->second);
        return;
      }
      const size_t slash = name.rfind('/');
      if (slash == std::string_view::npos) return;
      name = name.substr(0, slash);
    }
  }

  const EntryContext& context_;
  std::unordered_map<std::string_view, size_t> index_;
  std::vector<size_t> found_;
  std::vector<std::string_view> hidden_;
};

// Sorts depth first without recursion, because a chain of entries may be as long as the spec.
class Sorter {
 public:
  Sorter(std::vector<Entry>& entries, const EntryContext& context)
      : entries_(entries), context_(context), references_(entries, context), states_(entries.size(), State::kNew) {}

  std::vector<size_t> Sort() {
    order_.reserve(entries_.size());
    for (size_t i = 0; i < entries_.size(); ++i) {
      if (states_[i] == State::kNew) Visit(i);
    }
    return std::move(order_);
  }

 private:
  enum class State : uint8_t { kNew, kOpen, kDone };
  struct Step {
    size_t entry;
    std::vector<size_t> needs;
    size_t next = 0;
  };

  void Visit(size_t first) {
    Open(first);
    while (!stack_.empty()) {
      Step& step = stack_.back();
      if (step.next == step.needs.size()) {
        states_[step.entry] = State::kDone;
        order_.push_back(step.entry);
        stack_.pop_back();
        continue;
      }
      const size_t need = step.needs[step.next++];
      if (states_[need] == State::kNew)
        Open(need);
      else if (states_[need] == State::kOpen)
        ReportCycle(need);
    }
  }

  void Open(size_t entry) {
    states_[entry] = State::kOpen;
    stack_.push_back({entry, references_.Of(entries_[entry])});
  }

  void ReportCycle(size_t entry) {
    auto begin = std::find_if(stack_.begin(), stack_.end(), [&](const Step& s) { return s.entry == entry; });
    constexpr int kMaxShown = 10;
    std::string names;
    int shown = 0;
    for (auto it = begin; it != stack_.end(); ++it, ++shown) {
      if (shown < kMaxShown) names += StrCat(entries_[it->entry].name, " -> ");
      entries_[it->entry].failed = true;
    }
    if (shown > kMaxShown) names += StrCat("... (", shown, " nodes) -> ");
    context_.diagnostics.Error(entries_[entry].location, "nodes depend on each other: ", names, entries_[entry].name);
  }

  std::vector<Entry>& entries_;
  const EntryContext& context_;
  References references_;
  std::vector<State> states_;
  std::vector<Step> stack_;
  std::vector<size_t> order_;
};

}  // namespace

std::vector<size_t> OrderEntries(std::vector<Entry>& entries, const EntryContext& context) {
  return Sorter(entries, context).Sort();
}

}  // namespace dfrun
