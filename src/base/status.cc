#include "src/base/status.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace dfrun {

std::string_view CodeName(Code code) {
  switch (code) {
    case Code::kOk:
      return "OK";
    case Code::kCancelled:
      return "Cancelled";
    case Code::kInvalidArgument:
      return "InvalidArgument";
    case Code::kNotFound:
      return "NotFound";
    case Code::kAlreadyExists:
      return "AlreadyExists";
    case Code::kFailedPrecondition:
      return "FailedPrecondition";
    case Code::kOutOfRange:
      return "OutOfRange";
    case Code::kUnimplemented:
      return "Unimplemented";
    case Code::kInternal:
      return "Internal";
    case Code::kResourceExhausted:
      return "ResourceExhausted";
    case Code::kDataLoss:
      return "DataLoss";
    case Code::kIo:
      return "IoError";
    case Code::kUsage:
      return "Usage";
    case Code::kBadSpec:
      return "BadSpec";
    case Code::kUnavailable:
      return "Unavailable";
    case Code::kNoInput:
      return "NoInput";
    case Code::kNotFinite:
      return "NotFinite";
    case Code::kRequeue:
      return "Requeue";
    case Code::kInterrupted:
      return "Interrupted";
    case Code::kTerminated:
      return "Terminated";
    case Code::kUserSignal:
      return "UserSignal";
  }
  return "Unknown";
}

int ExitCode(Code code) {
  switch (code) {
    case Code::kOk:
      return 0;
    case Code::kUsage:
      return 64;
    case Code::kBadSpec:
    case Code::kDataLoss:
      return 65;
    case Code::kNoInput:
      return 66;
    case Code::kNotFinite:
      return 71;
    case Code::kIo:
    case Code::kResourceExhausted:
      return 74;
    case Code::kRequeue:
      return 75;
    case Code::kUnavailable:
      return 76;
    case Code::kInterrupted:
      return 130;
    case Code::kUserSignal:
      return 138;
    case Code::kTerminated:
      return 143;
    default:
      return 70;
  }
}

Status::Status(Code code, std::string message) {
  if (code != Code::kOk) rep_.reset(new Rep{code, std::move(message)});
}

Status::Status(const Status& other) : rep_(other.rep_ ? new Rep(*other.rep_) : nullptr) {}

Status& Status::operator=(const Status& other) {
  if (this != &other) rep_.reset(other.rep_ ? new Rep(*other.rep_) : nullptr);
  return *this;
}

void Status::Deleter::operator()(Rep* rep) const {
  delete rep;
}

const std::string& Status::message() const {
  static const std::string empty;
  return rep_ ? rep_->message : empty;
}

std::string Status::ToString() const {
  return ok() ? std::string("OK") : StrCat(CodeName(code()), ": ", message());
}

Status Status::Annotate(std::string_view context) const {
  return ok() ? Status() : Status(code(), StrCat(context, ": ", message()));
}

namespace internal {

Printable::Printable(const char* value)
    : value_(value), print_([](std::ostream& out, const void* v) { out << static_cast<const char*>(v); }) {}
Printable::Printable(const std::string& value)
    : value_(&value), print_([](std::ostream& out, const void* v) { out << *static_cast<const std::string*>(v); }) {}
Printable::Printable(const std::string_view& value)
    : value_(&value),
      print_([](std::ostream& out, const void* v) { out << *static_cast<const std::string_view*>(v); }) {}
Printable::Printable(const int& value)
    : value_(&value), print_([](std::ostream& out, const void* v) { out << *static_cast<const int*>(v); }) {}
Printable::Printable(const int64_t& value)
    : value_(&value), print_([](std::ostream& out, const void* v) { out << *static_cast<const int64_t*>(v); }) {}
Printable::Printable(const size_t& value)
    : value_(&value), print_([](std::ostream& out, const void* v) { out << *static_cast<const size_t*>(v); }) {}

std::string Concatenate(std::initializer_list<Printable> parts) {
  std::ostringstream out;
  for (const Printable& part : parts) part.Print(out);
  return std::move(out).str();
}

Status MakeError(Code code, std::initializer_list<Printable> parts) {
  return Status(code, Concatenate(parts));
}

Status NotOk(Status status) {
  if (status.ok()) return Internal("a Result was made from an OK Status without a value");
  return status;
}

}  // namespace internal

void CheckFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace dfrun
