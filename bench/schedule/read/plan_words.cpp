// The table; what each does is what execution_kernel.hpp of microsoft/mscclpp executes.
#include "bench/schedule/read/plan_words.hpp"

#include <iterator>

namespace railgauge {
namespace {

constexpr PlanWord rows[] = {
    // name, kind, packets among sources, among targets, former, current, relaxed, signals, flushes
    {"nop", PlanKind::order, Packets::none, Packets::none, true, true, false, false, false},
    {"barrier", PlanKind::barrier, Packets::none, Packets::none, true, true, false, false, false},
    {"sem_acquire", PlanKind::acquire, Packets::none, Packets::none, false, true, false, false, false},
    {"sem_release", PlanKind::release, Packets::none, Packets::none, false, true, false, false, false},
    {"signal", PlanKind::signal, Packets::none, Packets::none, true, true, false, false, false},
    {"wait", PlanKind::wait, Packets::none, Packets::none, true, true, false, false, false},
    {"rlxsignal", PlanKind::signal, Packets::none, Packets::none, false, true, true, false, false},
    {"rlxwait", PlanKind::wait, Packets::none, Packets::none, false, true, true, false, false},
    {"flush", PlanKind::flush, Packets::none, Packets::none, true, true, false, false, false},
    {"put", PlanKind::pairs, Packets::none, Packets::none, true, true, false, false, false},
    {"pws", PlanKind::pairs, Packets::none, Packets::none, true, true, false, true, false},
    {"pwsf", PlanKind::pairs, Packets::none, Packets::none, true, true, false, true, true},
    {"get", PlanKind::pairs, Packets::none, Packets::none, true, true, false, false, false},
    {"copy", PlanKind::pairs, Packets::none, Packets::none, true, true, false, false, false},
    {"re", PlanKind::reduces, Packets::none, Packets::none, true, true, false, false, false},
    {"res", PlanKind::reduces, Packets::none, Packets::none, false, true, false, false, false},
    {"rre", PlanKind::reduces, Packets::none, Packets::none, false, true, false, false, false},
    {"rres", PlanKind::reduces, Packets::none, Packets::none, false, true, false, false, false},
    {"ppkt", PlanKind::pairs, Packets::none, Packets::all, true, true, false, false, false},
    {"cpkt", PlanKind::pairs, Packets::none, Packets::all, false, true, false, false, false},
    {"rppkt", PlanKind::pairs, Packets::all, Packets::all, false, true, false, false, false},
    {"upkt", PlanKind::pairs, Packets::all, Packets::none, false, true, false, false, false},
    {"repkt", PlanKind::reduces, Packets::but_first, Packets::but_first, false, true, false, false, false},
    {"respkt", PlanKind::reduces, Packets::but_first, Packets::but_first, false, true, false, false, false},
    {"recpkt", PlanKind::reduces, Packets::but_first, Packets::but_first, false, true, false, false, false},
    {"recspkt", PlanKind::reduces, Packets::but_first, Packets::but_first, false, true, false, false, false},
    {"pipeline", PlanKind::pipeline, Packets::none, Packets::none, false, true, false, false, false},
    {"glres", PlanKind::network, Packets::none, Packets::none, true, true, false, false, false},
    {"gstore", PlanKind::network, Packets::none, Packets::none, false, true, false, false, false},
    {"gstorepkt", PlanKind::network, Packets::none, Packets::none, false, true, false, false, false},
    {"rs", PlanKind::reduces, Packets::none, Packets::none, true, false, false, false, false},
    {"rrc", PlanKind::reduces, Packets::none, Packets::none, true, false, false, false, false},
    {"rrcs", PlanKind::reduces, Packets::none, Packets::none, true, false, false, false, false},
    {"rpkt", PlanKind::reduces, Packets::but_first, Packets::but_first, true, false, false, false, false},
    {"rspkt", PlanKind::reduces, Packets::but_first, Packets::but_first, true, false, false, false, false},
    {"tpkt", PlanKind::pairs, Packets::none, Packets::all, true, false, false, false, false},
    {"cpkt", PlanKind::pairs, Packets::all, Packets::none, true, false, false, false, false},
};

}  // namespace

std::span<const PlanWord> plan_words() noexcept { return rows; }

int find_plan_word(std::string_view name, bool former) noexcept {
  for (int i = 0; i < static_cast<int>(std::size(rows)); ++i)
    if (rows[i].name == name && (former ? rows[i].former : rows[i].current)) return i;
  return -1;
}

}  // namespace railgauge
