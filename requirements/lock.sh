#!/bin/sh
# Resolve requirements/dev.in anew: newest versions that fit, every file's hash, no registry named.
# usage: requirements/lock.sh PYTHON   (the oldest Python that is supported, so that nothing is missing)
set -eu
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset PIP_FIND_LINKS || true
"$1" -m venv "$scratch/venv"
"$scratch/venv/bin/pip" install --quiet 'pip-tools==7.6.2'
"$scratch/venv/bin/pip-compile" --quiet --upgrade --generate-hashes --strip-extras \
  --no-header --no-emit-options --no-emit-index-url --no-emit-find-links --no-emit-trusted-host \
  --output-file "$scratch/dev.txt" requirements/dev.in
{
  echo '# Every package that `make` installs, with the hash of every file of it.'
  echo '# Made by `make lock` from dev.in; do not edit.'
  echo
  cat "$scratch/dev.txt"
} > requirements/dev.txt
