// The messages of a Chakra file, one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/workload/chakra/trace.pb.h"
#include "bench/workload/read/trace_input.hpp"

namespace railgauge {

inline constexpr std::size_t most_message = std::size_t{2} << 20;  // bytes

// False at the end of the file. Throws Error(usage) "ORIGIN: message N: ..." for what is cut, too long or no such message.
class ChakraMessages {
 public:
  explicit ChakraMessages(TraceInput& input) : input_(input) {}
  bool next(google::protobuf::MessageLite& message);

 private:
  TraceInput& input_;
  std::size_t number_ = 0;
  std::string bytes_;
};

// Attributes by their name, whatever integers their writer took.
class ChakraAttributes {
 public:
  explicit ChakraAttributes(const google::protobuf::RepeatedPtrField<chakra::Attribute>& all);
  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
  [[nodiscard]] std::optional<std::int64_t> whole(std::string_view name) const;
  [[nodiscard]] std::optional<double> real(std::string_view name) const;
  [[nodiscard]] bool flag(std::string_view name, bool otherwise) const;
  [[nodiscard]] std::optional<std::string> text(std::string_view name) const;  // also of a number
  [[nodiscard]] std::vector<std::uint64_t> list(std::string_view name) const;

 private:
  [[nodiscard]] const chakra::Attribute* find(std::string_view name) const;
  std::map<std::string_view, const chakra::Attribute*> all_;
};

}  // namespace railgauge
