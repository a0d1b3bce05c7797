// An Exchange that is always complete: what is left is the executor.
#pragma once

#include "transports/transport.hpp"

namespace railgauge::test {

class NullExchange final : public Exchange {
 public:
  void post(std::size_t round) override { posted_ = round; }
  bool test(std::size_t round) override { return round == posted_; }

 private:
  std::size_t posted_ = 0;
};

}  // namespace railgauge::test
