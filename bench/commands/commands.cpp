// The commands of the program: a new one is a name and a row here, and a file beside this one.
#include "bench/commands/command.hpp"

namespace railgauge {

AddCommand add_bench, add_validate, add_report, add_compare, add_launch, add_gate, add_history, add_list, add_algorithm,
    add_doctor, add_help, add_predict, add_synthesise, add_version, add_workload, add_completion, add_manual;

namespace {

constexpr AddCommand* rows[] = {add_topo,    add_predict, add_bench,      add_workload, add_validate,  add_report,
                                add_compare, add_launch,  add_gate,       add_history,  add_algorithm, add_synthesise,
                                add_list,    add_doctor,  add_completion, add_help,     add_version,   add_manual};

}  // namespace

std::span<AddCommand* const> commands() noexcept { return rows; }

}  // namespace railgauge
