import Glibc
import Testing

/// Apple's names as C and C++ programs use them. The client is a program of its own: it has the process's one device.
@Suite struct AudioToolboxCTests {
    private static let package = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
    private static let client: String = {
        var path = [CChar](repeating: 0, count: 4096)
        readlink("/proc/self/exe", &path, path.count - 1)
        let executable = String(decoding: path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return executable.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/audiotoolbox-client"
    }()

    /// What a command prints.
    private func run(_ command: String) throws -> (output: String, status: Int32) {
        let pipe = try #require(popen(command + " 2>&1", "re"))
        var bytes: [UInt8] = []
        while case let byte = fgetc(pipe), byte != EOF { bytes.append(UInt8(byte)) }
        return (String(decoding: bytes, as: UTF8.self), pclose(pipe))
    }

    /// What the client prints in a folder of its own.
    private func runClient(_ arguments: String, board: String = "simulated") throws -> (output: String, status: Int32) {
        try run(
            "folder=$(mktemp -d) && cd \"$folder\" && RINGER_BOARD=\(board) '\(Self.client)' \(arguments); "
                + "status=$?; rm -rf \"$folder\"; exit $status")
    }

    @Test(
        "every constant and type has the value and the size of the table, in C99 and C++17, without a warning",
        arguments: [
            "gcc -std=c99 -x c", "clang -std=c99 -x c", "clang -std=c99 -fblocks -x c", "g++ -std=c++17 -x c++",
            "clang++ -std=c++17 -x c++", "clang++ -std=c++17 -fblocks -x c++",
        ])
    func headers(_ compiler: String) throws {
        let result = try run(
            "(echo '#include <ringer-audiotoolbox.h>'; '\(Self.package)/Tests/Support/AppleNames/assertions') | \(compiler) "
                + "-Wall -Wextra -Wpedantic -Werror -fsyntax-only -I '\(Self.package)/Sources/Apple/CAudioToolbox/include' -"
        )
        #expect(result.status == 0, "\(result.output)")
    }

    @Test("the session's properties have the sizes of the table, and those that can be read are read")
    func propertySizes() throws {
        let table = try run("cat '\(Self.package)/Tests/Support/AppleNames/constants.tsv'").output
        let rows = table.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
            .filter { $0[0].hasPrefix("kAudioSessionProperty_") }
        #expect(rows.count == 22)
        let pointer = MemoryLayout<UnsafeRawPointer>.size
        let sizes = ["UInt32": 4, "Float32": 4, "Float64": 8, "CFStringRef": pointer, "CFDictionaryRef": pointer]
        let expected = try rows.map { row in
            let size = try #require(sizes[String(row[3])])
            return "\(row[1]) 0 \(size) \(row[4].contains("read") ? "readable" : "unreadable")\n"
        }
        let result = try runClient("sizes " + rows.map { String($0[1]) }.joined(separator: " "))
        #expect(result.output == expected.joined())
    }

    @Test("a program from a phone does on the simulated board what it does there", arguments: ["ring", "silent"])
    func phone(_ position: String) throws {
        let isAtRing = position == "ring"
        let result = try runClient("simulated \(position) .")
        #expect(
            result.output == """
                register: 0
                a file that is not there: -1500
                more than 30 s: -1502
                no URL: -50
                sound completed: 1, \(isAtRing ? "220" : "0") ms
                vibration completed: 1, 400 ms
                a completion of no sound: -1500
                ring over: 1, 3 rounds, \(isAtRing ? "1560" : "1500") ms
                dispose: 0
                dispose again: -1500
                info: 0
                size 4, writable 1
                IsUISound 1
                set: 0
                IsUISound 0
                CompletePlaybackIfAppDies 0
                another property: 'pty?'
                another specifier: '!spc'
                another size: '!siz'
                detector: \(isAtRing ? "heard, 119" : "muted, 0") ms
                block called: 1
                too early: '!ini'
                initialize: 0
                initialize again: 'init'
                category: 'solo'
                activate: 0
                the old mute test: \(isAtRing ? "Speaker" : "muted")
                set the category: 0
                category: 'medi'
                as playback: Speaker
                no category: '!cat'
                a size: '!siz'
                a small buffer: '!siz'
                no property: 'pty?'
                size: 0
                8 bytes
                set the mode: 0
                mode: 'vcct'
                no mode: -50
                type of the interruption: '!rsm'
                volume: 0
                within 0 and 1: 1
                listen: 0
                the listener: reason 1, from the speaker
                route changed: 1, to Headphone
                listen no more: 0
                interruption 1 of the session
                activate meanwhile: '!act'
                interruption 0 of the session
                type of the interruption: 'irsm'
                deactivate: 0
                dispose: 0
                recordings: \(isAtRing ? "6" : "0")
                closed: -1500

                """)
        #expect(result.status == 0)
    }

    @Test("Core Foundation's objects are counted, compared and converted, and refuse what they are not")
    func foundation() throws {
        #expect(try runClient("foundation").output == "0 failures\n")
    }

    @Test("callbacks have one thread, which is none of the program's")
    func callbacksThread() throws {
        #expect(try runClient("callbacks").output == "on one thread: 1, on this: 0\n")
    }

    @Test("callbacks come one after another where the device cannot be opened, too")
    func withoutDevice() throws {
        #expect(try runClient("no-device", board: "none").output == "callbacks at once: 0\n")
    }

    @Test("a completion ends the run loop, and so the program; the run loop returns for a stop before it, and in time")
    func runLoop() throws {
        #expect(try runClient("run-loop").output == "references left: 1\nstopped before: 2\ntimed out: 3\n")
    }

    @Test("a program that sleeps after the run loop ran is called")
    func leftRunLoop() throws {
        #expect(try runClient("left-loop").output == "ran: 3\ncalled: 1\n")
    }

    @Test(
        "the header of System Sound Services has the sessions too, also in Objective-C with ARC",
        arguments: ["-x c", "-x c++", "-x objective-c -fobjc-arc -fobjc-runtime=gnustep-2.0 -fblocks"])
    func oneHeader(_ language: String) throws {
        let result = try run(
            "printf '#include <AudioToolbox/AudioServices.h>\\nOSStatus start(void)\\n{\\n"
                + "    return AudioSessionSetActiveWithFlags(true, kAudioSessionSetActiveFlag_NotifyOthersOnDeactivation);\\n"
                + "}\\n' | clang \(language) -Wall -Wextra -Werror -fsyntax-only "
                + "-I '\(Self.package)/Sources/Apple/CAudioToolbox/include' -")
        #expect(result.status == 0, "\(result.output)")
    }

    // A child whose program could not be executed closed its parent's device at its exit, and hung there. Its stop of the run
    // loop was its parent's, who found callbacks for ever where the child had one.
    @Test("a child of fork has no device, and ends", arguments: ["simulated", "hardware"])
    func fork(_ board: String) throws {
        let result = try runClient("fork", board: board)
        #expect(
            result.output
                == "in a child: -50 1 1\ncalled back: 1\nthe child: status 127\nits parent: 0, 3, 0\n"
                && result.status == 0,
            "\(result)")
    }

    @Test("signals are handled for the device that the library opens, and not for one that the program hands in")
    func signals() throws {
        let result = try runClient("signals", board: "hardware")
        let expected = "with a device of the program's: 0\nwith one of the library's: 1\n"
        #expect(result == (expected, 0), "\(result)")
    }

    @Test("every function takes arguments of chance from 8 threads")
    func threads() throws {
        let result = try runClient("threads 300 .")
        #expect(result.output == "2400 calls, 0 threads left\n" && result.status == 0, "\(result.output)")
    }
}
