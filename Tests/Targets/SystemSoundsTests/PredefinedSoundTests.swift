import Foundation
import SystemSounds
import Testing

@Suite("Predefined sounds")
struct PredefinedSoundTests {
    @Test("the table is that of system-sounds.csv, row by row")
    func table() throws {
        let url = try #require(Bundle.module.url(forResource: "system-sounds", withExtension: "csv"))
        let lines = try String(contentsOf: url, encoding: .utf8).split(whereSeparator: \.isNewline).dropFirst()
        try #require(lines.count == 125)
        #expect(PredefinedSound.all.count == 125)
        for (line, sound) in zip(lines, PredefinedSound.all) {
            let fields = line.split(separator: ",", maxSplits: 4, omittingEmptySubsequences: false).map(String.init)
            #expect(fields[0] == String(sound.id))
            #expect(fields[1] == sound.filePhone ?? "")
            #expect(fields[2] == sound.filePlayer ?? "")
            #expect(fields[3] == sound.category ?? "")
            // The note says when the sound or its category came.
            let versions = fields[4].matches(of: /\d\.\d/).map { String($0.output) }
            #expect(versions == [sound.availableSince, sound.categorySince].compactMap { $0 }, "\(sound.id)")
            #expect(fields[4].hasPrefix("Available since") == (sound.availableSince != nil))
            #expect(fields[4].contains("category") == (sound.categorySince != nil))
            #expect(sound.formerCategory.map { fields[4].contains("was \($0) before") } ?? true)
        }
    }

    @Test("IDs ascend and names are unique whatever their case, and never a number")
    func identities() {
        let all = PredefinedSound.all
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.id < $1.id })
        #expect(Set(all.map { $0.name.lowercased() }).count == all.count)
        #expect(
            all.allSatisfy { UInt32($0.name) == nil && !$0.name.isEmpty && !$0.name.contains { " /,".contains($0) } })
    }

    @Test("a name is the stem, then stem and category, then stem and ID, as earlier rows leave it")
    func namingRule() {
        var categoriesOfStem: [String: Set<String?>] = [:]
        var taken: Set<String> = []
        for sound in PredefinedSound.all {
            let stem = sound.filePhone.map { String($0.dropLast(4)) } ?? sound.category ?? ""
            let expected: String
            if categoriesOfStem[stem] == nil {
                expected = stem
            } else if let category = sound.category, categoriesOfStem[stem]?.contains(category) == false {
                expected = "\(stem)-\(category)"
            } else {
                expected = "\(stem)-\(sound.id)"
            }
            #expect(sound.name == expected)
            #expect(taken.insert(expected).inserted)
            categoriesOfStem[stem, default: []].insert(sound.category)
        }
    }

    @Test("every row is found by its ID, by its name in any case, and in its category")
    func lookups() {
        for sound in PredefinedSound.all {
            #expect(PredefinedSound.withID(sound.id) == sound)
            #expect(PredefinedSound.named(sound.name) == sound)
            #expect(PredefinedSound.named(sound.name.uppercased()) == sound)
            if let category = sound.category {
                #expect(PredefinedSound.inCategory(category.lowercased()).contains(sound))
            }
        }
        #expect(PredefinedSound.inCategory("TouchTone").map(\.id) == Array(1200...1211))
        #expect(PredefinedSound.inCategory("KeyPressed").map(\.id) == [1103, 1104, 1105])
    }

    @Test("what does not exist is not found", arguments: [0, 999, 1017, 1056, 1352, 4094, 4096, UInt32.max])
    func unknownID(_ id: UInt32) {
        #expect(PredefinedSound.withID(id) == nil)
    }

    @Test("a name or category that no row has finds nothing")
    func unknownNames() {
        for name in ["", "Tocks", "toc", "1104", "Tock.caf", "Töck"] { #expect(PredefinedSound.named(name) == nil) }
        #expect(PredefinedSound.inCategory("").isEmpty)
        #expect(PredefinedSound.inCategory("Nothing").isEmpty)
    }

    @Test("a player has files of its own where the table says so, and the phone's everywhere else")
    func variants() {
        let different = PredefinedSound.all.filter { $0.file(on: .phone) != $0.file(on: .player) }
        #expect(different.map(\.id) == [1005, 1100, 1101, 1103, 1104, 1105, 1106, 1304, 1305, 1306])
        #expect(different.allSatisfy { $0.file(on: .player)?.hasPrefix("sq_") == true })
        #expect(different.allSatisfy { $0.recipe(on: .phone) != $0.recipe(on: .player) })
    }

    @Test("five rows vibrate, each in its own way, and have no file")
    func vibrations() {
        let vibrating = PredefinedSound.all.filter { !$0.vibration.isEmpty }
        #expect(vibrating.map(\.id) == [1011, 1311, 1350, 1351, 4095])
        #expect(Set(vibrating.map(\.vibration)).count == 5)
        for sound in vibrating {
            #expect(sound.filePhone == nil && sound.filePlayer == nil)
            // One strength for each pattern: it is set once.
            #expect(Set(sound.vibration.map(\.strength)).count == 1)
            #expect(sound.vibration.last?.off == .zero)
            #expect(sound.vibration.allSatisfy { $0.on >= .milliseconds(60) && $0.strength > 0 })
            let length = sound.vibration.reduce(Duration.zero) { $0 + $1.on + $1.off }
            #expect(length <= .seconds(1))
        }
    }

    @Test("a failed unlock has neither sound nor vibration")
    func silentRow() throws {
        let sound = try #require(PredefinedSound.withID(1102))
        #expect(sound.filePhone == nil && sound.filePlayer == nil && sound.vibration.isEmpty)
        #expect(sound.recipe(on: .phone) == nil)
    }
}
