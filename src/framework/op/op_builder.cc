// Parses the signature text of OP(): inputs, outputs and attrs.
#include <algorithm>
#include <cctype>

#include "src/base/text.h"
#include "src/framework/op/op.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// A cursor over signature text. Each Take skips white space first.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool AtEnd() {
    Skip();
    return text_.empty();
  }
  bool Take(std::string_view token) {
    Skip();
    if (text_.substr(0, token.size()) != token) return false;
    text_.remove_prefix(token.size());
    return true;
  }
  std::string_view Word() {
    Skip();
    size_t n = 0;
    while (n < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[n])) != 0 || text_[n] == '_')) ++n;
    return Remove(n);
  }
  std::string_view Quoted() {
    if (!Take("'") && !Take("\"")) return {};
    const size_t n = std::min(text_.find_first_of("'\""), text_.size());
    std::string_view word = Remove(n);
    if (!text_.empty()) text_.remove_prefix(1);
    return word;
  }
  // Text of a number.
  std::string_view Number() {
    Skip();
    size_t n = 0;
    while (n < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[n])) != 0 || text_[n] == '.' ||
                                text_[n] == '-' || text_[n] == '+'))
      ++n;
    return Remove(n);
  }
  std::string_view Peek() {
    Skip();
    return text_;
  }

 private:
  void Skip() {
    while (!text_.empty() && text_.front() == ' ') text_.remove_prefix(1);
  }
  std::string_view Remove(size_t n) {
    std::string_view out = text_.substr(0, n);
    text_.remove_prefix(n);
    return out;
  }
  std::string_view text_;
};

Status Malformed(std::string_view op, std::string_view text) {
  return InvalidArgument("OP(\"", op, "\"): cannot read the signature text '", text, "'");
}

bool ParseArg(std::string_view text, ArgDef& arg) {
  Cursor in(text);
  arg.name = in.Word();
  if (arg.name.empty() || !in.Take(":")) return false;
  arg.is_ref = in.Take("Ref(");
  std::string_view word = in.Word();
  if (in.Take("*")) {
    arg.number_attr = word;
    word = in.Word();
  }
  if (word.empty()) return false;
  if (auto dtype = ParseDType(word)) {
    arg.dtype = *dtype;
  } else {
    arg.type_attr = word;  // or a type list: the attrs decide once all are known
  }
  if (arg.is_ref && !in.Take(")")) return false;
  return in.AtEnd();
}

bool ParseAllowed(Cursor& in, AttrDef& attr) {
  bool strings = false;
  do {
    if (in.Peek().substr(0, 1) == "'" || in.Peek().substr(0, 1) == "\"") {
      attr.allowed_strings.emplace_back(in.Quoted());
      strings = true;
    } else {
      auto dtype = ParseDType(in.Word());
      if (!dtype) return false;
      attr.allowed_types.push_back(*dtype);
    }
  } while (in.Take(","));
  attr.type = strings ? "string" : "type";
  return in.Take("}");
}

// "[]", "[2, 3]".
bool ParseIntegers(Cursor& in, std::vector<int64_t>& numbers) {
  if (!in.Take("[")) return false;
  while (!in.Take("]")) {
    const auto number = ParseAs<int64_t>(in.Number());
    if (!number) return false;
    numbers.push_back(*number);
    in.Take(",");
  }
  return true;
}

// "uint8[255, 0, 0, 255]": a vector of an integer dtype.
bool ParseTensorDefault(Cursor& in, AttrValue& value) {
  const auto dtype = ParseDType(in.Word());
  std::vector<int64_t> numbers;
  if (!dtype || !IsInteger(*dtype) || !ParseIntegers(in, numbers)) return false;
  Tensor tensor(*dtype, Shape({static_cast<int64_t>(numbers.size())}));
  VisitDType<DF_INTEGERS>(*dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::transform(numbers.begin(), numbers.end(), tensor.data<T>(), [](int64_t n) { return static_cast<T>(n); });
  });
  value = AttrValue(std::move(tensor));
  return true;
}

// "[]", "[2, 3]" or "?".
bool ParseShapeDefault(Cursor& in, AttrValue& value) {
  if (in.Take("?")) {
    value = AttrValue(PartialShape());
    return true;
  }
  std::vector<int64_t> dims;
  if (!ParseIntegers(in, dims)) return false;
  value = AttrValue(PartialShape(std::move(dims)));
  return true;
}

// Keeps the value if it could be read.
template <class T>
bool Keep(const std::optional<T>& read, AttrValue& value) {
  if (read) value = AttrValue(*read);
  return read.has_value();
}

bool ParseScalarDefault(Cursor& in, const std::string& type, AttrValue& value) {
  if (type == "string") {
    value = AttrValue(std::string(in.Quoted()));
    return true;
  }
  if (type == "bool") {
    const std::string_view word = in.Word();
    value = AttrValue(word == "true");
    return word == "true" || word == "false";
  }
  if (type == "int") return Keep(ParseAs<int64_t>(in.Number()), value);
  if (type == "float") return Keep(ParseAs<float>(in.Number()), value);
  if (type == "type") return Keep(ParseDType(in.Word()), value);
  if (type == "tensor") return ParseTensorDefault(in, value);
  return type == "shape" && ParseShapeDefault(in, value);
}

template <class T>
bool ParseListDefault(Cursor& in, const std::string& element, AttrValue& value) {
  std::vector<T> list;
  while (!in.Take("]")) {
    AttrValue item;
    if (!ParseScalarDefault(in, element, item)) return false;
    list.push_back(*item.get<T>());
    in.Take(",");
  }
  value = AttrValue(std::move(list));
  return true;
}

bool ParseDefault(Cursor& in, AttrDef& attr) {
  if (attr.type.substr(0, 5) != "list(") return ParseScalarDefault(in, attr.type, attr.default_value);
  const std::string element = attr.type.substr(5, attr.type.size() - 6);
  if (!in.Take("[")) return false;
  if (element == "int") return ParseListDefault<int64_t>(in, element, attr.default_value);
  if (element == "float") return ParseListDefault<float>(in, element, attr.default_value);
  if (element == "string") return ParseListDefault<std::string>(in, element, attr.default_value);
  if (element == "bool") return ParseListDefault<bool>(in, element, attr.default_value);
  if (element == "type") return ParseListDefault<DType>(in, element, attr.default_value);
  if (element == "shape") return ParseListDefault<PartialShape>(in, element, attr.default_value);
  return false;
}

// TensorFlow's names for lists of dtypes; empty for other words.
std::vector<DType> NamedTypes(std::string_view word) {
  std::vector<DType> real = {DType::kFloat,  DType::kDouble, DType::kInt32,  DType::kUint8,
                             DType::kInt16,  DType::kInt8,   DType::kInt64,  DType::kBfloat16,
                             DType::kUint16, DType::kHalf,   DType::kUint32, DType::kUint64};
  if (word == "realnumbertype") return real;
  if (word != "numbertype") return {};
  real.insert(real.end(), {DType::kComplex64, DType::kComplex128, DType::kQint8, DType::kQuint8, DType::kQint32,
                           DType::kQint16, DType::kQuint16});
  return real;
}

bool ParseAttr(std::string_view text, AttrDef& attr) {
  static const std::vector<std::string_view> kTypes = {"int",  "float", "bool",   "string",
                                                       "type", "shape", "tensor", "func"};
  Cursor in(text);
  attr.name = in.Word();
  if (attr.name.empty() || !in.Take(":")) return false;
  if (in.Take("{")) {
    if (!ParseAllowed(in, attr)) return false;
  } else if (in.Take("list(")) {
    if (in.Take("{")) {
      if (!ParseAllowed(in, attr)) return false;
    } else {
      attr.type = in.Word();
    }
    attr.type = "list(" + attr.type + ")";
    if (!in.Take(")")) return false;
  } else {
    attr.type = in.Word();
    attr.allowed_types = NamedTypes(attr.type);
    if (!attr.allowed_types.empty()) attr.type = "type";
    if (std::find(kTypes.begin(), kTypes.end(), attr.type) == kTypes.end()) return false;
  }
  if (in.Take(">=")) {
    attr.minimum = ParseAs<int64_t>(in.Number());
    if (!attr.minimum) return false;
  }
  if (in.Take("=") && !ParseDefault(in, attr)) return false;
  return in.AtEnd();
}

CostFn DefaultCost(const OpTraits& traits) {
  const bool moves_nothing = traits.passthrough != Passthrough::kNone || traits.control_flow != ControlFlowKind::kNone;
  return moves_nothing ? NoCost() : ElementwiseCost();
}

}  // namespace

OpBuilder::OpBuilder(std::string_view name) {
  def_.name = name;
}
OpBuilder::OpBuilder(const OpBuilder& other) = default;
OpBuilder::OpBuilder(OpBuilder&& other) noexcept = default;
OpBuilder::~OpBuilder() = default;

OpBuilder& OpBuilder::Input(std::string_view text) {
  if (!ParseArg(text, def_.inputs.emplace_back())) status_ = Malformed(def_.name, text);
  return *this;
}

OpBuilder& OpBuilder::Output(std::string_view text) {
  if (!ParseArg(text, def_.outputs.emplace_back())) status_ = Malformed(def_.name, text);
  return *this;
}

OpBuilder& OpBuilder::Attr(std::string_view text) {
  if (!ParseAttr(text, def_.attrs.emplace_back())) status_ = Malformed(def_.name, text);
  return *this;
}

OpBuilder& OpBuilder::Shape(ShapeFn fn) {
  def_.shape_fn = std::move(fn);
  return *this;
}

OpBuilder& OpBuilder::Gradient(GradientFn fn) {
  def_.gradient = std::move(fn);
  return GradientByAutodiff();
}

OpBuilder& OpBuilder::GradientByAutodiff() {
  return GradientEnds(GradientFlow::kFlows);
}

OpBuilder& OpBuilder::GradientEnds(GradientFlow why) {
  def_.gradient_flow = why;
  return *this;
}

OpBuilder& OpBuilder::GradientEnds(GradientFlow why, std::initializer_list<std::string_view> inputs,
                                   std::string_view output) {
  if (inputs.size() == 0) flows_.push_back({"", std::string(output), why});
  for (std::string_view input : inputs) flows_.push_back({std::string(input), std::string(output), why});
  return *this;
}

OpBuilder& OpBuilder::Stateful() {
  def_.is_stateful = true;
  return *this;
}

OpBuilder& OpBuilder::Commutative() {
  def_.is_commutative = true;
  return *this;
}

OpBuilder& OpBuilder::Aggregate() {
  def_.is_aggregate = true;
  return *this;
}

OpBuilder& OpBuilder::AllowsUninitializedInput() {
  def_.allows_uninitialized_input = true;
  return *this;
}

OpBuilder& OpBuilder::PassesOn(Passthrough inputs) {
  def_.traits.passthrough = inputs;
  return *this;
}

OpBuilder& OpBuilder::AtBoundary(Boundary boundary) {
  def_.traits.boundary = boundary;
  return *this;
}

OpBuilder& OpBuilder::ControlFlow(ControlFlowKind kind) {
  def_.traits.control_flow = kind;
  return *this;
}

OpBuilder& OpBuilder::Variable() {
  def_.traits.is_variable = true;
  return *this;
}

OpBuilder& OpBuilder::OnlyReadsVariables() {
  def_.traits.only_reads_variables = true;
  return *this;
}

OpBuilder& OpBuilder::HandleOf(HandleContent content) {
  def_.traits.handle_content = content;
  return *this;
}

OpBuilder& OpBuilder::MakesQueue(QueueKind kind) {
  def_.traits.queue = kind;
  return *this;
}

OpBuilder& OpBuilder::Waits(WaitKind kind, int at_input) {
  def_.traits.wait = kind;
  def_.traits.waits_at = at_input;
  return *this;
}

OpBuilder& OpBuilder::Total() {
  def_.traits.totality = Totality::kTotal;
  return *this;
}

OpBuilder& OpBuilder::TotalButForIntegers() {
  def_.traits.totality = Totality::kTotalButForIntegers;
  return *this;
}

OpBuilder& OpBuilder::Chooses() {
  def_.traits.chooses = true;
  return *this;
}

OpBuilder& OpBuilder::FollowsFirstInput() {
  def_.traits.follows_first_input = true;
  return *this;
}

OpBuilder& OpBuilder::GathersRows() {
  def_.traits.gathers_rows = true;
  return *this;
}

OpBuilder& OpBuilder::ComputesEach(Elementwise elementwise) {
  def_.traits.elementwise = elementwise;
  return *this;
}

OpBuilder& OpBuilder::ConstantValue(ConstantFn of_output_0) {
  return ConstantValues([of_output_0 = std::move(of_output_0)](const ConstantContext& c) {
    return std::vector<MaybeConstant>{of_output_0(c)};
  });
}

OpBuilder& OpBuilder::ConstantValues(ConstantsFn of_all_outputs) {
  def_.traits.constant_values = std::move(of_all_outputs);
  return *this;
}

OpBuilder& OpBuilder::Rows(RowFn rows) {
  def_.traits.rows = std::move(rows);
  return *this;
}

OpBuilder& OpBuilder::Cost(CostFn cost) {
  def_.traits.cost = std::move(cost);
  return *this;
}

OpBuilder& OpBuilder::Own() {
  def_.traits.portable = {PortableForm::Kind::kNone, {}};
  return *this;
}

OpBuilder& OpBuilder::OwnFedFromOutside() {
  def_.traits.portable = {PortableForm::Kind::kPlaceholders, {}};
  return *this;
}

OpBuilder& OpBuilder::OwnLoweredBy(LoweringFn lower) {
  def_.traits.portable = {PortableForm::Kind::kNodes, std::move(lower)};
  return *this;
}

OpBuilder& OpBuilder::Traits(OpTraits traits) {
  def_.traits = std::move(traits);
  return *this;
}

OpBuilder& OpBuilder::Alias(std::string name) {
  def_.aliases.push_back(std::move(name));
  return *this;
}

OpBuilder& OpBuilder::Doc(std::string text) {
  def_.doc = std::move(text);
  return *this;
}

Status OpBuilder::ResolveFlows(OpDef& def) const {
  const auto find = [&](const std::vector<ArgDef>& args, const std::string& name) -> Result<int> {
    if (name.empty()) return -1;
    const auto it = std::find_if(args.begin(), args.end(), [&](const ArgDef& arg) { return arg.name == name; });
    if (it != args.end()) return static_cast<int>(it - args.begin());
    return InvalidArgument("OP(\"", def.name, "\"): GradientEnds names the argument '", name,
                           "', which is not declared");
  };
  for (const NamedFlow& flow : flows_) {
    DF_ASSIGN(const int input, find(def.inputs, flow.input));
    DF_ASSIGN(const int output, find(def.outputs, flow.output));
    def.gradient_flow_of.push_back({input, output, flow.flow});
  }
  return Status();
}

Result<OpDef> OpBuilder::Finish() const {
  DF_TRY(status_);
  OpDef def = def_;
  for (std::vector<ArgDef>* args : {&def.inputs, &def.outputs}) {
    for (ArgDef& arg : *args) {
      for (const std::string& attr : {arg.type_attr, arg.number_attr}) {
        if (!attr.empty() && def.FindAttr(attr) == nullptr) {
          return InvalidArgument("OP(\"", def.name, "\"): argument '", arg.name, "' names the attr '", attr,
                                 "', which is not declared");
        }
      }
      if (!arg.type_attr.empty() && def.FindAttr(arg.type_attr)->type == "list(type)")
        std::swap(arg.type_attr, arg.type_list_attr);
    }
  }
  DF_TRY(ResolveFlows(def));
  if (!def.shape_fn) {
    if (!def.outputs.empty()) return InvalidArgument("OP(\"", def.name, "\") has outputs but no shape function");
    def.shape_fn = UnknownOutputs();
  }
  if (!def.traits.cost) def.traits.cost = DefaultCost(def.traits);
  if (def.doc.empty()) return InvalidArgument("OP(\"", def.name, "\") has no Doc");
  return def;
}

}  // namespace dfrun
