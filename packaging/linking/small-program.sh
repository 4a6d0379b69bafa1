# How small programs are built, sourced by the scripts that build one.
# shellcheck shell=bash disable=SC2034
linking=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# For another processor scripts/arm sets what builds, and the folder of what is built.
[ -n "${swift_build+set}" ] || swift_build=(swift build)
built_small=${built_small-.build/footprint}
# -internalize-at-link lets the linker leave out public functions that nothing calls: without it the compiler has them kept.
# All of these are in the compiler's command, even the linker's name: with other options it compiles everything anew.
small=(-c release --static-swift-stdlib -Xswiftc -Osize -Xswiftc -Xfrontend -Xswiftc -function-sections
    -Xswiftc -Xfrontend -Xswiftc -internalize-at-link -Xswiftc -use-ld=lld)

# revision_object FILE: compiles the object that says which revision a program is of. That of a source archive is in ringer.h;
# where there is no git either, it is "". A plus sign: with changes.
revision_object() {
    local revision
    revision=$(sed -n 's/^#define RINGER_REVISION "\(.*\)"/\1/p' "$linking/../../Sources/C/CRinger/include/ringer.h")
    [ -n "$revision" ] || revision=$(git -C "$linking" describe --always --exclude '*' --abbrev=12 --dirty=+ 2>/dev/null || true)
    mkdir -p "$(dirname "$1")"
    echo "const char ringer_revision[] = \"$revision\";" | "${clang[@]:-cc}" -x c -c -o "$1" -
}

# names_object FILE: compiles the object by which no character of Unicode has a name. Nothing asks for one, and Swift's library
# has half a megabyte of them. It is linked with $without_names.
without_names=--wrap=_swift_stdlib_getScalarName
names_object() {
    mkdir -p "$(dirname "$1")"
    echo 'long __wrap__swift_stdlib_getScalarName(void) { return 0; }' | "${clang[@]:-cc}" -x c -fPIC -c -o "$1" -
}

# order_file NAME...: prints the first of these orders of functions that scripts/order has written; nothing if there is none.
order_file() {
    local name
    for name; do
        [ ! -e "$linking/$name.order" ] || { echo "$linking/$name.order"; return; }
    done
}

# small_program PRODUCT [PACKAGE]: builds the product of this package, or of another one that uses it, and prints its path.
# Relocations take a tenth of the room (glibc 2.36 and newer), there is no table of the program's own symbols, which only
# plug-ins would read, equal functions are there once, of which Swift's generic code has many, and what runs at the start
# lies side by side, so that it takes few pages, where scripts/order has written which functions those are.
small_program() {
    local scratch=$built_small options=() order
    # Packages that use this one share what is compiled of it, but not the plan of the last build, which is another package's.
    [ $# -eq 1 ] || { scratch=$built_small/programs; options=(--disable-build-manifest-caching); }
    scratch=$linking/../../$scratch
    options+=(--package-path "${2-$linking/../..}" --scratch-path "$scratch" "${small[@]}" --quiet
        -Xlinker -O2 -Xlinker --no-export-dynamic -Xlinker -z -Xlinker pack-relative-relocs -Xlinker --icf=all)
    order=$(order_file "$1" start)
    [ -z "$order" ] || options+=(-Xlinker "--symbol-ordering-file=$order" -Xlinker --no-warn-symbol-ordering)
    # The program says which revision it is of: a small object overrides ringer_revision.
    revision_object "$scratch/revision.o"
    names_object "$scratch/names.o"
    options+=(-Xlinker "$(realpath "$scratch/revision.o")" -Xlinker "$(realpath "$scratch/names.o")" -Xlinker $without_names
        -Xlinker --build-id)
    # The build does not notice a changed order of functions.
    rm -f "$scratch"/*/release/"$1"
    "${swift_build[@]}" "${options[@]}" --product "$1" >&2
    echo "$("${swift_build[@]}" "${options[@]}" --show-bin-path)/$1"
}
