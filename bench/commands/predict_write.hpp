// The forms in which `railgauge predict` writes an answer: its own text and JSON, a page, and the formats of results.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/predict/predict.hpp"
#include "topo/graph.hpp"

namespace railgauge {

enum class PredictForm : std::uint8_t { text, json, page, results };

// By --format, else by the end of the name. Throws Error(usage) for a format that does not exist, or contradicts the name.
[[nodiscard]] PredictForm predict_form(const std::string& format, const std::string& output);

struct Answered {
  const topo::Graph& graph;  // the one that was asked about
  predict::Answer answer;    // with loads where a page is to be written
};

// The second is that after the changes, where there are any. `output` is empty or "-" for standard output, else the name of a new
// file, which appears whole. Throws Error(usage) when it cannot be written.
void write_prediction(const std::vector<Answered>& answers, const std::vector<std::string>& changes, PredictForm form,
                      const std::string& format, const std::string& output);

}  // namespace railgauge
