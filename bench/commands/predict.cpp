// railgauge predict: how long each algorithm of a collective takes on a graph, and which link holds it up.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <system_error>

#include "base/error.hpp"
#include "base/output/file.hpp"
#include "base/units.hpp"
#include "bench/commands/command.hpp"
#include "bench/commands/predict_options.hpp"
#include "bench/commands/predict_write.hpp"
#include "bench/options/values.hpp"
#include "bench/predict/predict.hpp"
#include "bench/select/sweep.hpp"

namespace railgauge {

AddCommand add_predict;

namespace {

constexpr const char* predict_examples =
    "Examples:\n"
    "  railgauge predict all_reduce --topology rail:hosts=16                             128 GPUs that are not there yet\n"
    "  railgauge predict all_reduce --topology fat-tree:hosts=32 --what-if oversubscribe=2\n"
    "  railgauge predict all_to_all --topology fat-tree:hosts=8,radix=16 --routing ecmp --bytes 16M\n"
    "  railgauge predict all_reduce --topology node7 --algorithm all,synthesised --picture load.svg\n"
    "  railgauge predict all_gather --topology fabric.out --algorithm ring,bruck -o a.json\n"
    "  railgauge predict all_reduce --topology rail:hosts=4 --bytes 1M:1G --factor 4 -o page.html        as a page\n";

struct Options {
  std::string collective;
  PredictOptions links;
  std::vector<std::string> folders;
  std::vector<std::string> bytes = {"64K", "1M", "16M", "256M"};
  double factor = 2;
  std::vector<std::string> algorithms = {"all"};
  unsigned ranks = 0, lanes = 1;
  std::size_t round = 0;
  std::int32_t root = 0;
  std::string type = "float32", format, output;
  std::string transport;
  std::string picture;
};

predict::Question question_of(const Options& options) {
  predict::Question it;
  const auto collective = find_collective(options.collective);
  if (!collective)
    throw Error(Fault::usage,
                fmt::format("there is no collective {} (railgauge list collectives)", options::typed(options.collective)));
  it.collective = *collective;
  const auto type = find_type(options.type);
  if (!type) throw Error(Fault::usage, fmt::format("there is no type {} (railgauge list types)", options::typed(options.type)));
  it.type = *type;
  if (options.algorithms != std::vector<std::string>{"all"}) it.algorithms = options.algorithms;
  it.folders = options.folders;
  it.sizes = *collective == Collective::barrier ? std::vector<std::uint64_t>{0} : parse_sizes(options.bytes, options.factor);
  it.root = options.root;
  it.ranks = options.ranks;
  it.lanes = options.lanes;
  it.round = options.round;
  fill(it, options.links, options.transport);
  return it;
}

// Whether the picture is to be a page, by the end of its name.
bool is_page(const std::string& name) {
  if (name.ends_with(".html")) return true;
  if (name.ends_with(".svg")) return false;
  throw Error(Fault::usage, fmt::format("--picture {}: end the name in .svg or .html", name));
}

int run_predict(const Options& options) {
  const PredictForm form = predict_form(options.format, options.output);
  const bool page = !options.picture.empty() && is_page(options.picture);
  if (options.round > 0 && (form == PredictForm::page || form == PredictForm::results))
    throw Error(Fault::usage, "--round is for text, JSON and --picture: results and pages are of whole collectives");
  if (!options.picture.empty() && options.picture == options.output)
    throw Error(Fault::usage, fmt::format("--picture and --output are both {}", options.output));
  for (const std::string& name : {options.picture, options.output})
    if (std::error_code absent; !name.empty() && name != "-" && !is_stream(name) && std::filesystem::exists(name, absent))
      throw Error(Fault::usage, name + ": exists already and is not overwritten; name another file");
  predict::Question question = question_of(options);
  question.loads = !options.picture.empty() || form == PredictForm::page;
  const Topologies topologies = topologies_of(options.links);
  std::vector<Answered> answers{{topologies.graph, predict::predict(topologies.graph, question)}};
  if (topologies.changed) answers.push_back({*topologies.changed, predict::predict(*topologies.changed, question)});
  write_prediction(answers, topologies.changes, form, options.format, options.output);
  if (!options.picture.empty())
    write_aside(options.picture, predict::draw_loads(answers.back().graph, answers.back().answer, page));
  return 0;
}

}  // namespace

void add_predict(CLI::App& program, const Invocation&, Action& action) {
  const auto options = std::make_shared<Options>();  // lives as long as the parser and the action
  CLI::App* command =
      program.add_subcommand("predict", "Say how long each algorithm takes on a topology, and which link is busiest");
  command->add_option("COLLECTIVE", options->collective, "A collective (railgauge list collectives)")->required();
  add_topologies(*command, options->links).front()->required();
  command->add_option("--ranks", options->ranks, "The first so many GPUs, or machines where there are no GPUs; default: all")
      ->check(options::whole(2, 1'000'000));
  command->add_option("--bytes", options->bytes, "Sizes and ranges A:B, separated by commas; K, M, G are binary")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--factor", options->factor, "Between the sizes of a range")
      ->check(options::above_one())
      ->capture_default_str();
  command
      ->add_option("--algorithm", options->algorithms,
                   "Algorithms, separated by commas: names, files (.jsonl, .xml, .json; .gz too), synthesised (trees made for "
                   "this topology), nvls, nvls_tree, sharp (NCCL's), all")
      ->delimiter(',')
      ->capture_default_str();
  command
      ->add_option("--algorithms", options->folders,
                   "Also every file of an algorithm in this folder that is right and fits; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--type", options->type, "Type of the elements (railgauge list types)")->capture_default_str();
  command->add_option("--lanes", options->lanes, "Parts of each block that travel independently, as in bench")
      ->check(options::whole(1, 64))
      ->capture_default_str();
  command->add_option("--round", options->round, "This round of each algorithm alone, from 1 on: which links it jams")
      ->check(options::whole(1, 1'000'000'000));
  command->add_option("--root", options->root, "The root of a rooted collective")
      ->check(options::whole(0, 1'000'000))
      ->capture_default_str();
  add_routing(*command, options->links);
  add_constants(*command, options->links);
  command->add_option("--transport", options->transport, "With --measured: of this transport alone");
  command->add_option("--format", options->format,
                      "text, json, html or a format of results (railgauge list formats); default: by -o's name, text");
  command->add_option("--picture", options->picture,
                      "Draw the links coloured by load, of the best algorithm at the largest size: a new .svg or .html");
  command->add_option("-o,--output", options->output,
                      "Write to this new file: .json, .html, .jsonl, .md, .csv, .xml, .prom, others text; -: stdout");
  command->footer(predict_examples);
  command->callback([options, &action] { action = [options] { return run_predict(*options); }; });
}

}  // namespace railgauge
