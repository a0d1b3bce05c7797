// JSON Lines: each result is one line, on disk as soon as it is known, so that nothing finished is lost with a crash.
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>

#include "base/output/file.hpp"
#include "reports/formats/writer.hpp"
#include "reports/record/record.hpp"

namespace railgauge {
namespace {

class JsonLines : public Writer {
 public:
  explicit JsonLines(Sink sink) : sink_(std::move(sink)) {}
  void begin(const Run&) override {}
  void add(const Result& result) override { sink_(result_line(result)); }
  void finish() override {}

 private:
  Sink sink_;
};

}  // namespace

std::unique_ptr<Writer> make_json_lines(const std::string& path) {
  if (path == "-") return std::make_unique<JsonLines>(descriptor_sink(STDOUT_FILENO, "standard output"));
  auto file = std::make_shared<GrowingFile>(path);  // shared, since a std::function must be copyable
  return std::make_unique<JsonLines>([file](std::string_view line) { file->append(line); });
}

}  // namespace railgauge
