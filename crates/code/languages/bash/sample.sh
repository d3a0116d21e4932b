#!/usr/bin/env bash
# A tool.
set -euo pipefail

. ./lib/common.sh
source "$(dirname "$0")/util.sh"

readonly LIMIT=10
declare -r NAME="shop"
declare -A prices=([tea]=1)
export SHOP_HOME="$HOME/shop"
mode=fast
alias ll='ls -l'
alias g=git

if [ -n "$DEBUG" ]; then
  mode=slow
  log() { echo "$NAME: $*"; }
fi

# Builds all of it.
# Then some.
function build() {
  local target="$1" flag
  local -r found=$(find_one "$target")
  find_one "$target" | sort_it
  if check; then run_it; fi
  trap cleanup EXIT
  for file in *.c; do
    compile "$file"
  done
  while read -r line; do
    echo "$line"
  done < <(list_files)
  case $1 in
    start) start ;;
    *) usage ;;
  esac
  result=$(cd "$SHOP_HOME" && make_it)
  check && run_it || die "no ${found:-thing} in $mode"
  export -f find_one
  list_files | xargs -n1 find_one
  time compile "$flag"
  inner() { compile "${prices[tea]}"; }
  inner
}

find_one() { echo "$LIMIT"; }

cleanup() (
  rm -rf "$SHOP_HOME"
)

_private() { :; }

test_build() {
  build all
}

@test "builds" {
  run build all
}

build "$@"
