# The tests of this package for 64-bit ARM, sourced by the scripts that run them, in this package's folder.
# shellcheck shell=bash disable=SC2034
#
# A file of exceptions has a line for each: a regular expression of tests' names, a blank, and why they cannot pass there.

# build_tests LOG: with Debian's compiler, whose library of tests fits its others.
build_tests() {
    scripts/packages arm lab-arm64
    scripts/swift-debian arm64 --build-tests >"$1" 2>&1 || {
        grep -E 'error:' "$1" | sort -u | head -n 20 >&2 || true
        tail -n 20 "$1" >&2
        return 1
    }
}

# emulated_tests ARGUMENT...: runs them, and the programs that they start, with qemu's emulation of a user's programs and
# Debian's libraries. RINGER_TEST_MINUTES: how long that may take, 120 by default.
emulated_tests() {
    local root_arm64
    root_arm64=$(Tests/Lab/arm64/build-root) || return
    timeout "${RINGER_TEST_MINUTES:-120}m" scripts/emulated env "QEMU_LD_PREFIX=$root_arm64" \
        LD_LIBRARY_PATH=/usr/libexec/swift/lib/swift/linux \
        "$PWD/.build/debian/arm64/aarch64-unknown-linux-gnu/debug/ringerPackageTests.xctest" --testing-library swift-testing "$@"
}

# read_exceptions FILE: sets skipped to the arguments that leave them out.
read_exceptions() {
    local name
    skipped=()
    while read -r name _; do skipped+=(--skip "$name"); done < <(grep -v '^#' "$1")
}

# check_share WHAT FILE PERCENT: prints how many tests of those whose names are read run in spite of the exceptions, and
# fails if they are less than PERCENT %, or if an exception has no reason or is of no test.
check_share() {
    local names name reason all run status=0
    names=$(cat)
    while read -r name reason; do
        [ -n "$reason" ] || { echo "$2: '$name' has no reason" >&2; status=1; }
        grep -qE -- "$name" <<<"$names" || { echo "$2: '$name' is of no test" >&2; status=1; }
    done < <(grep -v '^#' "$2")
    all=$(wc -l <<<"$names")
    # Without an exception no name matches.
    run=$(grep -cvE -f <(sed '/^#/d; s/ .*//' "$2") <<<"$names" || true)
    echo "$1: $run of $all tests run there, $((100 * run / all)) %; $2 has the others"
    [ $((100 * run)) -ge $(($3 * all)) ] || { echo "$1: that is less than $3 %" >&2; status=1; }
    return $status
}
