#!/usr/bin/env bash
# Prepares a machine for grading, once, when its image is built. Every step has to succeed, except for
# bubblewrap, which is a second layer of the sandbox where it is available.
#
# AUTOGRADER   the platform's folder (default: /autograder); the kata is in its `source`
# KATA_PYTHON  the Python to use (default: the first suitable one)
# KATA_TORCH   the index that torch comes from (default: that of its small builds; empty: PyPI's)
set -euo pipefail

prefix=${AUTOGRADER:-/autograder}
export DEBIAN_FRONTEND=noninteractive
kata=$prefix/source/attention-kata
torch=${KATA_TORCH-https://download.pytorch.org/whl/cpu}  # there is no GPU
# Exactly the versions that the kata was tested with; the second name is for what builds it.
export PIP_CONSTRAINT=$kata/constraints.txt PIP_BUILD_CONSTRAINT=$kata/constraints.txt

candidates=(python3.13 python3.12 python3.11 python3.14 python3)
if [ -n "${KATA_PYTHON:-}" ]; then candidates=("$KATA_PYTHON"); fi

fits() {
    "$1" -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' 2> /dev/null
}

find_python() {
    local each
    for each in "${candidates[@]}"; do
        if fits "$each"; then echo "$each"; return 0; fi
    done
    return 1
}

get() {  # from apt, where there is one
    command -v apt-get > /dev/null && apt-get update -qq && apt-get install -qq -y "$@"
}

echo "== Python"
if ! python=$(find_python); then
    for each in python3.13 python3.12 python3.11; do
        get "$each" "$each-venv" && break
    done
    python=$(find_python) || {
        echo "Python 3.11 or newer is needed: choose a newer base image." >&2
        exit 1
    }
fi
"$python" --version

echo "== bubblewrap"
command -v bwrap || get bubblewrap || echo "Not available; the sandbox works without it."

echo "== the kata"
"$python" -m venv "$prefix/venv"
get_packages() {
    "$prefix/venv/bin/python" -m pip install --no-cache-dir "$@"
}
# Nothing but torch itself comes from the index of torch: no other name can be taken there.
if [ -n "$torch" ]; then get_packages --no-deps --index-url "$torch" torch; fi
get_packages -e "$kata[grading]"

echo "== what this machine can guarantee"
cd "$kata"
"$prefix/venv/bin/python" -m kata doctor
