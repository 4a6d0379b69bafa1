import SystemPackage
import Testing

@testable import RingerLinux

@Suite struct OtherAudioTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private var other: OtherAudio { OtherAudio(paths: HardwarePaths(processes: directory.path)) }

    private func substream(_ name: String, state: String, owner: Int) throws {
        let status = """
            state: \(state)
            owner_pid   : \(owner)
            trigger_time: 42.1
            delay       : 480
            """
        try directory.write(status + "\n", to: "asound/\(name)/status")
    }

    @Test("nothing plays where the kernel shows no cards")
    func nothing() {
        #expect(!other.isPlaying(excluding: 1))
    }

    @Test(
        "a substream plays while it runs or drains",
        arguments: [
            ("RUNNING", true), ("DRAINING", true), ("PREPARED", false), ("SETUP", false), ("PAUSED", false),
            ("XRUN", false), ("SUSPENDED", false), ("DISCONNECTED", false),
        ])
    func states(state: String, expected: Bool) throws {
        try substream("card0/pcm0p/sub0", state: state, owner: 812)
        #expect(other.isPlaying(excluding: 900) == expected)
    }

    @Test("a closed substream and a capture substream do not count as playing")
    func closedAndCapture() throws {
        try directory.write("closed\n", to: "asound/card0/pcm0p/sub0/status")
        try substream("card0/pcm0c/sub0", state: "RUNNING", owner: 812)
        try directory.write("812", to: "asound/card0/pcm0p/info")
        #expect(!other.isPlaying(excluding: 900))
    }

    @Test("any card, any PCM and any substream counts")
    func deep() throws {
        try directory.write("closed\n", to: "asound/card0/pcm0p/sub0/status")
        try substream("card12/pcm3p/sub7", state: "RUNNING", owner: 812)
        #expect(other.isPlaying(excluding: 900))
    }

    @Test("a substream that one of the process's threads opened is its own")
    func threads() throws {
        try substream("card0/pcm0p/sub0", state: "RUNNING", owner: 905)
        directory.makeDirectory("900/task/905")
        #expect(!other.isPlaying(excluding: 900))
        #expect(other.isPlaying(excluding: 901))
        #expect(!other.isPlaying(excluding: 905))
    }

    @Test("an owner that is out of sight is another process")
    func outOfSight() throws {
        try substream("card0/pcm0p/sub0", state: "RUNNING", owner: 0)
        #expect(other.isPlaying(excluding: 900))
    }

    @Test("programs that have a card's playback PCM open are named by their process")
    func programs() throws {
        try directory.write("closed\n", to: "asound/card0/pcm0p/sub0/status")
        try substream("card0/pcm0c/sub0", state: "RUNNING", owner: 812)
        try substream("card12/pcm3p/sub0", state: "PREPARED", owner: 812)
        try substream("card2/pcm0p/sub1", state: "RUNNING", owner: 905)
        try substream("card2/pcm0p/sub2", state: "RUNNING", owner: 0)
        try substream("card2/pcm0p/sub3", state: "RUNNING", owner: 999)
        try substream("card13/pcm0p/sub0", state: "RUNNING", owner: 77)
        try directory.write("Name:\tpipewire\nTgid:\t77\n", to: "77/status")
        try directory.write("Name:\tmpv\nUmask:\t0022\nTgid:\t812\n", to: "812/status")
        try directory.write("Name:\tdata-loop.0\nTgid:\t900\n", to: "905/status")
        try directory.write("Name:\tmy player\r\nTgid:\t900\n", to: "900/status")
        #expect(
            other.programs(otherThan: ["pipewire", "ringerd"]) == [
                PCMProgram(pcm: "hw:2,0", process: 900, name: "my player\r"), PCMProgram(pcm: "hw:2,0"),
                PCMProgram(pcm: "hw:2,0"), PCMProgram(pcm: "hw:12,3", process: 812, name: "mpv"),
            ])
    }
}
