# The libraries that railgauge stands on, whatever is built of it; those of a backend are looked for in its folder.

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(pugixml REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Boost 1.74 REQUIRED)  # Asio, Graph and Math, by their headers alone
pkg_check_modules(HIGHWAY REQUIRED IMPORTED_TARGET GLOBAL libhwy)
pkg_check_modules(HWLOC IMPORTED_TARGET GLOBAL hwloc>=2.4)
if(NOT HWLOC_FOUND)
  message(FATAL_ERROR "railgauge needs hwloc 2.4 or newer to find out what a machine is made of. Install libhwloc-dev (Debian) or hwloc-devel.")
endif()
pkg_check_modules(YAML_CPP IMPORTED_TARGET GLOBAL yaml-cpp>=0.6.3)
if(NOT YAML_CPP_FOUND)
  message(FATAL_ERROR "railgauge needs yaml-cpp 0.6.3 or newer to read Slurm's topology.yaml. Install libyaml-cpp-dev (Debian) or yaml-cpp-devel.")
endif()
find_package(Protobuf REQUIRED)  # Chakra's execution traces
pkg_check_modules(LIBARCHIVE IMPORTED_TARGET GLOBAL libarchive>=3.4)
if(NOT LIBARCHIVE_FOUND)
  message(FATAL_ERROR "railgauge needs libarchive 3.4 or newer to unpack traces. Install libarchive-dev (Debian and its relatives) or libarchive-devel.")
endif()
