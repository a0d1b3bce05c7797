// Packs JSON into the blobs of a group's allgather.
#include "bench/group/gather_json.hpp"

#include <span>
#include <string>

#include "base/error.hpp"

namespace railgauge {

std::vector<nlohmann::json> gather_json(Group& group, const nlohmann::json& mine) {
  using Json = nlohmann::json;
  const std::string text = mine.dump(-1, ' ', true, Json::error_handler_t::replace);
  const auto bytes = std::as_bytes(std::span(text));
  std::vector<Json> all;
  for (const Blob& blob : group.allgather(Blob(bytes.begin(), bytes.end()))) {
    const auto* theirs = reinterpret_cast<const char*>(blob.data());
    all.push_back(Json::parse(theirs, theirs + blob.size(), nullptr, false));
    if (all.back().is_discarded())
      throw Error(Fault::lost, "what rank " + std::to_string(all.size() - 1) + " says of itself is no JSON");
  }
  return all;
}

}  // namespace railgauge
