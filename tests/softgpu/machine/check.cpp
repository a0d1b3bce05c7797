#include "tests/softgpu/machine/shadow.hpp"

#include <algorithm>
#include <bit>

#include "tests/softgpu/machine/kernel.hpp"
#include "tests/softgpu/machine/lock.hpp"

namespace softgpu {
namespace {

// Memory of this process alone needs none.
std::atomic<std::uint8_t>* lock_of(Memory::Entry& entry, std::size_t offset) {
  return entry.allocation.shared ? &entry.cells[offset / locked_bytes * (locked_bytes / cell_bytes)].lock : nullptr;
}

bool is_synchronising(std::uint32_t site_number) {
  if (site_number == static_cast<std::uint32_t>(Operation::stream_write) ||
      site_number == static_cast<std::uint32_t>(Operation::stream_wait))
    return true;
  const Place place = place_of(site_number);
  return place.site != nullptr && place.site->order != SG_WEAK;
}
std::uint32_t scope_of(std::uint32_t site_number) {
  const Place place = place_of(site_number);
  return place.site == nullptr ? std::uint32_t{SG_SYSTEM} : place.site->scope;
}

}  // namespace

struct Checker::Here {
  Memory::Entry& entry;
  std::uintptr_t address;
  std::size_t bytes;
  const Accessor& who;
  bool reads, writes, atomic;
};

inline bool Checker::is_before(const Access& other, const Accessor& who) const {
  if (other.unit == who.as.unit) {
    if (other.thread == who.as.thread || other.clock < who.phase) return true;
  } else if (who.ordered[other.unit % ordered_units] == other.unit) {
    return true;
  }
  return is_known(other, who);
}

bool Checker::is_known(const Access& other, const Accessor& who) const {
  if (other.unit != who.as.unit) {
    if (who.common->has_operation(world_, other.unit)) {
      who.ordered[other.unit % ordered_units] = other.unit;
      return true;
    }
    if (who.common->has(world_, other)) return true;
  }
  return who.own != nullptr && who.own->has(world_, other);
}

// Two operations on a flag that see each other whole: each in the scope of the other.
bool Checker::are_atomic(const Access& other, const Here& here) const {
  if (!here.atomic || !is_synchronising(other.site)) return false;
  const auto within = [&](std::uint32_t scope) {
    if (scope == SG_SYSTEM) return true;
    if (scope == SG_BLOCK) return other.unit == here.who.as.unit;
    return world_.operation_of(other.unit).device == here.who.device;
  };
  return within(scope_of(other.site)) && within(scope_of(here.who.as.site));
}

bool Checker::covers(const World::Left& left, const Accessor& who, std::uint32_t scope) const {
  const std::uint32_t narrower = std::min(left.scope, scope);
  if (narrower == SG_SYSTEM) return true;
  if (narrower == SG_BLOCK) return left.unit == who.as.unit;
  return world_.operation_of(left.unit).device == who.device;
}

void Checker::access(Memory::Entry& entry, std::uintptr_t address, std::size_t bytes, const Accessor& who, bool writes) {
  const Here here{entry, address, bytes, who, !writes, writes, false};
  std::size_t offset = address - entry.first;
  const std::size_t end = offset + bytes;
  while (offset < end) {
    const SpinLock lock(lock_of(entry, offset));
    const std::size_t until = std::min(end, (offset / locked_bytes + 1) * locked_bytes);
    while (offset < until) {
      const std::size_t index = offset / cell_bytes, from = offset % cell_bytes,
                        count = std::min(cell_bytes - from, end - offset);
      Cell& cell = entry.cells[index];
      if (count == cell_bytes && cell.part == 0)
        touch(cell, here);
      else
        part(entry, index, from, count, here);
      offset += count;
    }
  }
}

void Checker::synchronise(Memory::Entry& entry, std::uintptr_t address, std::size_t bytes, const Accessor& who, bool reads,
                          bool writes, const std::function<void(std::uint32_t&)>& act) {
  const Here here{entry, address, bytes, who, reads, writes, true};
  const std::size_t offset = address - entry.first;
  const std::size_t index = offset / cell_bytes, from = offset % cell_bytes;
  Cell& cell = entry.cells[index];
  const SpinLock lock(lock_of(entry, offset));
  const std::size_t count = std::min(bytes, cell_bytes - from);  // all of it, where it is aligned to its size
  if (count == cell_bytes && cell.part == 0)
    touch(cell, here);
  else
    part(entry, index, from, count, here);
  // Several flags in one cell have a place each.
  act(from == 0 ? cell.place : entry.byte_cells[offset].place);
}

void Checker::touch(Cell& cell, const Here& here) {
  if (here.reads) read(cell, here);
  if (here.writes) write(cell, here);
}

// Bytes of a cell apart. A write of the whole makes one of it again.
void Checker::part(Memory::Entry& entry, std::size_t index, std::size_t from, std::size_t count, const Here& here) {
  Cell& whole = entry.cells[index];
  const std::size_t needed = std::size_t{1} << std::countr_zero(from | count);
  if (whole.part == 0 || whole.part > needed) split(entry, index, needed);
  Cell* const bytes = entry.byte_cells + index * cell_bytes;
  for (std::size_t i = from; i < from + count; i += whole.part) touch(bytes[i], here);
  if (count != cell_bytes || !here.writes) return;
  whole.write = here.who.as;
  whole.read = {};
  whole.part = 0;
}

// Into parts, or those into smaller ones.
void Checker::split(Memory::Entry& entry, std::size_t index, std::size_t part) {
  Cell& whole = entry.cells[index];
  Cell* const bytes = entry.byte_cells + index * cell_bytes;
  const std::size_t before = whole.part == 0 ? cell_bytes : whole.part;
  for (std::size_t i = 0; i < cell_bytes; i += part) {
    const Cell& from = whole.part == 0 ? whole : bytes[i / before * before];
    Cell& to = bytes[i];
    if (&to == &from) continue;
    to.lock.store(0, std::memory_order_relaxed);  // a page whose first access is a read faults twice
    to.write = from.write;
    to.read = from.read;
    if (from.read.unit != several_units) continue;
    std::uint32_t set = 0;
    for (const Access& reader : world_.readers(from.read.clock))
      set = world_.add_reader(set, reader, 0, [](const Access&) { return false; });
    to.read.clock = set;
  }
  if (whole.part == 0) drop_reads(whole);
  whole.part = static_cast<std::uint8_t>(part);
}

void Checker::drop_reads(Cell& cell) {
  if (cell.read.unit == several_units) world_.drop_readers(cell.read.clock);
  cell.read = {};
}

void Checker::read(Cell& cell, const Here& here) {
  const Accessor& who = here.who;
  if (cell.write.unit == 0) {
    if (here.entry.allocation.tracked)
      report(Finding::Kind::uninitialised, &here.entry, here.address, here.bytes, who, here.writes);
  } else if (!is_before(cell.write, who) && !are_atomic(cell.write, here)) {
    race(cell.write, true, here);
  }
  Access& last = cell.read;
  if (last.unit == who.as.unit) {
    const bool merged = last.thread != who.as.thread && last.clock >= who.phase;
    if (!merged) {
      last = who.as;
    } else {
      last.clock = std::max(last.clock, who.as.clock);
      last.thread = many;
    }
    return;
  }
  if (last.unit == 0 || (last.unit != several_units && is_before(last, who))) {
    last = who.as;
    return;
  }
  if (here.atomic && !here.writes) return;  // who looks at a flag again and again is not kept beside others
  join_readers(cell, here);
}

void Checker::join_readers(Cell& cell, const Here& here) {
  const Accessor& who = here.who;
  const auto known = [&](const Access& other) { return is_before(other, who); };
  // That this thread, or several of the block, are in the set already.
  std::uint64_t alone = 0, together = 0;
  std::uint64_t* remembered = nullptr;
  if (who.reads != nullptr) {
    const auto at = reinterpret_cast<std::uintptr_t>(&cell);
    together = (at / sizeof(Cell)) ^ (std::uint64_t{who.as.clock} << 44) ^ (std::uint64_t{1} << 63);
    alone = together ^ (std::uint64_t{who.as.thread} + 1) << 33;
    remembered = &who.reads[at / sizeof(Cell) % remembered_reads];
  }
  std::uint32_t set = 0;
  if (cell.read.unit == several_units) {
    if (remembered != nullptr && (*remembered == together || *remembered == alone)) return;
    set = cell.read.clock;
  } else {
    set = world_.add_reader(0, cell.read, 0, known);
  }
  cell.read.clock = world_.add_reader(set, who.as, who.phase, known);
  cell.read.unit = several_units;
  if (remembered == nullptr) return;
  const bool of_block = (*remembered ^ together) >> 44 == 0 && ((*remembered ^ together) & ((std::uint64_t{1} << 33) - 1)) == 0;
  *remembered = of_block ? together : alone;
}

void Checker::write(Cell& cell, const Here& here) {
  const Accessor& who = here.who;
  if (!here.reads && cell.write.unit != 0 && !is_before(cell.write, who) && !are_atomic(cell.write, here))
    race(cell.write, true, here);
  if (cell.read.unit == several_units) {
    for (const Access& reader : world_.readers(cell.read.clock))
      if (!is_before(reader, who) && !are_atomic(reader, here)) race(reader, false, here);
    if (who.reads != nullptr)  // the next read is noted anew
      who.reads[reinterpret_cast<std::uintptr_t>(&cell) / sizeof(Cell) % remembered_reads] = 0;
    drop_reads(cell);
  } else if (cell.read.unit != 0) {
    if (!is_before(cell.read, who) && !are_atomic(cell.read, here)) race(cell.read, false, here);
  }
  cell.read = {};
  cell.write = who.as;
}

Memory::Entry* Checker::find(std::uintptr_t address, std::size_t bytes, const Accessor& who, bool writes) {
  return admit(memory_.entry_of(address), address, bytes, who, writes);
}

Memory::Entry* Checker::admit(Memory::Entry* entry, std::uintptr_t address, std::size_t bytes, const Accessor& who, bool writes) {
  const auto refusal =
      entry == nullptr ? Finding::Kind::unknown_address : entry->refusal(address, bytes, who.device != World::host_side, writes);
  if (!refusal) return entry;
  report(*refusal, entry, address, bytes, who, writes);
  return nullptr;
}

Finding::Source Checker::source_of(const Access& access, bool writes) const {
  Finding::Source source;
  source.writes = writes;
  source.thread = access.thread;
  source.block = world_.operation_of(access.unit).block;
  const Place place = place_of(access.site);
  if (place.site == nullptr) {
    constexpr std::string_view names[] = {"an operation", "a copy", "a fill", "a write of a value in a stream",
                                          "a wait in a stream"};
    source.text = names[std::min<std::size_t>(access.site, std::size(names) - 1) % std::size(names)];
    return source;
  }
  source.kernel = place.kernel->name;
  const Site& site = *place.site;
  source.text = std::string(place.kernel->files[site.file]) + ":" + std::to_string(site.line);
  if (site.outer_line != 0)
    source.text += ", called at " + std::string(place.kernel->files[site.outer_file]) + ":" + std::to_string(site.outer_line);
  return source;
}

void Checker::report(Finding::Kind kind, const Memory::Entry* entry, std::uintptr_t address, std::size_t bytes,
                     const Accessor& who, bool writes) {
  Finding finding;
  finding.kind = kind;
  finding.access = source_of(who.as, writes);
  finding.address = address;
  finding.bytes = static_cast<std::uint32_t>(bytes);
  if (entry != nullptr) {
    finding.allocation = entry->allocation.label;
    finding.offset = address - entry->allocation.base;
    finding.allocation_bytes = entry->allocation.bytes;
  }
  memory_.findings().add(std::move(finding));
}

void Checker::race(const Access& other, bool other_writes, const Here& here) {
  Finding finding;
  finding.kind = Finding::Kind::race;
  finding.access = source_of(here.who.as, here.writes);
  finding.other = source_of(other, other_writes);
  finding.address = here.address;
  finding.bytes = static_cast<std::uint32_t>(here.bytes);
  finding.allocation = here.entry.allocation.label;
  finding.offset = here.address - here.entry.allocation.base;
  finding.allocation_bytes = here.entry.allocation.bytes;
  memory_.findings().add(std::move(finding));
}

}  // namespace softgpu
