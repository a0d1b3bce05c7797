#!/usr/bin/env bash
# options.sh NAME: one test of what every command has: help, habits, completions, manual pages, options from outside. Exit codes as of cases.sh.
set -uo pipefail
. "${0%/*}/lib.sh"
name=${1:?the name of a case}
. "$tests/cli/expect.sh"

# Every command, one a line: "topo check".
commands_of() {
  "$RAILGAUGE" manual --grammar | python3 -c '
import json, sys
def walk(command, path):
    print(" ".join(path))
    for one in command["commands"]:
        walk(one, path + [one["name"]])
walk(json.load(sys.stdin), [])' | sed 1d
}

case_help_width() {
  local command longest
  while read -r command; do
    # shellcheck disable=SC2086 # words
    run "$RAILGAUGE" $command --help
    expect_code 0
    expect_quiet
    longest=$(awk '{ if (length > 100) print FILENAME ": " $0 }' out)
    [ -z "$longest" ] || wrong "lines of more than 100 columns in the help of '$command': $longest"
    [ "$(grep -cE '^  ([a-z]+ .*)?(railgauge|source) ' out)" -ge 3 ] || wrong "the help of '$command' has no three examples"
  done < <(
    echo
    commands_of
  )
}

case_help_and_version() {
  local words
  run "$RAILGAUGE" --version
  cp out version
  for words in version -V; do
    run "$RAILGAUGE" $words
    expect_code 0
    cmp -s out version || wrong "$words differs from --version"
  done
  run "$RAILGAUGE" topo check --help
  cp out expected
  for words in 'help topo check' 'topo check help'; do
    # shellcheck disable=SC2086 # words
    run "$RAILGAUGE" $words
    expect_code 0
    cmp -s out expected || { wrong "$words differs from topo check --help" && diff out expected; }
  done
  run "$RAILGAUGE" help
  expect_code 0
  expect_words out 'validate'
}

case_did_you_mean() {
  run "$RAILGAUGE" bnech
  expect_refusal 'no command bnech: did you mean bench'
  run "$RAILGAUGE" topo --sav x
  expect_refusal 'no option --sav: did you mean --save'
  run "$RAILGAUGE" help topo chekc
  expect_refusal 'no command chekc: did you mean check'
  run "$RAILGAUGE" history lits
  expect_refusal 'no command lits: did you mean list'
  run "$RAILGAUGE" launch --nodes 1
  expect_refusal '--print is missing'
  run "$RAILGAUGE" predict --rnks 4
  expect_refusal 'no option --rnks: did you mean --ranks'
}

case_last_wins() {
  run "$RAILGAUGE" launch --print slurm --nodes 2 --nodes 3
  expect_code 0
  expect_words out 'nodes=3'
  bench all_reduce --ranks 1 --ranks 2 --transport memory --bytes 8 --iterations 2
  expect_code 0
  expect_words out '2 ranks'
}

case_outside() { # command line, then environment, then file, then default
  printf '# a comment\n[launch]\nnodes = 5\nname = "from-file"\n[topo.check]\nformat = "json"\n' >options.toml
  run "$RAILGAUGE" launch --print slurm --config options.toml
  expect_code 0
  expect_words out 'nodes=5'
  expect_words out 'job-name=from-file'
  run env RAILGAUGE_LAUNCH_NODES=6 RAILGAUGE_CONFIG=options.toml "$RAILGAUGE" launch --print slurm
  expect_code 0
  expect_words out 'nodes=6'
  expect_words out 'job-name=from-file'
  run env RAILGAUGE_LAUNCH_NODES=6 "$RAILGAUGE" --config=options.toml launch --print slurm --nodes 7
  expect_code 0
  expect_words out 'nodes=7'
  run env RAILGAUGE_LAUNCH_NODES=none "$RAILGAUGE" launch --print slurm
  expect_refusal 'RAILGAUGE_LAUNCH_NODES: --nodes none: expected a whole number'
  printf '[launch]\n\nnodes = many\n' >wrong.toml
  run "$RAILGAUGE" launch --print slurm --config wrong.toml
  expect_refusal 'wrong.toml:3: --nodes many: expected a whole number'
  printf '[launch]\nnods = 3\n' >wrong.toml
  run "$RAILGAUGE" launch --print slurm --config wrong.toml
  expect_refusal 'wrong.toml:2: there is no option nods in .launch.: did you mean nodes'
  printf '[lunch]\nnodes = 3\n' >wrong.toml
  run "$RAILGAUGE" launch --print slurm --config wrong.toml
  expect_refusal 'wrong.toml:2: '
  head -c 3000 /dev/urandom >wrong.toml
  run "$RAILGAUGE" launch --print slurm --config wrong.toml
  expect_refusal 'wrong.toml'
  run "$RAILGAUGE" launch --print slurm --config nowhere.toml
  expect_refusal 'nowhere.toml: No such file'
  run "$RAILGAUGE" launch --print slurm --config .
  expect_refusal 'is a folder'
  run env RAILGAUGE_BENCH_TRANSPORT=memory RAILGAUGE_BENCH_RANKS=2 RAILGAUGE_BENCH_STRICT=no \
    "$RAILGAUGE" bench all_reduce --bytes 8 --iterations 2 -o a.jsonl
  expect_code 0
  expect_words a.jsonl '"transport":"memory"'
  run env RAILGAUGE_BENCH_STRICT=perhaps "$RAILGAUGE" bench all_reduce --bytes 8
  expect_refusal 'RAILGAUGE_BENCH_STRICT: --strict perhaps: expected true or false'
}

case_full_output() {
  local words
  while read -r words; do
    # shellcheck disable=SC2086 # words
    (marked timeout $patience "$RAILGAUGE" $words) >/dev/full 2>err
    code=$?
    : >out
    expect_refusal 'cannot write to standard output: No space left'
  done <<<'--help
--version
help bench
version
completion bash
manual
topo check --help
topo
list types
launch --print slurm --nodes 1'
}

case_force() { # what exists is refused before anything is measured; --force keeps it as FILE~
  echo old >a.jsonl
  bench all_reduce --ranks 2 --transport memory --bytes 8 --iterations 2 -o a.jsonl
  expect_refusal 'a.jsonl exists: .*--force'
  [ "$(cat a.jsonl)" = old ] || wrong "a file was overwritten"
  bench all_reduce --ranks 2 --transport memory --bytes 8 --iterations 2 -o a.jsonl --force
  expect_code 0
  expect_results a.jsonl 1
  [ "$(cat a.jsonl~)" = old ] || wrong "the old file is lost"
  echo old >topo.json
  run "$RAILGAUGE" topo --as json -o topo.json
  expect_refusal 'topo.json exists: .*--force'
  run "$RAILGAUGE" topo --as json -o topo.json --force
  expect_code 0
  [ "$(cat topo.json~)" = old ] || wrong "the old file is lost"
  echo old >a.html
  run "$RAILGAUGE" report a.jsonl -o a.html
  expect_refusal 'a.html exists: .*--force'
  run "$RAILGAUGE" report a.jsonl -o a.html --force
  expect_code 0
  mkdir folder.jsonl
  bench all_reduce --ranks 2 --transport memory --bytes 8 --iterations 2 -o folder.jsonl --force
  expect_code 2
  expect_words err 'folder.jsonl'
  [ -d folder.jsonl ] && [ ! -e folder.jsonl~ ] || wrong "a folder was moved aside"
  run "$RAILGAUGE" topo --as json -o -
  expect_code 0
  cmp -s out topo.json || wrong "-o - differs from a file"
  [ ! -e ./- ] || wrong "a file named -"
  local format
  for format in jsonl csv markdown; do
    bench all_reduce --ranks 2 --transport memory --bytes 8 --iterations 2 -o /dev/null --format $format
    expect_code 0
  done
  bench all_reduce --ranks 2 --transport memory --bytes 8 --iterations 2 -o /dev/stdout
  expect_code 0
  expect_results out 1
}

case_manual() { # every page is sound roff
  local command page text words
  mkdir man
  while read -r command; do
    page=man/railgauge${command:+-${command// /-}}.1
    # shellcheck disable=SC2086 # words
    "$RAILGAUGE" manual $command >"$page" || wrong "there is no page of '$command'"
    text=$'\n'$(<"$page")
    for words in 'SH NAME' 'SH SYNOPSIS' 'SH OPTIONS' 'SH EXIT STATUS' 'SH EXAMPLES'; do
      [[ $text == *$'\n'".$words"* ]] || wrong "$page has no $words"
    done
  done < <(
    echo
    commands_of
  )
  expect_words man/railgauge-bench.1 'RAILGAUGE_BENCH_TRANSPORT'
  while IFS= read -r line; do
    grep -qF -- "$line" "$tests/../docs/exit-codes.md" || wrong "docs/exit-codes.md does not say: $line"
  done < <(sed -n '/^.SH EXIT/,/^.SH EXA/p' man/railgauge.1 | sed -nE '/^\.(SH|TP|B) /d; /^\.TP/d; s/\\-/-/g; s/\.$//p')
  command -v man >/dev/null || skip "man is not installed"
  LC_ALL=C.UTF-8 MANWIDTH=100 man --warnings -l man/railgauge-bench.1 >out 2>err || wrong "man cannot show a page"
  [ ! -s err ] || { wrong "man warns of a page" && show; }
  # What man starts for each page, once for all.
  LC_ALL=C.UTF-8 groff -man -Tutf8 -K utf8 -t -ww -rLL=100n man/* >out 2>err || wrong "groff cannot show the pages"
  [ ! -s err ] || { wrong "warnings of pages" && show; }
}

# complete WORD...: what bash offers for the last word.
complete_words() {
  bash --norc -c '
    source completion.bash
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _railgauge
    printf "%s\n" "${COMPREPLY[@]}"' bash "$@" | sort | xargs
}
expect_completions() {
  local wanted=$1 found
  shift
  found=$(complete_words "$@")
  [ "$found" = "$wanted" ] || wrong "completions of '$*' are '$found' instead of '$wanted'"
}
case_bash_completion() {
  "$RAILGAUGE" completion bash >completion.bash
  expect_completions 'bench' railgauge ben
  expect_completions 'check' railgauge topo che
  expect_completions '--ranks --ranks-per-node' railgauge bench --rank
  expect_completions 'isolated' railgauge bench all_reduce --mode iso
  expect_completions 'isolated' railgauge bench all_reduce --mode = iso
  expect_completions 'text' railgauge topo check --format te
  expect_completions 'all_reduce' railgauge bench all_r
  expect_completions 'float32,float64' railgauge bench --type float32,float64
  expect_completions '' railgauge bench -o a
}

case_bad_options() { # drawn from the grammar: the same ones always, and others each time
  python3 "$tests/cli/bad_options.py" "$RAILGAUGE" 40 1 || wrong "see above"
  python3 "$tests/cli/bad_options.py" "$RAILGAUGE" 20 || wrong "see above"
}

# What a shell makes of words after which Tab is pressed, by a script that has just been written.
case_zsh_completion() {
  command -v zsh >/dev/null || skip "zsh is not installed"
  local said
  "$RAILGAUGE" completion zsh >_railgauge
  cat >ask.zsh <<'END'
zmodload zsh/zpty
zpty shell zsh -f -i
# What is typed before its editor has the terminal is lost, or a tab in it no key: a prompt says that it has.
zpty -r shell said '*ready> *'
# compinit reads every function that completes a program, hundreds of them: these are left out.
zpty -w shell "fpath=($PWD \${fpath:#*/(Unix|Linux|Debian|X)(|/*)}); autoload -U compinit; compinit -u -D; railgauge() { print -r -- \"<\$*>\" }; print '<>'"
zpty -r shell said $'*\n<>*ready> *'
zpty -w -n shell "$1"$'\t\n'
zpty -r shell said $'*\n<*>*'
print -r -- "$said"
END
  expect_zsh() { # expect_zsh WORDS ARGUMENTS
    said=$(TERM=dumb PS1='ready> ' timeout 60 zsh -f ask.zsh "$1" | tr -d '\r' | grep -oE '^<.*>$' | tail -1)
    [ "$said" = "<$2>" ] || wrong "zsh makes '$said' of '$1'"
  }
  expect_zsh "railgauge topo che" "topo check"
  expect_zsh "railgauge bench --transp" "bench --transport"
  expect_zsh "railgauge completion zs" "completion zsh"
}

case_fish_completion() {
  command -v fish >/dev/null || skip "fish is not installed"
  "$RAILGAUGE" completion fish >completion.fish
  expect_fish() { # expect_fish WORDS COMPLETED
    HOME=$PWD fish --no-config -c "source completion.fish; complete -C '$1'" | cut -f1 | grep -qxe "$2" || wrong "fish does not make $2 of '$1'"
  }
  expect_fish "railgauge topo che" check
  expect_fish "railgauge bench --transp" --transport
  expect_fish "railgauge completion zs" zsh
}

isolate "$name"
enter_room
"case_$name"
exit $failed
