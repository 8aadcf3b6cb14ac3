// Status and Result<T>: errors as values, which cross module boundaries.
//
// An OK Status is one null pointer: it costs nothing to make, move or test. An error carries a code and a message that
// names the action, the place, and the reader's remedy; Annotate() adds the location on the way up.
// Thread safety: const methods from any thread; otherwise external synchronisation.
#ifndef DFRUN_SRC_BASE_STATUS_H_
#define DFRUN_SRC_BASE_STATUS_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace dfrun {

// Numbers travel in abort messages: append only.
enum class Code : uint8_t {
  kOk = 0,
  kCancelled = 1,
  kInvalidArgument = 2,
  kNotFound = 3,
  kAlreadyExists = 4,
  kFailedPrecondition = 5,
  kOutOfRange = 6,
  kUnimplemented = 7,
  kInternal = 8,
  kResourceExhausted = 9,
  kDataLoss = 10,     // a damaged checkpoint or file
  kIo = 11,           // the file system said no
  kUsage = 12,        // a wrong command line
  kBadSpec = 13,      // a wrong spec or graph
  kUnavailable = 14,  // a peer was lost
  kNoInput = 15,      // input data that is missing or unreadable
  kNotFinite = 16,    // a loss, gradient or variable is NaN or infinite
  kRequeue = 17,      // saved after SIGTERM or SIGUSR1: the job goes on when it is started again
  kInterrupted = 18,  // SIGINT
  kTerminated = 19,   // SIGTERM, SIGHUP, SIGXCPU or SIGQUIT, and nothing was saved
  kUserSignal = 20    // SIGUSR1, and nothing was saved
};

std::string_view CodeName(Code code);

// Returns the process exit code for an error of this code: sysexits.h's, 71 for values that are not finite, 128 + the
// signal.
int ExitCode(Code code);

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message);
  Status(const Status& other);
  Status& operator=(const Status& other);
  Status(Status&&) noexcept = default;
  Status& operator=(Status&&) noexcept = default;

  bool ok() const { return rep_ == nullptr; }
  Code code() const { return rep_ ? rep_->code : Code::kOk; }
  const std::string& message() const;

  // "InvalidArgument: message".
  std::string ToString() const;

  // Returns the status with `context` and ": " before the message. OK stays OK.
  Status Annotate(std::string_view context) const;

  bool operator==(const Status& other) const { return code() == other.code() && message() == other.message(); }

 private:
  struct Rep {
    Code code;
    std::string message;
  };
  struct Deleter {  // not inline, since almost every function may have to drop an error
    void operator()(Rep* rep) const;
  };
  std::unique_ptr<Rep, Deleter> rep_;
};

namespace internal {

// A reference to something that operator<< prints. Made of each part of a message, so that where there is an error
// there is an array of these in the code, and not a stream.
class Printable {
 public:
  template <class T>
  explicit Printable(const T& value)
      : value_(&value), print_([](std::ostream& out, const void* v) { out << *static_cast<const T*>(v); }) {}
  explicit Printable(const char* value);
  explicit Printable(const std::string& value);
  explicit Printable(const std::string_view& value);
  explicit Printable(const int& value);
  explicit Printable(const int64_t& value);
  explicit Printable(const size_t& value);

  void Print(std::ostream& out) const { print_(out, value_); }

 private:
  const void* value_;
  void (*print_)(std::ostream& out, const void* value);
};

std::string Concatenate(std::initializer_list<Printable> parts);
Status MakeError(Code code, std::initializer_list<Printable> parts);
// `status`, an error; OK becomes the error of a Result that has neither a value nor an error.
Status NotOk(Status status);

}  // namespace internal

// Concatenates all values that operator<< can print. It is for messages, not for hot paths.
template <class... Args>
std::string StrCat(const Args&... args) {
  return internal::Concatenate({internal::Printable(args)...});
}

template <class... Args>
Status Error(Code code, const Args&... args) {
  return internal::MakeError(code, {internal::Printable(args)...});
}
template <class... Args>
Status InvalidArgument(const Args&... args) {
  return Error(Code::kInvalidArgument, args...);
}
template <class... Args>
Status NotFound(const Args&... args) {
  return Error(Code::kNotFound, args...);
}
template <class... Args>
Status Internal(const Args&... args) {
  return Error(Code::kInternal, args...);
}
template <class... Args>
Status Unimplemented(const Args&... args) {
  return Error(Code::kUnimplemented, args...);
}
template <class... Args>
Status FailedPrecondition(const Args&... args) {
  return Error(Code::kFailedPrecondition, args...);
}
template <class... Args>
Status NoInput(const Args&... args) {
  return Error(Code::kNoInput, args...);
}
template <class... Args>
Status IoError(const Args&... args) {
  return Error(Code::kIo, args...);
}

// A value or the error that prevented it.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor): `return value;`
  Result(Status status)                          // NOLINT(google-explicit-constructor): `return error;`
      : status_(internal::NotOk(std::move(status))) {}

  bool ok() const { return value_.has_value(); }
  const Status& status() const& { return status_; }
  Status status() && { return std::move(status_); }

  // The value; call only if ok().
  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return std::move(*value_); }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return std::move(*value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

// Returns from the enclosing function if the Status `expr` is an error.
#define DF_TRY(expr)                         \
  do {                                       \
    ::dfrun::Status df_try_status_ = (expr); \
    if (!df_try_status_.ok()) [[unlikely]]   \
      return df_try_status_;                 \
  } while (false)

#define DF_CONCAT_(a, b) a##b
#define DF_CONCAT(a, b) DF_CONCAT_(a, b)

// `DF_ASSIGN(auto x, F());` declares or assigns x from a Result, or returns its error.
#define DF_ASSIGN(lhs, expr) DF_ASSIGN_(DF_CONCAT(df_result_, __LINE__), lhs, expr)
#define DF_ASSIGN_(tmp, lhs, expr)  \
  auto tmp = (expr);                \
  if (!tmp.ok()) [[unlikely]]       \
    return std::move(tmp).status(); \
  lhs = std::move(tmp).value()

// For programmer errors only: prints the condition and its location, then aborts. Kept in release builds.
#define DF_CHECK(condition)                                 \
  do {                                                      \
    if (!(condition)) [[unlikely]]                          \
      ::dfrun::CheckFailed(#condition, __FILE__, __LINE__); \
  } while (false)
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_STATUS_H_
