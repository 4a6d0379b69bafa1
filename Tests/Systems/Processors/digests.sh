# bash, sourced by the tests of other processors: the program of digests, which shows what the pure targets decide and compute.
# The variable root, the folder of the checkout, must be set.

# build_digests NAME FOLDER [ARGUMENT...]: builds FOLDER/digest for a processor: x86_64, one of the systems of
# scripts/arm with its Swift SDK, or armv7 as Embedded Swift. Arguments of the compiler name other files than those of Digest/.
build_digests() {
    local name=$1 folder=$2 program=("${@:3}") options=() unicode=() module toolchain sysroot runtime processor tools built_small emulator clang swift_build swift_options system
    case $name in
    *-arm*)
        eval "$("$root/scripts/arm" "$name" environment)"
        options=("${swift_options[@]}")
        ;;
    armv7)
        toolchain=$(swiftc -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
        options=(-target armv7-none-none-eabi -enable-experimental-feature Embedded)
        unicode=("$toolchain/embedded/${options[1]}/libswiftUnicodeDataTables.a")
        ;;
    esac
    [ ${#program[@]} -gt 0 ] || program=("$root"/Tests/Systems/Processors/Digest/*.swift
        "$root"/Tests/Targets/SessionRulesTests/SessionEventGenerator.swift)
    mkdir "$folder"
    cd "$folder"
    options+=(-O -wmo -swift-version 6 -enable-experimental-feature Lifetimes -package-name ringer -I "$folder")
    for module in Sources/{Rules/RingerPolicy,Rules/FourCharacterCodes,Rules/SessionRules,Sound/SoundFile,Sound/SystemSounds} \
        Tests/Support/SeededGenerator; do
        swiftc "${options[@]}" -module-name "${module##*/}" -parse-as-library -emit-module -c -o "${module##*/}.o" \
            $(find "$root/$module" -name '*.swift')
    done
    swiftc "${options[@]}" -module-name Digest -c -o Digest.o "${program[@]}"
    case $name in
    x86_64) swiftc -o digest ./*.o -lm ;;
    *-arm*) swiftc "${options[@]}" -static-stdlib -o digest ./*.o -lm ;;
    armv7) arm-linux-gnueabi-gcc -static -o digest ./*.o "${unicode[@]}" -lm ;;
    esac
}
