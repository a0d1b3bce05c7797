#include "topo/read/ending.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "topo/notes.hpp"
#include "topo/scan.hpp"

namespace railgauge::topo {

void check_end(Graph& graph, const Reading& reading) {
  if (is_unterminated(reading.text)) refuse_cut(reading, "its newline");
  std::string_view last;
  for (Lines lines(reading.text); lines.next();)
    if (!lines.line().empty()) last = lines.line();
  if (last != end_of_evidence)
    add_note(graph, fmt::format("{}:{}: the file does not end with the line `{}`: it was cut here, or an earlier version of "
                                "railgauge wrote it",
                                reading.origin, last_line_of(reading.text), end_of_evidence));
}

void note_open_line(Graph& graph, const Reading& reading) {
  if (is_unterminated(reading.text)) add_note(graph, may_be_cut(reading.origin, reading.text));
}

void refuse_open_line(const Reading& reading) {
  throw Error(Fault::usage, fmt::format("{}:{}: this last line has no newline at its end, and more could belong to it: add the "
                                        "newline if the line is whole, or take the file again",
                                        reading.origin, last_line_of(reading.text)));
}

void refuse_cut(const Reading& reading, std::string_view lacking) {
  throw Error(Fault::usage, fmt::format("{}:{}: the file ends in the middle of this line, which lacks {}: it was cut",
                                        reading.origin, last_line_of(reading.text), lacking));
}

}  // namespace railgauge::topo
