// CSV (RFC 4180, with a line of names) for spreadsheets: the flat keys of a result; the samples are in JSON Lines only.
#include <unistd.h>

#include <optional>
#include <utility>

#include "reports/file.hpp"
#include "reports/formats.hpp"
#include "reports/record.hpp"
#include "reports/text.hpp"

namespace railgauge {
namespace {

std::string in_quotes(const std::string& text) {
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string result = "\"";
  for (const char character : text) {
    if (character == '"') result += '"';
    result += character;
  }
  return result + '"';
}

std::string cell(const nlohmann::ordered_json& value) {
  if (value.is_null()) return {};
  return value.is_string() ? in_quotes(value.get<std::string>()) : value.dump();
}

std::string names_line(const nlohmann::ordered_json& record) {
  std::string line;
  for (const auto& item : record.items()) line += item.key() + ",";
  return line + "versions,settings\r\n";
}

std::string line_of(const nlohmann::ordered_json& record, const Result& result) {
  std::string line;
  for (const auto& item : record.items()) line += cell(item.value()) + ",";
  std::string versions, settings;
  for (const auto& [library, version] : result.versions)
    versions += (versions.empty() ? "" : "; ") + printable(library) + " " + printable(version);
  for (const auto& [name, value] : result.settings)
    settings += (settings.empty() ? "" : "; ") + printable(name) + "=" + printable(value);
  return line + in_quotes(versions) + "," + in_quotes(settings) + "\r\n";
}

class Csv : public Writer {
 public:
  explicit Csv(const std::string& path) {
    if (path == "-")
      sink_ = descriptor_sink(STDOUT_FILENO, "standard output");
    else
      sink_ = [this](std::string_view text) { file_->append(text); };
    if (path != "-") file_.emplace(path);
  }

  ~Csv() override {
    try {
      Csv::finish();
    } catch (const std::exception&) {
      // finish() is what reports; a destructor has nobody to tell.
    }
  }

  void begin(const Run&) override { sink_(names_line(flat_record({}))); }

  void add(const Result& result) override {
    sink_(line_of(flat_record(result), result));
    ++rows_;
  }

  void finish() override {
    if (file_ && rows_ != 0 && !published_) {
      published_ = true;
      file_->publish();
    }
  }

 private:
  std::optional<AsideFile> file_;
  Sink sink_;
  std::size_t rows_ = 0;
  bool published_ = false;
};

}  // namespace

std::unique_ptr<Writer> make_csv(const std::string& path) { return std::make_unique<Csv>(path); }

}  // namespace railgauge
