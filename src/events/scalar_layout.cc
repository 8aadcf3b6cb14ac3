#include "src/events/scalar_layout.h"

#include <algorithm>
#include <map>
#include <set>

#include "src/base/status.h"
#include "src/events/plugin_data.pb.h"
#include "src/events/summaries.h"

namespace dfrun {
namespace {

// The expression that matches this tag alone.
std::string Exactly(const std::string& tag) {
  std::string expression = "^";
  for (const char c : tag) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) expression += '\\';
    expression += c;
  }
  return expression + "$";
}

void AddLines(const std::string& title, const std::string& expression, proto::ScalarLayout::Category& category) {
  proto::ScalarLayout::Chart& chart = *category.add_chart();
  chart.set_title(title);
  chart.mutable_multiline()->add_tag(expression);
}

// The names X for which all of X/min, X/mean and X/max are there.
std::vector<std::string> NamesWithMargin(const std::vector<std::string>& tags) {
  constexpr std::string_view kMean = "/mean";
  const std::set<std::string> all(tags.begin(), tags.end());
  std::vector<std::string> names;
  for (const std::string& tag : tags) {
    if (!tag.ends_with(kMean)) continue;
    const std::string name = tag.substr(0, tag.size() - kMean.size());
    if (all.count(name + "/min") > 0 && all.count(name + "/max") > 0) names.push_back(name);
  }
  return names;
}

void AddMargin(const std::string& name, proto::ScalarLayout::Category& category) {
  proto::ScalarLayout::Chart& chart = *category.add_chart();
  chart.set_title(name);
  proto::ScalarLayout::Margin::Series& series = *chart.mutable_margin()->add_series();
  series.set_value(name + "/mean");
  series.set_lower(name + "/min");
  series.set_upper(name + "/max");
}

bool IsAboutLoss(const std::string& tag) {
  return tag == "loss" || tag == "learning_rate" || tag == "grad_norm";
}

}  // namespace

std::string ScalarLayoutSummary(const std::vector<std::string>& qualities, const std::vector<std::string>& others) {
  proto::ScalarLayout layout;
  std::map<std::string, proto::ScalarLayout::Category*> categories;
  for (const char* title : {"loss", "accuracy", "speed", "ranks"}) {
    categories[title] = layout.add_category();
    categories[title]->set_title(title);
  }
  std::set<std::string> shown(qualities.begin(), qualities.end());
  const bool has_loss = std::find(others.begin(), others.end(), "loss") != others.end() || shown.count("loss") > 0;
  if (has_loss) {
    AddLines("loss", Exactly("loss"), *categories["loss"]);
    shown.insert("loss");
  }
  for (const std::string& tag : shown) {
    if (tag == "loss") continue;
    AddLines(tag, Exactly(tag), *categories[IsAboutLoss(tag) ? "loss" : "accuracy"]);
  }
  for (const std::string& name : NamesWithMargin(others)) {
    AddMargin(name, *categories["ranks"]);
    for (const char* ending : {"/min", "/mean", "/max"}) shown.insert(name + ending);
  }
  bool has_memory = false;
  for (const std::string& tag : others) {
    if (tag.starts_with("memory/")) {
      has_memory = true;
    } else if (shown.insert(tag).second) {
      AddLines(tag, Exactly(tag), *categories[IsAboutLoss(tag) ? "loss" : "speed"]);
    }
  }
  if (has_memory) AddLines("memory", "^memory/", *categories["ranks"]);
  auto& list = *layout.mutable_category();
  for (int i = list.size() - 1; i >= 0; --i) {
    if (list.Get(i).chart_size() == 0) list.DeleteSubrange(i, 1);
  }
  return StringSummary("custom_scalars__config__", "custom_scalars", layout.SerializeAsString());
}

}  // namespace dfrun
