// A handler of nlohmann's events that builds one element at a time.
#include "bench/workload/read/elements.hpp"

#include <fmt/format.h>

#include <cmath>
#include <istream>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::json;

// Builds one value from events.
class Builder {
 public:
  // True when the value is complete.
  bool add(Json&& value, const std::string& origin) {
    if (++values_ > most_values)
      throw Error(Fault::usage, fmt::format("{}: one element has more than {} values", origin, most_values));
    if (open_.empty()) {
      root_ = std::move(value);
      return true;
    }
    (void)place(std::move(value));
    return false;
  }
  void open(Json&& container, const std::string& origin) {
    if (open_.size() >= most_depth)
      throw Error(Fault::usage, fmt::format("{}: it is nested more than {} deep", origin, most_depth));
    if (++values_ > most_values)
      throw Error(Fault::usage, fmt::format("{}: one element has more than {} values", origin, most_values));
    if (open_.empty()) {
      root_ = std::move(container);
      open_.push_back(&root_);
    } else {
      open_.push_back(place(std::move(container)));
    }
  }
  bool close() {
    open_.pop_back();
    return open_.empty();
  }
  void key(std::string& name) { key_ = std::move(name); }
  [[nodiscard]] bool building() const { return !open_.empty(); }
  Json take() {
    values_ = 0;
    return std::exchange(root_, Json());
  }

 private:
  // The containers that are open have their final place: only the innermost one grows.
  Json* place(Json&& value) {
    Json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(parent[std::exchange(key_, {})] = std::move(value));
  }

  Json root_;
  std::vector<Json*> open_;
  std::string key_;
  std::size_t values_ = 0;
};

class Events : public nlohmann::json_sax<Json> {
 public:
  Events(TraceInput* input, std::string origin, const ElementsRequest* request)
      : input_(input), origin_(std::move(origin)), request_(request) {}

  bool null() override { return value(Json()); }
  bool boolean(bool it) override { return value(Json(it)); }
  bool number_integer(std::int64_t it) override { return value(Json(it)); }
  bool number_unsigned(std::uint64_t it) override { return value(Json(it)); }
  bool number_float(double it, const std::string&) override { return value(Json(it)); }
  bool string(std::string& it) override { return value(Json(std::move(it))); }
  bool binary(Json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    heard();
    if (builder_.building())
      builder_.key(name);
    else if (depth_ == 1)
      key_ = std::move(name);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    throw Error(Fault::usage, fmt::format("{}: no valid JSON at byte {}", origin_, position));
  }

  [[nodiscard]] bool found_list() const { return found_list_; }
  Json take() { return builder_.take(); }

 private:
  void heard() {
    if (input_ != nullptr) input_->heard();
  }
  // Without a request the whole text is one value.
  [[nodiscard]] bool wanted() const {
    if (request_ == nullptr) return true;
    if (in_list_) return depth_ == list_depth_;
    return depth_ == 1 && !key_.empty() && request_->members.contains(key_);
  }
  [[nodiscard]] bool is_list() const {
    return request_ != nullptr && !in_list_ && (request_->list.empty() ? depth_ == 0 : depth_ == 1 && key_ == request_->list);
  }
  void complete() {
    if (request_ == nullptr) return;
    if (in_list_) {
      const Json element = builder_.take();
      if (!element.is_object())
        throw Error(Fault::usage, fmt::format("{}: element {} of its list is no object", origin_, number_));
      request_->take(element, number_++);
      return;
    }
    request_->member(key_, builder_.take());
  }
  bool value(Json&& it) {
    heard();
    if (builder_.building())
      (void)builder_.add(std::move(it), origin_);
    else if (wanted() && builder_.add(std::move(it), origin_))
      complete();
    return true;
  }
  bool open(Json&& container) {
    heard();
    if (!builder_.building() && is_list() && container.is_array()) {
      in_list_ = found_list_ = true;
      list_depth_ = ++depth_;
      return true;
    }
    if (builder_.building() || wanted()) builder_.open(std::move(container), origin_);
    if (++depth_ > most_skipped)
      throw Error(Fault::usage, fmt::format("{}: it is nested more than {} deep", origin_, most_skipped));
    return true;
  }
  bool close() {
    heard();
    --depth_;
    if (builder_.building()) {
      if (builder_.close()) complete();
    } else if (in_list_ && depth_ < list_depth_) {
      in_list_ = false;
    }
    return true;
  }

  static constexpr std::size_t most_skipped = 1000;
  TraceInput* input_;
  std::string origin_;
  const ElementsRequest* request_;
  Builder builder_;
  std::string key_;
  std::size_t depth_ = 0, list_depth_ = 0, number_ = 0;
  bool in_list_ = false, found_list_ = false;
};

}  // namespace

void read_elements(TraceInput& input, const ElementsRequest& request) {
  Events events(&input, input.origin(), &request);
  std::istream stream(&input);
  (void)Json::sax_parse(stream, &events);
  if (!events.found_list())
    throw Error(Fault::usage, request.list.empty() ? fmt::format("{}: expected a list", input.origin())
                                                   : fmt::format("{}: it has no list \"{}\"", input.origin(), request.list));
}

std::optional<Json> parse_bounded(std::string_view text) {
  try {
    Events events(nullptr, "text", nullptr);
    (void)Json::sax_parse(text.begin(), text.end(), &events);
    return events.take();
  } catch (const Error&) { return std::nullopt; }
}

std::optional<std::uint64_t> whole(const Json& value) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  if (value.is_number_integer() && value.get<std::int64_t>() >= 0) return static_cast<std::uint64_t>(value.get<std::int64_t>());
  return std::nullopt;
}

std::optional<double> finite(const Json& value) {
  if (!value.is_number()) return std::nullopt;
  const auto number = value.get<double>();
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

const Json* member_of(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

std::string text_of(const Json* value) {
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

}  // namespace railgauge
