#include "jobs/commands/op_gradients.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "src/autodiff/dependency.h"
#include "src/base/text.h"

namespace dfrun::jobs {
namespace {

struct FlowWord {
  GradientFlow flow;
  const char* word;
  const char* meaning;
};

constexpr FlowWord kWords[] = {
    {GradientFlow::kFlows, "yes", "the op has it"},
    {GradientFlow::kNone, "none", "an error where a gradient needs it"},
    {GradientFlow::kZero, "zero", "the derivative is zero almost everywhere, and a gradient ends without a word"},
    {GradientFlow::kStopped, "stops", "the op is there to end a gradient"},
    {GradientFlow::kState, "state",
     "the value goes through what outlives a step; a gradient ends, and `check` says so"},
    {GradientFlow::kDraw, "draw", "the input is a parameter of random numbers; likewise"},
};

const char* WordOf(GradientFlow flow) {
  return std::find_if(std::begin(kWords), std::end(kWords), [&](const FlowWord& w) { return w.flow == flow; })->word;
}

bool MayHaveGradient(const OpDef& op, const ArgDef& arg) {
  if (arg.dtype != DType::kInvalid) return IsDifferentiable(arg.dtype);
  const AttrDef* type = op.FindAttr(arg.type_list_attr.empty() ? arg.type_attr : arg.type_list_attr);
  return type->allowed_types.empty() ||
         std::any_of(type->allowed_types.begin(), type->allowed_types.end(), IsDifferentiable);
}

std::vector<int> ArgsWithGradients(const OpDef& op, const std::vector<ArgDef>& args) {
  std::vector<int> found;
  for (size_t i = 0; i < args.size(); ++i) {
    if (MayHaveGradient(op, args[i])) found.push_back(static_cast<int>(i));
  }
  return found;
}

// Returns "yes", "yes; none for a, b": the word of the first input, then those of others.
std::string OfOutput(const OpDef& op, const std::vector<int>& inputs, int output) {
  std::vector<std::pair<GradientFlow, std::vector<std::string>>> groups;
  for (int input : inputs) {
    const GradientFlow flow = op.FlowBetween(input, output);
    auto it = std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == flow; });
    if (it == groups.end()) it = groups.insert(it, {flow, {}});
    it->second.push_back(op.inputs[static_cast<size_t>(input)].name);
  }
  const auto is_yes = [](const auto& group) { return group.first == GradientFlow::kFlows; };
  std::stable_partition(groups.begin(), groups.end(), is_yes);
  std::string text = WordOf(groups[0].first);
  for (size_t i = 1; i < groups.size(); ++i) {
    text += StrCat("; ", WordOf(groups[i].first), " for ", Join(groups[i].second));
  }
  return text;
}

}  // namespace

std::string GradientCell(const OpDef& op) {
  const std::vector<int> inputs = ArgsWithGradients(op, op.inputs);
  const std::vector<int> outputs = ArgsWithGradients(op, op.outputs);
  if (op.gradient_flow == GradientFlow::kState) return WordOf(GradientFlow::kState);
  const auto is_drawn = [](const GradientFlowOf& of) { return of.flow == GradientFlow::kDraw; };
  if (std::any_of(op.gradient_flow_of.begin(), op.gradient_flow_of.end(), is_drawn)) {
    return WordOf(GradientFlow::kDraw);
  }
  if (inputs.empty() || outputs.empty()) return "-";
  std::vector<std::string> texts;
  for (int output : outputs) texts.push_back(OfOutput(op, inputs, output));
  if (std::all_of(texts.begin(), texts.end(), [&](const std::string& text) { return text == texts[0]; })) {
    return texts[0];
  }
  for (size_t i = 0; i < texts.size(); ++i) {
    texts[i] = StrCat(op.outputs[static_cast<size_t>(outputs[i])].name, ": ", texts[i]);
  }
  return Join(texts, "; ");
}

std::string GradientText(const OpDef& op) {
  const std::string cell = GradientCell(op);
  return cell == WordOf(GradientFlow::kFlows) ? cell + "\n" : StrCat(cell, "\n", GradientLegend());
}

std::string GradientLegend() {
  std::string text = "  * `-`: no input, or no output, can have one\n";
  for (const FlowWord& word : kWords) text += StrCat("  * `", word.word, "`: ", word.meaning, "\n");
  return text;
}

}  // namespace dfrun::jobs
