# shellcheck shell=bash
# What a run of Swift tests left, for its end: sourced by scripts/test, scripts/sanitize and Tests/Lab/test.

# failed_issues LOG: the issues of the tests that failed, with their places and with what was compared, from what was printed
failed_issues() { sed -nE '/^✘ .* failed after /d; /^↳ (Testing Library Version:|Target Platform:|\/\/\/)/d; /^(✘|↳) /p' "$1" | cut -c 1-1000; }

# failed_tests XML: the failed tests of a report in JUnit's format, as `--filter` takes them: MODULE.SUITE/FUNCTION
failed_tests() {
    awk -F '"' '/<testcase / { suite = $2; test = $4; sub(/\(.*/, "", test) }
        /<failure / && suite { sub(/\./, "\n", suite); gsub(/\./, "/", suite); sub(/\n/, ".", suite); print suite "/" test; suite = "" }' "$1"
}

# unended_tests LOG: the names of the tests that began and did not end, from what the tests printed
unended_tests() {
    awk '/^[^ ]+ Test case / { next }
        /^[^ ]+ Test .* started\.$/ { sub(/^[^ ]+ Test /, ""); sub(/ started\.$/, ""); running[$0] = 1 }
        # Lines of several threads run into each other.
        / Test .* (passed|failed) after / {
            sub(/.* Test /, ""); sub(/( with [0-9]+ test cases?)? (passed|failed) after .*/, ""); delete running[$0]
        }
        END { for (name in running) print "    " name }' "$1"
}
