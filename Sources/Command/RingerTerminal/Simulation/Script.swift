import SystemPackage

/// A script for the simulated board: its tests, each a list of steps.
///
/// Lines before the first `test` begin every test. A script without `test` is one test, named after the script.
package struct Script {
    /// A step, and the line that says it.
    struct Line {
        var number: Int
        var text: String
        var step: SimulationStep
    }

    /// Steps on a board of their own.
    struct Test {
        var name: String
        var lines: [Line]
    }

    /// The script as the command line names it.
    package let name: String
    /// The folder that relative paths in the script start from.
    let folder: FilePath
    let tests: [Test]

    /// The script in the file at `path`; "-" is standard input.
    ///
    /// - Throws: ``RingerError`` if the file cannot be read, ``ScriptMistake`` naming the line that is wrong.
    package static func read(_ path: String) throws -> Script {
        let text = try InputFile.read(path)
        return try Script(
            text, name: path == "-" ? "standard input" : path, folder: FilePath(path).removingLastComponent())
    }

    /// The script that `text` says.
    ///
    /// - Throws: ``ScriptMistake`` naming the line that is wrong.
    init(_ text: String, name: String, folder: FilePath = "") throws(ScriptMistake) {
        self.name = name
        self.folder = folder
        var beginning: [Line] = []
        var tests: [Test] = []
        // The names that steps gave to what they began, in the beginning and in the current test.
        var names: (beginning: Set<String>, test: Set<String>) = ([], [])
        // A carriage return and a line feed are one Character.
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            do throws(ScriptMistake) {
                var words = try ScriptWords(line)
                if words.isEmpty { continue }
                if words.take("test") {
                    guard !words.isEmpty else { throw ScriptMistake("expected the test's title.") }
                    tests.append(Test(name: words.rest, lines: []))
                    names.test = names.beginning
                    continue
                }
                let step = try SimulationStep(words, names: names.test)
                if let new = step.newName { names.test.insert(new) }
                let line = Line(number: index + 1, text: words.text, step: step)
                if tests.isEmpty {
                    beginning.append(line)
                    names.beginning = names.test
                } else {
                    tests[tests.count - 1].lines.append(line)
                }
            } catch {
                throw ScriptMistake("\(name), line \(index + 1): \(error.message)")
            }
        }
        if tests.isEmpty { tests = [Test(name: FilePath(name).stem ?? name, lines: [])] }
        self.tests = tests.map { Test(name: $0.name, lines: beginning + $0.lines) }
    }

    /// Whether any step expects something: whether the script is a test.
    package var hasExpectations: Bool {
        tests.contains { test in
            test.lines.contains { if case .expect = $0.step { true } else { false } }
        }
    }

    /// The script that runs if there is neither a script nor a terminal: a flip, a sound that it stops, one that plays on, a
    /// vibration and a timed detection.
    package static var tour: Script {
        get throws { try Script(tourText, name: "tour") }
    }

    private static let tourText = """
        play soloAmbient for 2 s    # honours the switch
        play playback for 2 s       # an announcement: it does not
        wait 0.5 s
        silent                      # stops the first; the second plays on
        wait 2 s
        vibrate 200,100,200         # no setting holds a vibration back
        wait 1 s
        detect                      # the switch silences the clip: muted at once
        wait 0.5 s
        ring
        detect                      # it still plays at 0.1 s: audible
        """
}
