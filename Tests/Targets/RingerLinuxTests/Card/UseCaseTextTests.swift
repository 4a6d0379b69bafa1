import SystemPackage
import Testing

@testable import RingerLinux

@Suite struct UseCaseTextTests {
    @Test("cards are read from the kernel's list, names with spaces and hyphens included")
    func cards() {
        let text = """
             0 [Dummy          ]: Dummy - Dummy
                                  Dummy 1
             1 [Analog         ]: rockchip_es8316 - Analog
                                  Radxa-ROCK_Pi_4B - Analog
            10 [U0x46d0x825    ]: USB-Audio - USB Device 0x46d:0x825
                                  USB Device 0x46d:0x825 at usb-1.2, high speed

            """
        let cards = ListedSoundCard.list(text)
        #expect(cards.map(\.number) == [0, 1, 10])
        #expect(cards.map(\.id) == ["Dummy", "Analog", "U0x46d0x825"])
        #expect(cards.map(\.driver) == ["Dummy", "rockchip_es8316", "USB-Audio"])
        #expect(
            cards.map(\.longName)
                == ["Dummy 1", "Radxa-ROCK_Pi_4B - Analog", "USB Device 0x46d:0x825 at usb-1.2, high speed"])
        #expect(ListedSoundCard.list("--- no soundcards ---\n").isEmpty)
        #expect(
            ListedSoundCard.list("").isEmpty && ListedSoundCard.list("x [").isEmpty
                && ListedSoundCard.list("1 [a").isEmpty)
    }

    @Test(
        "a PCM of bare hardware gets conversion, and no prefix of a private configuration",
        arguments: [
            ("hw:Dummy", "plughw:Dummy"), ("_ucm0001.hw:Dummy,1", "plughw:Dummy,1"), ("default", "default"),
            ("plug:mixed", "plug:mixed"), ("_ucm0001.mixed", "mixed"),
        ])
    func pcm(value: String, name: String) {
        #expect(UseCaseText.pcm(value) == name)
    }

    @Test("names are found in the identifiers of elements and controls")
    func names() {
        for value in ["DAC", "'DAC'", "'DAC',0", "name='DAC',index=0", "index=0,name='DAC'"] {
            #expect(UseCaseText.name(value) == "DAC")
        }
        for value in ["Headphone Jack", "name='Headphone Jack'", "iface=CARD,name='Headphone Jack'"] {
            #expect(UseCaseText.name(value) == "Headphone Jack")
        }
        #expect(UseCaseText.volume("name='DAC Playback Volume'") == "DAC")
        #expect(UseCaseText.volume("name='Digital Volume'") == "Digital")
        #expect(UseCaseText.name("").isEmpty && UseCaseText.name(",").isEmpty)
    }

    @Test("a card's own file comes before its driver's; a card without either has no use cases")
    func files() throws {
        let directory = try TemporaryDirectory()
        let paths = HardwarePaths(processes: directory.path)
        let folder = directory.path.appending("ucm2")
        func file(_ card: String? = nil) -> String? { UseCases.file(card, paths, folder)?.1.lastComponent?.string }
        #expect(file() == nil)
        try directory.write(
            " 2 [codec          ]: simple-card - codec\n                      Board one\n"
                + " 3 [HDMI           ]: vc4-hdmi - HDMI\n                      HDMI 0\n", to: "asound/cards")
        #expect(file() == nil)
        try directory.write("", to: "ucm2/conf.d/simple-card/simple-card.conf")
        #expect(file() == "simple-card.conf" && file("codec") == "simple-card.conf" && file("2") == "simple-card.conf")
        #expect(UseCases.file("codec", paths, folder)?.0 == 2)
        #expect(file("HDMI") == nil && file("3") == nil && file("other") == nil)
        try directory.write("", to: "ucm2/conf.d/simple-card/Board one.conf")
        #expect(file() == "Board one.conf")
    }
}
