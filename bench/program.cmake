# The program: commands over the rooms.
find_package(CLI11 REQUIRED)

railgauge_library(railgauge_sweep
  SOURCES select/sweep.cpp session/buffer_sets.cpp select/choose.cpp session/clocks.cpp copy/expected.cpp copy/matrices.cpp copy/measure.cpp copy/places.cpp run/environment.cpp session/explained.cpp group/gather_json.cpp session/pairs.cpp watch/power_watch.cpp session/session.cpp session/natives.cpp group/nodes.cpp session/places.cpp session/rank_memory.cpp session/summary.cpp group/host.cpp ranks/rank_report.cpp watch/watches.cpp watch/wire_watch.cpp nccl_tests/options.cpp nccl_tests/output.cpp
  LINKS railgauge_plan railgauge_measure railgauge_reports railgauge_topo railgauge_transports)
target_compile_definitions(railgauge_sweep PRIVATE RAILGAUGE_VERSION="${PROJECT_VERSION}")

add_executable(railgauge main.cpp commands/command.cpp commands/topo.cpp commands/topo_check.cpp commands/topo_diff.cpp commands/topo_expect.cpp commands/topo_sources.cpp group/expected.cpp
  commands/bench.cpp commands/bench_copy.cpp commands/bench_rdma.cpp commands/bench_times.cpp commands/compare.cpp commands/gate.cpp commands/history.cpp commands/launch.cpp commands/list.cpp commands/report.cpp copy/run.cpp commands/history_trends.cpp run/outputs.cpp
  commands/nccl_tests.cpp gate/gate.cpp interleave/interleave.cpp interleave/launches.cpp run/run.cpp select/tuning.cpp ranks/ranks.cpp ranks/spread.cpp nccl_tests/buffers.cpp nccl_tests/run.cpp ranks/interrupt.cpp
  commands/settings.cpp
  gate/gate_control.cpp
  commands/validate.cpp
  validate/run/run.cpp
  validate/tasks/tasks.cpp
  validate/tasks/alone.cpp
  validate/tasks/alone_copies.cpp
  validate/tasks/alone_loopback.cpp)
target_link_libraries(railgauge PRIVATE railgauge_sweep railgauge_agents railgauge_stages railgauge_validation_reports railgauge_jobs railgauge_launch railgauge_compare railgauge_gate railgauge_history railgauge_topo railgauge_web CLI11::CLI11)
target_compile_definitions(railgauge PRIVATE RAILGAUGE_VERSION="${PROJECT_VERSION}")
railgauge_common(railgauge)
install(TARGETS railgauge RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")

# The programs of nccl-tests are other names of it.
foreach(program IN ITEMS all_reduce all_gather broadcast reduce reduce_scatter alltoall alltoallv gather scatter sendrecv hypercube)
  add_custom_command(TARGET railgauge POST_BUILD
    COMMAND "${CMAKE_COMMAND}" -E create_symlink $<TARGET_FILE_NAME:railgauge> "$<TARGET_FILE_DIR:railgauge>/${program}_perf")
  install(CODE "file(CREATE_LINK railgauge \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/${program}_perf\" SYMBOLIC)")
endforeach()
