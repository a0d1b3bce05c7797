# The program: commands over the rooms.
find_package(CLI11 REQUIRED)

railgauge_library(railgauge_sweep SOURCES sweep.cpp clocks.cpp pairs.cpp session.cpp host.cpp
  LINKS railgauge_plan railgauge_measure railgauge_reports railgauge_transports)
target_compile_definitions(railgauge_sweep PRIVATE RAILGAUGE_VERSION="${PROJECT_VERSION}")

add_executable(railgauge main.cpp command_topo.cpp command_bench.cpp command_list.cpp run.cpp interrupt.cpp)
target_link_libraries(railgauge PRIVATE railgauge_sweep railgauge_launch railgauge_topo CLI11::CLI11)
target_compile_definitions(railgauge PRIVATE RAILGAUGE_VERSION="${PROJECT_VERSION}")
railgauge_common(railgauge)
install(TARGETS railgauge RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
