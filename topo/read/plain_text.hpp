// From a file's bytes to the text in it: as programs write it, as PowerShell writes it, and as mails and issues quote it.
#pragma once

#include <string>

namespace railgauge::topo {

// UTF-8 without a byte order mark and without "> " in front of each line; lines keep their numbers. Throws Error(usage)
// "ORIGIN: ..." or "ORIGIN:LINE: ..." for what is no text (an archive, an image) and for a text of white space alone.
[[nodiscard]] std::string plain_text(std::string bytes, const std::string& origin);

}  // namespace railgauge::topo
