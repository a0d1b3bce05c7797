# The routes between the two ends of the cable of ci/vm, as lines for ip -batch. Sourced. No route leads around the cable: a kernel whose
# cable is cut must not find another path.
cable_routes() {
  echo route replace unreachable default table 101 metric 1000
  echo route replace unreachable default table 102 metric 1000
  echo route replace 10.0.0.2/32 dev cable0 src 10.0.0.1 table 101
  echo route replace 10.0.0.1/32 dev cable1 src 10.0.0.2 table 102
}
