import Glibc
import Testing

/// Programs on a machine without `/proc`, as in a chroot or an initramfs.
extension VirtualTime {
    @Suite struct ArgumentTests {
        private var folder: String {
            RingerCommandLine.path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
                .joined(separator: "/")
        }

        /// Runs a program beside this one, where nothing is in `/proc`.
        private func run(_ words: String...) async throws -> ChildProcess.Outcome {
            let script = "mount -t tmpfs none /proc && exec \"$@\""
            return try await ChildProcess(
                ["unshare", "--mount", "sh", "-c", script, "sh", "\(folder)/\(words[0])"] + words.dropFirst()
            ).wait()
        }

        // Swift reads the arguments there: `ringer play` printed its help, with status 0.
        @Test("programs get their arguments where there is no /proc")
        func arguments() async throws {
            let played = try await run("ringer", "play", "tock", "--board", "simulated")
            #expect(played.status == 0 && played.output.hasPrefix("finished after "), "\(played)")
            let version = try await run("ringerd", "--version")
            #expect(version.status == 0 && version.output.hasPrefix("ringerd "), "\(version)")
            #expect(try await run("ringer", "play").status == 64)
            let unknown = try await run("ringerd", "--nonsense")
            #expect(
                unknown.status == 64 && unknown.output.hasPrefix("Error: unknown argument --nonsense"), "\(unknown)")
            #expect(try await run("AnnouncePayment", "/a", "b").output == "usage: AnnouncePayment FOLDER")
            #expect(try await run("RingUntilAnswered", "x").output == "usage: RingUntilAnswered [SECONDS]")
            let firmware = try await run("Minimal", "/nowhere.wav")
            #expect(firmware.status == 1)
            #expect(firmware.output == "Minimal: /nowhere.wav: cannot open: No such file or directory")
        }

        // A file gets its name by its entry in /proc.
        @Test("files are written where there is no /proc")
        func files() async throws {
            let picture = "\(Lab.temporaryFolder)/no-proc.svg"
            let played = try await run("ringer", "play", "tock", "--board", "simulated", "--trace", picture)
            #expect(played.status == 0, "\(played)")
            #expect(try KernelFile.read(picture).hasPrefix("<svg "))
            unlink(picture)
        }
    }
}
