// "Did you mean": the known word that is nearest to one that was mistyped.
#pragma once

#include <string>
#include <vector>

namespace railgauge::options {

// The nearest of `known` by edit distance (two neighbours that are swapped count once), empty where none is near: at most a third
// of the letters differ.
[[nodiscard]] std::string nearest(const std::string& word, const std::vector<std::string>& known);

// ": did you mean ring?", or nothing.
[[nodiscard]] std::string did_you_mean(const std::string& word, const std::vector<std::string>& known);

}  // namespace railgauge::options
