import Testing

@testable import RingerLinux

@Suite("The setup behind a PCM")
struct PCMDescriptionTests {
    /// As alsa-lib describes plug in front of a card's hardware.
    private let text = """
        Plug PCM: Rate conversion PCM (48000, sformat=S16_LE)
        Converter: linear-interpolation
        Its setup is:
          stream       : PLAYBACK
          format       : S16_LE
          channels     : 1
          rate         : 22050
          exact rate   : 22050 (22050/1)
          msbits       : 16
          buffer_size  : 1764
          period_size  : 220
          period_time  : 10000
        Slave: Hardware PCM card 0 'Dummy' device 0 subdevice 0
        Its setup is:
          channels     : 2
          rate         : 48000
          exact rate   : 48000 (48000/1)
          buffer_size  : 3840
          period_size  : 480
          period_time  : 10000
        """

    @Test("is the one of the last slave that is described")
    func innermost() throws {
        let setup = try #require(PCMDescription(text).hardware(behind: "plug:dummy"))
        #expect(setup.sampleRate == 48_000 && setup.channels == 2)
        #expect(setup.periodFrames == 480 && setup.bufferFrames == 3_840)
    }

    @Test(
        "is unknown where the description lacks it",
        arguments: ["", "Null PCM\n", "rate : none\n", "  rate : 48000\n  channels : 2\n", ":\n::\n :"])
    func missing(text: String) {
        #expect(PCMDescription(text).hardware(behind: "plug:dummy") == nil)
    }
}
