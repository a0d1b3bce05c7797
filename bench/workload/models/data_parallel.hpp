// Models that every rank holds whole, trained by PyTorch's DistributedDataParallel.
#pragma once

#include "bench/workload/models/models.hpp"

namespace railgauge::models {

[[nodiscard]] Workload make_resnet50(const Options& options);
[[nodiscard]] Workload make_bert_large(const Options& options);

}  // namespace railgauge::models
