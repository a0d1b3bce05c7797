// A format of one file that is complete only at its end: how it puts results into text. What opens, keeps and publishes the file
// is the same for all of them.
#pragma once

#include <memory>
#include <string>

#include "reports/formats/writer.hpp"
#include "reports/result.hpp"

namespace railgauge {

class Form {
 public:
  virtual ~Form() = default;
  // Each gives the text that comes next, which may be empty. tail() comes once, and says what could not be known before.
  virtual std::string head(const Run& /*run*/) { return {}; }
  virtual std::string add(const Result& result) = 0;
  virtual std::string tail() { return {}; }
};

// `path` appears whole when the run is over, or cut short, and something was added; "-" is standard output, where text comes as
// soon as there is some. Throws Error(usage) when the file exists or cannot be made.
[[nodiscard]] std::unique_ptr<Writer> make_form_writer(const std::string& path, std::unique_ptr<Form> form);

}  // namespace railgauge
