// The file of reports/formats/form.hpp.
#include "reports/formats/form.hpp"

#include <unistd.h>

#include <optional>
#include <utility>

#include "base/output/file.hpp"

namespace railgauge {
namespace {

class FormWriter final : public Writer {
 public:
  FormWriter(const std::string& path, std::unique_ptr<Form> form) : form_(std::move(form)) {
    if (path == "-")
      sink_ = descriptor_sink(STDOUT_FILENO, "standard output");
    else
      file_.emplace(path);
  }

  ~FormWriter() override {
    try {
      FormWriter::finish();
    } catch (const std::exception&) {
      // finish() is what reports; a destructor has nobody to tell.
    }
  }

  void begin(const Run& run) override { put(form_->head(run)); }

  void add(const Result& result) override {
    put(form_->add(result));
    ++results_;
  }

  void finish() override {
    if (finished_ || (file_ && results_ == 0)) return;
    finished_ = true;
    put(form_->tail());
    if (file_) file_->publish();
  }

 private:
  void put(const std::string& text) {
    if (text.empty()) return;
    if (file_)
      file_->append(text);
    else
      sink_(text);
  }

  std::unique_ptr<Form> form_;
  std::optional<AsideFile> file_;  // none on standard output
  Sink sink_;
  std::size_t results_ = 0;
  bool finished_ = false;
};

}  // namespace

std::unique_ptr<Writer> make_form_writer(const std::string& path, std::unique_ptr<Form> form) {
  return std::make_unique<FormWriter>(path, std::move(form));
}

}  // namespace railgauge
