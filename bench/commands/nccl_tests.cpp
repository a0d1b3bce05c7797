// The options of nccl-tests: their names, defaults and what they allow.
#include "bench/commands/nccl_tests.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <limits>
#include <string>

#include "base/error.hpp"
#include "bench/nccl_tests/environment.hpp"
#include "bench/nccl_tests/run.hpp"
#include "reports/formats/nccl_tests.hpp"

namespace railgauge {
namespace {

using nccl_tests::Code;
using nccl_tests::Options;

constexpr int most_ranks = 4096;                // of a process
constexpr std::uint64_t most_kept = 1'000'000;  // times of single iterations

// A size that is none: the one mistake with an exit code of its own.
class BadSize : public Error {
 public:
  explicit BadSize(const std::string& sentence) : Error(Fault::usage, sentence) {}
};

// As the command line has them.
struct Given {
  Options options;
  std::string min_bytes = "32M", max_bytes = "32M", step_bytes = "1M", op = "sum", type = "float", root = "0";
  int average = 1, timeout = 0, stream_null = 0, graph = 0, launch_time = 0, timestamps = 0, registered = 0, policy = -1;
  int device_kernel = 0, device_blocks = 16, memory = 0, per_iteration = 0, parallel_init = 0;
  std::uint64_t skipped = 0;
};

std::uint64_t size_of(const std::string& option, const std::string& text) {
  const auto size = nccl_tests::parse_size(text);
  if (!size) throw BadSize(option + " " + text + " is not a size: expected a number of bytes, which may end in K, M or G");
  return *size;
}

template <class Value, class Find>
std::vector<Value> values_of(const std::string& option, const std::string& text, std::initializer_list<Value> all, Find find) {
  if (text == "all") return all;
  if (const auto found = find(text)) return {*found};
  std::string known;
  for (const Value value : all) known += std::string(nccl_tests::word(value)) + ", ";
  throw Error(Fault::usage, option + " " + text + " is unknown: choose from " + known + "all");
}

int root_of(const std::string& text) {
  if (text == "all") return -1;
  int root = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), root);
  if (fault != std::errc() || end != text.data() + text.size() || root < -1)
    throw Error(Fault::usage, "-r " + text + " is no rank: expected a number, or -1 for every rank, one after the other");
  return root;
}

// In either case, as there.
bool ends_in_json(const std::string& name) {
  constexpr std::string_view ending = ".json";
  return name.size() >= ending.size() &&
         std::equal(ending.begin(), ending.end(), name.end() - static_cast<std::ptrdiff_t>(ending.size()),
                    [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
}

void note_what_has_no_meaning(const CLI::App& command, const Given& given, const Invocation& invocation, Options& options) {
  const bool gpu = options.buffers.device.table != nullptr;
  const auto note = [&](bool given_so, const std::string& what, const char* why, const char* why_on_gpus) {
    if (given_so && (!gpu || *why_on_gpus != '\0'))
      options.without_meaning.push_back(gpu ? what + " is not followed: " + why_on_gpus
                                            : what + " has no meaning on host memory: " + why);
  };
  note(given.stream_null != 0, "-y 1", "there are no streams", "operations are always in a stream of their own");
  note(given.graph != 0, fmt::format("-G {}", given.graph), "there are no graphs, iterations are started one by one", "");
  note(given.registered == 1, "-R 1", "buffers are always registered with the transport", "");
  note(given.registered == 2, "-R 2", "there are no symmetric windows", "");
  note(given.policy >= 0, fmt::format("-x {}", given.policy), "there are no thread blocks to share out", "");
  note(command.count("-V") != 0, fmt::format("-V {}", given.device_blocks), "there are no kernels",
       "it is of -D, which is refused");
  note(given.memory != 0, "-M 1", "there is no GPU memory to report", "there is no report of GPU memory yet");
  if (gpu && given.graph > 1)
    options.without_meaning.push_back(
        fmt::format("-G {}: each operation is a graph of its own, which is launched once for each iteration", given.graph));
  if (given.per_iteration == 0 && given.skipped != 0)
    options.without_meaning.push_back(fmt::format("-K {} is not followed: it needs -I 1", given.skipped));
  for (std::string& sentence : nccl_tests::without_meaning(invocation.environment, gpu))
    options.without_meaning.push_back(std::move(sentence));
}

Options options_of(const CLI::App& command, const Given& given, const Invocation& invocation) {
  Options options = given.options;
  if (options.threads * options.gpus > most_ranks)
    throw Error(Fault::usage, fmt::format("-t {} and -g {} are {} ranks of one process: choose at most {}", options.threads,
                                          options.gpus, options.threads * options.gpus, most_ranks));
  options.min_bytes = size_of("-b", given.min_bytes);
  options.max_bytes = size_of("-e", given.max_bytes);
  options.step_bytes = size_of("-i", given.step_bytes);
  if (options.min_bytes > options.max_bytes) throw BadSize("-b " + given.min_bytes + " is more than -e " + given.max_bytes);
  options.ops = values_of<Op>("-o", given.op, {Op::sum, Op::prod, Op::max, Op::min, Op::avg, Op::premulsum},
                              [](const std::string& text) { return nccl_tests::find_op(text); });
  options.types = values_of<Type>("-d", given.type,
                                  {Type::int8, Type::uint8, Type::int32, Type::uint32, Type::int64, Type::uint64, Type::float16,
                                   Type::float32, Type::float64, Type::bfloat16, Type::float8_e4m3, Type::float8_e5m2},
                                  [](const std::string& text) { return nccl_tests::find_type(text); });
  options.root = root_of(given.root);
  if (given.graph != 0 && options.blocking == 3) throw Error(Fault::usage, "-z 3 and -G exclude each other");
  if (given.device_kernel != 0 && given.registered != 2) throw Error(Fault::usage, "-D needs -R 2");
  if (given.device_kernel != 0)
    throw nccl_tests::NotImplemented(
        Fault::usage,
        fmt::format("-D {}: there are no kernels of NCCL's device API here; leave it out to measure the collectives "
                    "that NCCL has on the host's side",
                    given.device_kernel));
  if (given.per_iteration != 0 && given.skipped >= options.run.iterations)
    throw Error(Fault::usage, fmt::format("-K {} skips all {} iterations of -n", given.skipped, options.run.iterations));
  if (given.per_iteration != 0) options.skipped_iterations = given.skipped;
  if (given.per_iteration != 0 && options.run.iterations > most_kept)
    throw Error(Fault::usage, fmt::format("-I keeps at most {} iterations: choose a smaller -n", most_kept));
  options.run.blocking = options.blocking == 1   ? Blocking::barrier
                         : options.blocking == 2 ? Blocking::wait
                         : options.blocking == 3 ? Blocking::untimed_barrier
                                                 : Blocking::none;
  constexpr Average averages[] = {Average::rank_0, Average::mean, Average::least, Average::most};
  options.run.average = averages[given.average];
  if (given.timeout > 0) options.run.limit = Seconds(given.timeout);
  options.run.launch_time = given.launch_time != 0;
  options.run.per_iteration = given.per_iteration != 0;
  options.timestamps = given.timestamps != 0;
  options.parallel_init = given.parallel_init != 0;
  if (!options.output_file.empty() && !ends_in_json(options.output_file))
    throw Error(Fault::usage, "-J " + options.output_file + " must end in .json");
  nccl_tests::read_variables(invocation.environment, options);
  const std::vector<std::string> devices = nccl_tests::devices_of(invocation.environment, options.threads * options.gpus);
  options.buffers = nccl_tests::choose_buffers(nccl_tests::value_of(invocation.environment, "RAILGAUGE_MEMORY"), devices,
                                               invocation.plugin_folders);
  if (options.buffers.device.table != nullptr) {
    if (given.policy >= 0)
      throw nccl_tests::NotImplemented(
          Fault::usage,
          fmt::format("-x {0}: set NCCL_CTA_POLICY={0} in the environment of the ranks instead, which NCCL reads itself",
                      given.policy));
    options.graph = static_cast<std::uint64_t>(given.graph);
    constexpr const char* registrations[] = {"", "registered", "symmetric"};
    options.registration = registrations[given.registered];
  }
  note_what_has_no_meaning(command, given, invocation, options);
  return options;
}

void add_what(CLI::App& command, Given& given) {
  Options& options = given.options;
  const CLI::Range ranks(1, most_ranks);
  const CLI::Range flag(0, 1);
  command.add_option("-t,--nthreads", options.threads, "Threads of a process, each with -g ranks")->check(ranks);
  command.add_option("-g,--ngpus", options.gpus, "Ranks of a thread")->check(ranks);
  command.add_option("-b,--minbytes", given.min_bytes, "First size; K, M and G are binary");
  command.add_option("-e,--maxbytes", given.max_bytes, "Last size");
  command.add_option("-i,--stepbytes", given.step_bytes, "From one size to the next, by addition");
  command.add_option("-f,--stepfactor", options.step_factor, "From one size to the next, by multiplication; wins over -i");
  command.add_option("-o,--op", given.op, "Reduction: sum, prod, min, max, avg, mulsum or all");
  command.add_option("-d,--datatype", given.type,
                     "int8, uint8, int32, uint32, int64, uint64, half, float, double, bfloat16, f8e4m3, f8e5m2 or all");
  command.add_option("-r,--root", given.root, "Root; -1 or all: every rank, one after the other");
  command.add_option("-u,--unalign", options.unaligned, "Elements by which buffers start off their alignment")
      ->check(CLI::Range(0, 1 << 20));
  command.add_option("-J,--output_file", options.output_file, "Write results to this .json file");
  command.add_option("-S,--report_timestamps", given.timestamps, "1: a further column, when a row was finished")->check(flag);
  command.add_option("-M,--memory", given.memory, "1: report of GPU memory (none on host memory)")->check(flag);
  command.add_option("-p,--parallel_init", given.parallel_init, "1: connect from threads (ranks always do)")->check(flag);
}

void add_how(CLI::App& command, Given& given) {
  FixedRun& run = given.options.run;
  const CLI::Range flag(0, 1);
  constexpr std::uint64_t most = 1'000'000'000;
  command.add_option("-n,--iters", run.iterations, "Timed iterations")->check(CLI::Range(std::uint64_t{1}, most));
  command.add_option("-m,--agg_iters", run.aggregated, "Operations of an iteration")->check(CLI::Range(std::uint64_t{1}, most));
  command.add_option("-w,--warmup_iters", run.warm_up, "Iterations before them")->check(CLI::Range(std::uint64_t{0}, most));
  command.add_option("-N,--run_cycles", given.options.cycles, "Repeat the whole sweep; 0: for ever")
      ->check(CLI::Range(std::uint64_t{0}, most));
  command.add_option("-c,--check", run.checks, "Checks of the data after the timed iterations; 0: none")
      ->check(CLI::Range(std::uint64_t{0}, most));
  command.add_option("-a,--average", given.average, "Over ranks: 0 rank 0, 1 mean, 2 minimum, 3 maximum")
      ->check(CLI::Range(0, 3));
  command
      .add_option("-z,--blocking", given.options.blocking,
                  "After each iteration: 0 nothing, 1 wait and barrier, 2 wait, 3 wait and a barrier that is not timed")
      ->check(CLI::Range(0, 3));
  command.add_option("-T,--timeout", given.timeout, "Seconds for a size; 0: no limit")
      ->check(CLI::Range(0, std::numeric_limits<int>::max()));
  command.add_option("-I,--per_iter_timing", given.per_iteration, "1: times of single iterations in further columns")
      ->check(flag);
  command.add_option("-K,--per_iter_skip", given.skipped, "Iterations that -I leaves out, the first ones")
      ->check(CLI::Range(std::uint64_t{0}, most));
  command.add_option("-C,--report_cputime", given.launch_time, "1: time of starting operations only")->check(flag);
  command.add_option("-y,--stream_null", given.stream_null, "1: the null stream (none on host memory)")->check(flag);
  command.add_option("-G,--cudagraph", given.graph, "Replay operations as CUDA graphs (none on host memory)")
      ->check(CLI::Range(0, std::numeric_limits<int>::max()));
  command.add_option("-R,--local_register", given.registered, "1: register buffers, 2: symmetric windows (none on host memory)")
      ->check(CLI::Range(0, 2));
  command.add_option("-x,--cta_policy", given.policy, "0 default, 1 efficiency, 2 zero: refused on GPUs")
      ->check(CLI::Range(-1, 2));
  command.add_option("-D,--device_implementation", given.device_kernel, "Kernels of NCCL's device API: refused")
      ->check(CLI::Range(0, 4));
  command.add_option("-V,--device_cta_count", given.device_blocks, "Thread blocks of those kernels (no meaning)")
      ->check(CLI::Range(1, 128));
}

// The arguments, long options by their whole names: each may be abbreviated as long as it is the only one that begins so.
std::vector<std::string> whole_names(int argc, char** argv, const CLI::App& command) {
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    const std::string begin = word.substr(0, word.find('='));
    if (begin.size() > 2 && begin.starts_with("--")) {
      std::vector<std::string> found;
      for (const CLI::Option* option : command.get_options())
        for (const std::string& name : option->get_lnames())
          if (name.starts_with(std::string_view(begin).substr(2))) found.push_back(name);
      if (found.size() == 1) word = "--" + found.front() + word.substr(begin.size());
    }
    words.push_back(std::move(word));
  }
  return words;
}

int code_of(Code code) { return static_cast<int>(code); }

}  // namespace

bool is_nccl_tests(std::string_view path) noexcept { return nccl_tests::find_program(path) != nullptr; }

int run_nccl_tests(int argc, char** argv, const Invocation& invocation) try {
  Given given;
  given.options.program = nccl_tests::find_program(argv[0]);
  given.options.arguments.assign(argv, argv + argc);
  const std::string name(given.options.program->name);
  CLI::App command("Measures " + std::string(railgauge::name(given.options.program->collective)) +
                       " as the program of this name of nccl-tests does, with railgauge's own algorithms.",
                   name);
  command.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  add_what(command, given);
  add_how(command, given);
  std::string variables = "Environment:\n";
  for (const nccl_tests::Variable& row : nccl_tests::known_variables())
    variables += fmt::format("  {}\n      {}\n", row.name, row.meaning);
  command.footer(variables + "\nExamples:\n  " + name + " -b 8 -e 64M -f 2 -g 4\n  mpirun -n 2 " + name +
                 " -b 1M -e 1M -g 4\n  " + name + " -b 8 -e 1M -f 4 -g 2 -I 1 -J results.json");
  try {
    std::vector<std::string> words = whole_names(argc, argv, command);
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    command.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return command.exit(error);
    throw Error(Fault::usage, std::string(error.what()) + " (" + name + " --help)");
  }
  return code_of(nccl_tests::run(options_of(command, given, invocation), invocation));
} catch (const nccl_tests::NotImplemented& error) {
  std::fprintf(stderr, "railgauge: %s\n", error.what());
  return code_of(Code::not_implemented);
} catch (const BadSize& error) {
  std::fprintf(stderr, "railgauge: %s\n", error.what());
  return code_of(Code::bad_size);
} catch (const Error& error) {
  std::fprintf(stderr, "railgauge: %s\n", error.what());
  return code_of(nccl_tests::code_of(static_cast<int>(error.fault())));
} catch (const std::exception& error) {
  std::fprintf(stderr, "railgauge: %s\n", error.what());
  return code_of(Code::internal);
}

}  // namespace railgauge
