import Testing

@testable import RingerLinux

@Suite struct JackNameTests {
    @Test(
        "a jack control's name tells what is plugged in",
        arguments: [
            ("Headphone Jack", .headphone), ("Front Headphone Jack", .headphone), ("Headset Jack", .headphone),
            ("Headphone Mic Jack", .headphone), ("Mic Jack", .microphone), ("Headset Mic Jack", .microphone),
            ("Headset Mic Phantom Jack", nil), ("Internal Mic Phantom Jack", nil), ("Line Out Jack", nil),
            ("HDMI/DP,pcm=3 Jack", nil), ("Headphone Playback Switch", nil), ("Jack", nil), ("", nil),
        ] as [(String, JackName.Kind?)])
    func kind(name: String, expected: JackName.Kind?) {
        #expect(JackName.kind(of: name) == expected)
    }
}
