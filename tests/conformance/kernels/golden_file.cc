#include "tests/conformance/kernels/golden_file.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "kernels/io/inflate.h"
#include "src/base/file.h"
#include "src/framework/op/op.h"

namespace dfrun::testing {
namespace {

// Element texts one after the other.
class Elements {
 public:
  explicit Elements(std::string_view text) : text_(text) {}
  // Empty at the end. A quoted string comes without its quotes.
  Result<std::string> Next() {
    while (!text_.empty() && text_.front() == ' ') text_.remove_prefix(1);
    if (text_.empty()) return InvalidArgument("too few elements");
    if (text_.front() == '"') return Quoted();
    const size_t end = std::min(text_.find(' '), text_.size());
    std::string word(text_.substr(0, end));
    text_.remove_prefix(end);
    return word;
  }
  bool AtEnd() const { return text_.find_first_not_of(' ') == std::string_view::npos; }

 private:
  // Returns the character that an escape stands for, and leaves the escape's last character in the text.
  char Escaped() {
    if (text_.front() == 'n') return '\n';
    if (text_.front() != 'x' || text_.size() < 3) return text_.front();
    int byte = 0;
    std::from_chars(text_.data() + 1, text_.data() + 3, byte, 16);
    text_.remove_prefix(2);
    return static_cast<char>(byte);
  }
  Result<std::string> Quoted() {
    std::string word;
    for (text_.remove_prefix(1); !text_.empty(); text_.remove_prefix(1)) {
      if (text_.front() == '"') {
        text_.remove_prefix(1);
        return word;
      }
      if (text_.front() == '\\' && text_.size() > 1) {
        text_.remove_prefix(1);
        word += Escaped();
      } else {
        word += text_.front();
      }
    }
    return InvalidArgument("a string without its closing quote");
  }
  std::string_view text_;
};

template <class T>
bool ParseElement(const std::string& text, T& value) {
  const char* end = text.data() + text.size();
  if constexpr (std::is_same_v<T, std::string>) {
    value = text;
    return true;
  } else if constexpr (std::is_same_v<T, bool>) {
    value = text == "1";
    return text == "0" || text == "1";
  } else if constexpr (requires { value.value; }) {  // a quantised integer
    return ParseElement(text, value.value);
  } else if constexpr (std::is_integral_v<T>) {
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && stop == end;
  } else if constexpr (std::is_floating_point_v<T>) {
    char* stop = nullptr;
    value = sizeof(T) == 4 ? std::strtof(text.c_str(), &stop) : static_cast<T>(std::strtod(text.c_str(), &stop));
    return stop == text.c_str() + text.size();
  } else if constexpr (sizeof(T) == 2) {
    float wide = 0;
    const bool ok = ParseElement(text, wide);
    value = static_cast<T>(wide);
    return ok;
  } else {  // complex
    const size_t colon = text.find(':');
    typename T::value_type real = 0;
    typename T::value_type imaginary = 0;
    if (colon == std::string::npos || !ParseElement(text.substr(0, colon), real) ||
        !ParseElement(text.substr(colon + 1), imaginary))
      return false;
    value = T(real, imaginary);
    return true;
  }
}

Result<Shape> ParseShape(std::string_view text) {
  std::vector<int64_t> dims;
  while (!text.empty()) {
    int64_t size = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc()) return InvalidArgument("cannot read the shape at '", text, "'");
    dims.push_back(size);
    text.remove_prefix(static_cast<size_t>(stop - text.data()));
    if (!text.empty()) text.remove_prefix(1);
  }
  return Shape::Create(dims);
}

// "float32[2,3] 1 2 ..."
Result<Tensor> ParseTensor(std::string_view text) {
  const size_t open = text.find('[');
  const size_t close = text.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos) return InvalidArgument("no shape");
  const auto dtype = ParseDType(text.substr(0, open));
  if (!dtype) return InvalidArgument("unknown dtype '", text.substr(0, open), "'");
  DF_ASSIGN(const Shape shape, ParseShape(text.substr(open + 1, close - open - 1)));
  Tensor tensor(*dtype, shape);
  Elements elements(text.substr(close + 1));
  Status status;
  const bool known = VisitDType<float, double, float16, bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                                uint32_t, uint64_t, bool, std::string, std::complex<float>, std::complex<double>, qint8,
                                quint8, qint16, quint16, qint32>(*dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int64_t i = 0; i < shape.num_elements() && status.ok(); ++i) {
      Result<std::string> word = elements.Next();
      if (!word.ok()) {
        status = word.status();
      } else if (!ParseElement<T>(*word, tensor.data<T>()[i])) {
        status = InvalidArgument("cannot read the element '", *word, "'");
      }
    }
  });
  DF_TRY(status);
  if (!known || !elements.AtEnd()) return InvalidArgument("too many elements, or a dtype without a text form");
  return tensor;
}

// A variable's value as a tensor, or its dtype alone: a tensor of that dtype without a value.
Result<Tensor> ParseVariable(std::string_view text) {
  const auto dtype = ParseDType(text);
  if (!dtype) return ParseTensor(text);
  Tensor tensor(*dtype, Shape());
  tensor.Reset();
  return tensor;
}

// "string[1] "a" => int64[1] 7", or the two dtypes.
Result<TableContents> ParseContents(const std::string& text) {
  const size_t arrow = text.find(" => ");
  if (arrow == std::string::npos) return InvalidArgument("no ' => ' between keys and values");
  TableContents contents;
  DF_ASSIGN(contents.keys, ParseVariable(text.substr(0, arrow)));
  DF_ASSIGN(contents.values, ParseVariable(text.substr(arrow + 4)));
  return contents;
}

// "HashTableV2" and the contents.
Status ReadTable(const std::string& text, GoldenCase& c) {
  const size_t space = text.find(' ');
  if (space == std::string::npos) return InvalidArgument("no contents of the table");
  GoldenTable table{c.inputs.size(), text.substr(0, space), {}};
  DF_ASSIGN(table.contents, ParseContents(text.substr(space + 1)));
  c.tables.push_back(std::move(table));
  DF_ASSIGN(Tensor handle, ParseVariable("resource"));
  c.inputs.push_back(std::move(handle));
  return Status();
}

// "name=value", the value as the default of an attr of that type would be written.
Status ParseAttr(const std::string& op_name, const std::string& text, AttrMap& attrs) {
  const OpDef* op = OpRegistry::Builtin().Find(op_name);
  if (op == nullptr) return Status();  // the test reports the op itself
  const size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const AttrDef* def = op->FindAttr(name);
  if (equals == std::string::npos || def == nullptr) return InvalidArgument("'", text, "' is no attr of ", op_name);
  OpBuilder builder("parser");
  builder.Attr(name + ": " + def->type + " = " + text.substr(equals + 1)).Doc("Parses one attr.");
  DF_ASSIGN(const OpDef parsed, builder.Finish());
  attrs.Set(name, parsed.attrs[0].default_value);
  return Status();
}

Status ReadLine(const std::string& key, const std::string& rest, GoldenCase& c) {
  if (key == "attr") return ParseAttr(c.op, rest, c.attrs);
  if (key == "in" || key == "out") {
    DF_ASSIGN(Tensor tensor, ParseTensor(rest));
    (key == "in" ? c.inputs : c.outputs).push_back(std::move(tensor));
  } else if (key == "var") {
    c.variables.push_back(c.inputs.size());
    DF_ASSIGN(Tensor value, ParseVariable(rest));
    c.inputs.push_back(std::move(value));
  } else if (key == "table") {
    return ReadTable(rest, c);
  } else if (key == "held") {
    DF_ASSIGN(TableContents contents, ParseContents(rest));
    c.held.push_back(std::move(contents));
  } else if (key == "after") {
    DF_ASSIGN(Tensor value, ParseVariable(rest));
    c.after.push_back(std::move(value));
  } else if (key == "ulps") {
    c.ulps = std::strtod(rest.c_str(), nullptr);
  } else if (key == "error") {
    c.error = rest;
  } else {
    return InvalidArgument("unknown line '", key, "'");
  }
  return Status();
}

constexpr std::string_view kSuffix = ".txt.gz";
constexpr std::string_view kCase = "case ";
constexpr size_t kMaxBytes = size_t{256} << 20;  // bound for a file, packed or not

// Calls visit(line, number) until it returns an error.
template <class Visit>
Status ForEachLine(std::string_view text, const Visit& visit) {
  for (int number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    DF_TRY(visit(text.substr(0, end), number));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return Status();
}

// Returns the op of a line "case OP NAME".
std::string_view OpOf(std::string_view line) {
  line.remove_prefix(kCase.size());
  return line.substr(0, line.find(' '));
}

GoldenCase CaseOf(std::string_view line, int number) {
  GoldenCase c;
  c.op = OpOf(line);
  c.line = number;
  line.remove_prefix(std::min(kCase.size() + c.op.size() + 1, line.size()));
  c.name = line;
  return c;
}

}  // namespace

Result<GoldenText> ReadGoldenText(const std::string& path) {
  DF_ASSIGN(const std::string packed, ReadFile(path, kMaxBytes));
  Result<std::string> text = Inflate(packed, Compression::kGzip, kMaxBytes);
  DF_TRY(text.status().Annotate(path));
  return GoldenText{path, *std::move(text)};
}

std::set<std::string> OpsOf(const GoldenText& file) {
  std::set<std::string> ops;
  (void)ForEachLine(file.text, [&](std::string_view line, int) {
    if (line.starts_with(kCase)) ops.emplace(OpOf(line));
    return Status();
  });
  return ops;
}

Result<std::vector<GoldenCase>> ParseCases(const GoldenText& file, std::string_view op) {
  std::vector<GoldenCase> cases;
  bool is_in_case = false;
  bool is_wanted = false;
  const auto read = [&](std::string_view line, int number) -> Status {
    if (line.empty() || line[0] == '#') return Status();
    if (line.starts_with(kCase)) {
      is_in_case = true;
      is_wanted = op.empty() || OpOf(line) == op;
      if (is_wanted) cases.push_back(CaseOf(line, number));
      return Status();
    }
    if (is_in_case && !is_wanted) return Status();
    const size_t space = line.find(' ');
    const std::string rest(space == std::string_view::npos ? "" : line.substr(space + 1));
    const Status status = is_in_case ? ReadLine(std::string(line.substr(0, space)), rest, cases.back())
                                     : InvalidArgument("a line before the first case");
    return status.ok() ? status : status.Annotate(StrCat(file.path, ":", number));
  };
  DF_TRY(ForEachLine(file.text, read));
  return cases;
}

Result<std::vector<GoldenCase>> ReadGoldenFile(const std::string& path) {
  DF_ASSIGN(const GoldenText file, ReadGoldenText(path));
  return ParseCases(file);
}

std::string GoldenDir() {
  const char* const named = std::getenv("DFRUN_GOLDEN_DIR");
  return named == nullptr ? DFRUN_GOLDEN_DIR : named;
}

std::vector<std::string> GoldenFiles(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().native().ends_with(kSuffix)) files.push_back(entry.path().native());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string FamilyOf(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename();
  return name.substr(0, name.size() - kSuffix.size());
}

}  // namespace dfrun::testing
