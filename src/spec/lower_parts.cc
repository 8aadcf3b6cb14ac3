// Lowers entries that refer to each other crosswise, in the order of their nodes. An entry that calls a function has
// parts, which may come at different times: its beginning (the frame and the attrs), each argument, each entry of the
// function, and its results. The control inputs of a node may come later still: until then a NoOp stands in for each.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "src/graph/graph_cycle.h"
#include "src/spec/family.h"
#include "src/spec/lowering.h"

namespace dfrun {

class Lowering::Parts {
 public:
  Parts(Lowering& lowering, CallFrame& frame, std::vector<Entry>& entries)
      : lowering_(lowering), around_(lowering.parts_) {
    AddEntries(frame, nullptr, entries, top_);
    lowering.parts_ = this;
  }
  ~Parts() { lowering_.parts_ = around_; }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  void LowerAll() {
    LowerAll(top_);
    // References that were missing then are errors now.
    lowering_.parts_ = around_;
    for (const LaterEdge& edge : later_) {
      std::vector<NodeId> nodes;
      lowering_.AddControl(*edge.frame, edge.name, nodes);
      for (const NodeId node : nodes) lowering_.graph_.AddControlEdge(node, edge.stand_in);
    }
  }

  std::optional<NodeId> StandIn(const CallFrame& frame, const Expr& name) {
    const CallFrame* f = &frame;
    while (f != nullptr && !scopes_.contains(f)) f = f->around;
    if (f == nullptr) return around_ == nullptr ? std::nullopt : around_->StandIn(frame, name);
    if (!Find(*scopes_.at(f), name.text).part) return {};
    const auto [it, is_new] = stand_ins_.try_emplace({f, name.text}, -1);
    if (is_new) it->second = AddStandIn(*f, name);
    return it->second;
  }

 private:
  struct EntryParts;
  // The entries of the graph or of a call.
  struct Scope {
    CallFrame* frame = nullptr;
    EntryParts* call = nullptr;
    std::vector<std::unique_ptr<EntryParts>> entries;
    std::unordered_map<std::string_view, EntryParts*> index;
  };
  enum class State : uint8_t { kNew, kOpen, kDone };
  struct EntryParts {
    EntryParts(Scope& in, Entry& of, const FunctionDef* called, std::string node)
        : scope(in), entry(of), function(called), name(std::move(node)) {}

    Scope& scope;
    Entry& entry;
    const FunctionDef* const function;  // the called function; null: the entry has no parts
    const std::string name;
    State whole = State::kNew;
    State begin = State::kNew;
    std::vector<State> arguments;
    NodeOptions options;
    bool is_absent = false;              // there in the other mode alone
    std::unique_ptr<FunctionCall> call;  // once it has begun
    std::vector<Entry> locals;
    std::vector<Entry> returns;
    Scope inner;
  };
  struct Part {
    EntryParts* of = nullptr;
    int which = kWhole;  // kWhole, kBegin, or the number of an argument
    bool operator==(const Part& other) const { return of == other.of && which == other.which; }
  };
  static constexpr int kWhole = -1;
  static constexpr int kBegin = -2;
  // A need of a part: another part, or the meaning of a name in a scope.
  struct Need {
    Part part;
    const Scope* scope = nullptr;
    std::string_view name = {};
  };
  struct Step {
    Part part;
    std::vector<Need> needs;
    size_t next = 0;
    bool has_returns = false;
  };
  struct Found {
    bool is_known = false;
    std::optional<Part> part = {};  // the part, if it is not done
  };
  struct LaterEdge {
    const CallFrame* frame;
    Expr name;
    NodeId stand_in;
  };

  static State& StateOf(Part part) {
    if (part.which == kWhole) return part.of->whole;
    return part.which == kBegin ? part.of->begin : part.of->arguments[static_cast<size_t>(part.which)];
  }
  static Found Unless(Part part) { return {true, StateOf(part) == State::kDone ? std::nullopt : std::optional(part)}; }

  void AddEntries(CallFrame& frame, EntryParts* call, std::vector<Entry>& entries, Scope& scope) {
    scope.frame = &frame;
    scope.call = call;
    scopes_[&frame] = &scope;
    for (Entry& entry : entries) {
      frame.entries.insert(entry.name);
      const bool is_call = entry.expr.is(Expr::Kind::kCall) && !entry.expr.is_operator;
      const CallTarget target = is_call && !entry.failed
                                    ? FindCallTarget(entry.expr.text, lowering_.in_.functions, lowering_.graph_.ops())
                                    : CallTarget();
      std::string name = frame.scope.empty() ? std::string(entry.name) : StrCat(frame.scope, "/", entry.name);
      scope.entries.push_back(std::make_unique<EntryParts>(scope, entry, target.function, std::move(name)));
      scope.index.emplace(entry.name, scope.entries.back().get());
    }
  }

  void LowerAll(Scope& scope) {
    for (const std::unique_ptr<EntryParts>& entry : scope.entries) {
      if (lowering_.diagnostics_.full()) return;
      Visit({entry.get(), kWhole});
      if (entry->call == nullptr) continue;
      for (size_t i = 0; i < entry->arguments.size(); ++i) Visit({entry.get(), static_cast<int>(i)});
      LowerAll(entry->inner);
    }
  }

  // Depth first without recursion, because a chain of entries may be as long as the spec.
  void Visit(Part first) {
    if (StateOf(first) == State::kDone) return;
    Open(first);
    while (!stack_.empty()) {
      Step& step = stack_.back();
      if (step.next < step.needs.size()) {
        const Need& need = step.needs[step.next];
        const Found found = need.scope == nullptr ? Unless(need.part) : Find(*need.scope, need.name);
        if (found.part && StateOf(*found.part) == State::kNew) {
          Open(*found.part);
          continue;
        }
        if (found.part) ReportCycle(*found.part);
        ++step.next;
      } else if (step.part.which == kWhole && step.part.of->call != nullptr && !step.has_returns) {
        step.has_returns = true;
        for (const Entry& entry : step.part.of->returns)
          AddNeeds(NamesIn(entry, ContextOf(step.part.of->inner)), step.part.of->inner, step.needs);
      } else {
        const Part done = step.part;
        stack_.pop_back();
        Lower(done);
        StateOf(done) = State::kDone;
      }
    }
  }

  EntryContext ContextOf(const Scope& scope) const { return lowering_.Parsing(*scope.frame); }

  // Adds the names that are read; nodes that are only waited for are no needs.
  static void AddNeeds(const std::vector<EntryName>& names, const Scope& scope, std::vector<Need>& needs) {
    for (const EntryName& name : names) {
      if (!name.waits) needs.push_back({{}, &scope, name.text});
    }
  }

  void Open(Part part) {
    StateOf(part) = State::kOpen;
    const EntryParts& of = *part.of;
    const EntryContext context = ContextOf(of.scope);
    Step step{part, {}};
    if (part.which == kBegin) {
      AddNeeds(NamesInAttrs(of.entry.expr, context), of.scope, step.needs);
      if (of.entry.condition) AddNeeds(NamesIn(*of.entry.condition, context), of.scope, step.needs);
    } else if (part.which != kWhole) {
      AddNeeds(NamesIn(*of.call->arguments[static_cast<size_t>(part.which)], context), of.scope, step.needs);
    } else if (of.function != nullptr) {
      step.needs.push_back({{part.of, kBegin}});
    } else {
      AddNeeds(NamesIn(of.entry, context), of.scope, step.needs);
    }
    stack_.push_back(std::move(step));
  }

  // "h1/W" is a node within the entry "h1" unless it is an entry itself.
  Found Find(const Scope& scope, std::string_view name) const {
    for (std::string_view prefix = name;; prefix = prefix.substr(0, prefix.rfind('/'))) {
      if (const auto it = scope.index.find(prefix); it != scope.index.end())
        return FindIn(*it->second, name.substr(std::min(prefix.size() + 1, name.size())));
      if (scope.call != nullptr) {
        const std::vector<Yaml>& args = scope.call->function->args;
        const auto arg = std::find_if(args.begin(), args.end(), [&](const Yaml& a) { return a.text() == prefix; });
        const auto i = static_cast<size_t>(arg - args.begin());
        if (i < scope.call->arguments.size()) return Unless({scope.call, static_cast<int>(i)});
      }
      if (prefix.find('/') == std::string_view::npos) return {};
    }
  }
  // `rest` is the path below the entry; empty: the entry itself.
  Found FindIn(EntryParts& entry, std::string_view rest) const {
    if (entry.is_absent) return Unless({&entry, kWhole});
    if (entry.whole == State::kDone || entry.function == nullptr || rest.empty()) return Unless({&entry, kWhole});
    if (entry.begin != State::kDone) return {true, Part{&entry, kBegin}};
    const Found inner = Find(entry.inner, rest);
    return inner.is_known ? inner : Unless({&entry, kWhole});
  }

  void ReportCycle(Part part) {
    auto it = std::find_if(stack_.begin(), stack_.end(), [&](const Step& s) { return s.part == part; });
    std::vector<std::string> names;
    for (; it != stack_.end(); ++it) {
      EntryParts& of = *it->part.of;
      if (names.empty() || names.back() != of.name) names.push_back(of.name);
      of.entry.failed = true;
      of.scope.frame->values.insert_or_assign(of.entry.name, Value{.failed = true});
    }
    lowering_.diagnostics_.Error(part.of->entry.location, CycleOf(names));
  }

  // Runs `fn` where new nodes and errors belong to a call; null: where they belong to the surroundings of these
  // entries.
  void Within(EntryParts* call, const std::function<void()>& fn) {
    if (call == nullptr) return fn();
    Within(call->scope.call, [&] {
      const InCall in_call(lowering_, *call->call);
      fn();
    });
  }

  void Lower(Part part) {
    EntryParts& of = *part.of;
    CallFrame& frame = *of.scope.frame;
    Within(of.scope.call, [&] {
      if (part.which == kBegin) return Begin(of);
      if (part.which != kWhole) return Bind(of, static_cast<size_t>(part.which));
      if (of.function == nullptr) return lowering_.LowerEntry(frame, of.entry);
      std::optional<Value> value;
      if (of.call != nullptr && !of.entry.failed) {
        const InCall in_call(lowering_, *of.call);
        value = lowering_.LowerReturns(of.call->frame, *of.function, of.returns);
      }
      if (of.is_absent) value = Value{.absent = true, .absent_by = of.entry.condition->location};
      frame.values.insert_or_assign(of.entry.name, value ? *std::move(value) : Value{.failed = true});
    });
  }

  void Begin(EntryParts& of) {
    if (of.entry.failed) return;
    CallFrame& frame = *of.scope.frame;
    const std::optional<bool> is_present = lowering_.IsPresent(frame, of.entry);
    of.entry.failed = !is_present;
    of.is_absent = is_present == false;
    if (is_present != true) return;
    std::optional<NodeOptions> options = lowering_.EntryOptions(frame, of.entry);
    of.entry.failed = !options;
    if (!options) return;
    of.options = *std::move(options);
    auto call = std::make_unique<FunctionCall>(*of.function, lowering_.in_.params);
    of.entry.failed = !lowering_.BeginCall({frame, of.name, of.options}, of.entry.expr, of.name, *call);
    if (of.entry.failed) return;
    of.call = std::move(call);
    of.arguments.resize(of.call->arguments.size(), State::kNew);
    const InCall in_call(lowering_, *of.call);
    CallFrame& inner = of.call->frame;
    of.locals = ParseEntries(of.function->locals, lowering_.Parsing(inner));
    AddEntries(inner, &of, of.locals, of.inner);
    of.returns = ParseEntries(of.function->returns, lowering_.Parsing(inner));
  }

  void Bind(EntryParts& of, size_t i) {
    if (lowering_.BindArgument({*of.scope.frame, of.name, of.options}, i, *of.call)) return;
    of.entry.failed = true;
    of.call->frame.values.insert_or_assign(of.function->args[i].text(), Value{.failed = true});
  }

  NodeId AddStandIn(const CallFrame& frame, const Expr& name) {
    const std::string target = frame.scope.empty() ? std::string(name.text) : StrCat(frame.scope, "/", name.text);
    Graph& graph = lowering_.graph_;
    Node node;
    node.name = lowering_.FreshName(frame, target, "done");
    node.op = graph.ops().Find("NoOp");
    node.location = name.location;
    node.location.call = lowering_.call_;
    const NodeId id = graph.AddResolved(std::move(node));
    lowering_.stand_ins_.insert(id);
    later_.push_back({&frame, name, id});
    return id;
  }

  Lowering& lowering_;
  Parts* const around_;
  Scope top_;
  std::unordered_map<const CallFrame*, Scope*> scopes_;
  std::vector<Step> stack_;
  std::map<std::pair<const CallFrame*, std::string_view>, NodeId> stand_ins_;
  std::vector<LaterEdge> later_;
};

void Lowering::LowerCrosswise(CallFrame& frame, std::vector<Entry>& entries) {
  Parts(*this, frame, entries).LowerAll();
}

std::optional<NodeId> Lowering::StandIn(const CallFrame& frame, const Expr& name) {
  return parts_ == nullptr ? std::nullopt : parts_->StandIn(frame, name);
}

void Lowering::CheckStandIns() {
  if (stand_ins_.empty() || !diagnostics_.ok()) return;
  std::vector<NodeId> cycle = FindCycle(graph_);
  std::erase_if(cycle, [this](NodeId id) { return stand_ins_.contains(id); });
  if (cycle.empty()) return;
  std::reverse(cycle.begin(), cycle.end());
  const auto line = [this](NodeId id) { return graph_.node(id).location.line; };
  std::rotate(cycle.begin(),
              std::min_element(cycle.begin(), cycle.end(), [&](NodeId a, NodeId b) { return line(a) < line(b); }),
              cycle.end());
  std::vector<std::string> names;
  for (const NodeId id : cycle) names.push_back(graph_.node(id).name);
  diagnostics_.Error(graph_.node(cycle[0]).location, CycleOf(names));
}

}  // namespace dfrun
