// CSV (RFC 4180, with a line of names) for spreadsheets: the flat keys of a result; the samples are in JSON Lines only.
#include "base/output/text.hpp"
#include "reports/formats/form.hpp"
#include "reports/formats/writer.hpp"
#include "reports/record/record.hpp"

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
  return line + "versions,settings,environment\r\n";
}

std::string line_of(const nlohmann::ordered_json& record, const Result& result) {
  std::string line;
  for (const auto& item : record.items()) line += cell(item.value()) + ",";
  std::string versions, settings, environment;
  for (const auto& [library, version] : result.versions)
    versions += (versions.empty() ? "" : "; ") + printable(library) + " " + printable(version);
  for (const auto& [name, value] : result.settings)
    settings += (settings.empty() ? "" : "; ") + printable(name) + "=" + printable(value);
  for (const auto& [name, value] : result.environment)
    environment += (environment.empty() ? "" : "; ") + printable(name) + "=" + printable(value);
  return line + in_quotes(versions) + "," + in_quotes(settings) + "," + in_quotes(environment) + "\r\n";
}

class Csv final : public Form {
 public:
  std::string head(const Run& /*run*/) override { return names_line(flat_record({})); }
  std::string add(const Result& result) override { return line_of(flat_record(result), result); }
};

}  // namespace

std::unique_ptr<Writer> make_csv(const std::string& path) { return make_form_writer(path, std::make_unique<Csv>()); }

}  // namespace railgauge
