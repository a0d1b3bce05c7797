// Lengths, messages and attributes of Chakra's files.
#include "bench/workload/read/chakra_messages.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "base/error.hpp"

namespace railgauge {

bool ChakraMessages::next(google::protobuf::MessageLite& message) {
  const auto fail = [&](const std::string& what) {
    return Error(Fault::usage, fmt::format("{}: message {}: {}", input_.origin(), number_, what));
  };
  constexpr int end = std::char_traits<char>::eof();
  std::uint64_t length = 0;
  for (int shift = 0;; shift += 7) {
    const int byte = input_.sbumpc();
    if (byte == end && shift == 0) return false;
    if (byte == end) throw fail("the file is truncated");
    if (shift > 28) throw fail("its length is none");
    length |= static_cast<std::uint64_t>(byte & 127) << shift;
    if ((byte & 128) == 0) break;
  }
  if (length > most_message) throw fail(fmt::format("it has {} bytes, and {} are the most that is read", length, most_message));
  bytes_.resize(length);
  if (input_.sgetn(bytes_.data(), static_cast<std::streamsize>(length)) != static_cast<std::streamsize>(length))
    throw fail("the file is truncated");
  if (!message.ParseFromString(bytes_)) throw fail("it is no message of Chakra");
  input_.heard();
  ++number_;
  return true;
}

ChakraAttributes::ChakraAttributes(const google::protobuf::RepeatedPtrField<chakra::Attribute>& all) {
  for (const chakra::Attribute& one : all) all_[one.name()] = &one;
}

const chakra::Attribute* ChakraAttributes::find(std::string_view name) const {
  const auto found = all_.find(name);
  return found == all_.end() ? nullptr : found->second;
}

std::optional<std::int64_t> ChakraAttributes::whole(std::string_view name) const {
  const chakra::Attribute* const one = find(name);
  if (one == nullptr) return std::nullopt;
  using Case = chakra::Attribute::ValueCase;
  switch (one->value_case()) {
    case Case::kInt32Value:
      return one->int32_value();
    case Case::kInt64Value:
      return one->int64_value();
    case Case::kUint32Value:
      return one->uint32_value();
    case Case::kUint64Value:
      return static_cast<std::int64_t>(std::min<std::uint64_t>(one->uint64_value(), INT64_MAX));
    case Case::kSint32Value:
      return one->sint32_value();
    case Case::kSint64Value:
      return one->sint64_value();
    case Case::kFixed32Value:
      return one->fixed32_value();
    case Case::kFixed64Value:
      return static_cast<std::int64_t>(std::min<std::uint64_t>(one->fixed64_value(), INT64_MAX));
    case Case::kSfixed32Value:
      return one->sfixed32_value();
    case Case::kSfixed64Value:
      return one->sfixed64_value();
    case Case::kBoolValue:
      return one->bool_value() ? 1 : 0;
    default:
      return std::nullopt;
  }
}

std::optional<double> ChakraAttributes::real(std::string_view name) const {
  const chakra::Attribute* const one = find(name);
  if (one == nullptr) return std::nullopt;
  double value = 0;
  if (one->value_case() == chakra::Attribute::kDoubleValue) {
    value = one->double_value();
  } else if (one->value_case() == chakra::Attribute::kFloatValue) {
    value = static_cast<double>(one->float_value());
  } else {
    const auto number = whole(name);
    if (!number) return std::nullopt;
    value = static_cast<double>(*number);
  }
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

bool ChakraAttributes::flag(std::string_view name, bool otherwise) const {
  const auto number = whole(name);
  return number ? *number != 0 : otherwise;
}

std::optional<std::string> ChakraAttributes::text(std::string_view name) const {
  const chakra::Attribute* const one = find(name);
  if (one == nullptr) return std::nullopt;
  if (one->value_case() == chakra::Attribute::kText) return one->text();
  const auto number = whole(name);
  return number ? std::optional(std::to_string(*number)) : std::nullopt;
}

std::vector<std::uint64_t> ChakraAttributes::list(std::string_view name) const {
  const chakra::Attribute* const one = find(name);
  if (one == nullptr) return {};
  using Case = chakra::Attribute::ValueCase;
  const chakra::Integers* values = nullptr;
  if (one->value_case() == Case::kInt32List) values = &one->int32_list();
  if (one->value_case() == Case::kInt64List) values = &one->int64_list();
  if (one->value_case() == Case::kUint32List) values = &one->uint32_list();
  if (one->value_case() == Case::kUint64List) values = &one->uint64_list();
  std::vector<std::uint64_t> numbers;
  if (values != nullptr)
    for (const std::int64_t value : values->values()) numbers.push_back(static_cast<std::uint64_t>(value));
  return numbers;
}

}  // namespace railgauge
