// From a path to the format's reader, with a bound on what is loaded.
#include "bench/schedule/read/read.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "bench/schedule/read/gzip.hpp"
#include "bench/schedule/read/msccl_xml.hpp"
#include "bench/schedule/read/mscclpp.hpp"
#include "bench/schedule/read/plan_file.hpp"

namespace railgauge {
namespace {

constexpr std::size_t most = std::size_t{64} << 20;  // bytes, of a file and of what it holds

}  // namespace

Program read_algorithm_text(std::string bytes, const std::string& origin) {
  if (is_gzip(bytes)) bytes = unpack_gzip(bytes, origin, most);
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) throw Error(Fault::usage, fmt::format("{}: the file is empty", origin));
  if (bytes[first] != '{' && bytes[first] != '[') return read_msccl_xml(bytes, origin);
  if (bytes.size() > most_plan_bytes)
    throw Error(Fault::usage, fmt::format("{}: it has more than {} MiB, and no plan is as large", origin, most_plan_bytes >> 20));
  return read_mscclpp(bytes, origin);
}

Program read_algorithm(const std::string& path) { return read_algorithm_text(read_file(path, most), path); }

}  // namespace railgauge
