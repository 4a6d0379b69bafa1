import RingerLinux
import SystemPackage
import Testing

/// The pictures of docs/behaviour.md. `RINGER_DRAW=1 swift test --filter BehaviourTests` draws them anew.
@Suite("The pictures in the documentation")
struct PictureTests {
    @Test("each shows what the code does", arguments: Scene.all)
    func picture(scene: Scene) throws {
        let drawn = try scene.draw()
        let path = PictureFiles.path(of: scene.name)
        if PictureFiles.areToBeDrawn { try PictureFiles.write(drawn, to: path) }
        #expect(try PictureFiles.read(path) == drawn, "docs/pictures/\(scene.name).svg is not what the code draws")
    }

    @Test("a scene draws the same picture in every run", arguments: Scene.all)
    func same(scene: Scene) throws {
        #expect(try scene.draw() == scene.draw())
    }

    @Test("each picture is in the page, and each picture in the page is drawn")
    func page() throws {
        let page = try PictureFiles.read(PictureFiles.directory + "/../behaviour.md")
        let shown = page.split(separator: "](pictures/").dropFirst().compactMap { $0.split(separator: ".svg)").first }
        #expect(Set(shown.map(String.init)) == Set(Scene.all.map(\.name)))
    }
}
