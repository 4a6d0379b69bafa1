import Ringer
import RingerLinux
import RingerClient
import RingerTestKit

extension Options {
    /// The device, and the simulated board behind it.
    func openDevice() async throws(RingerError) -> (device: Device, board: SimulatedBoard?) {
        let configuration = Device.Configuration(preferences: preferences)
        if board == .simulated {
            let (board, loop) = try SimulatedBoard.inRealTime(position: position ?? .ring)
            var ports = Device.Ports(simulated: board) { loop.close() }
            if let pcm { ports.speaker = try ALSASoundOutput(pcm: pcm) }
            return (try Device(ports, configuration: configuration), board)
        }
        var usesService = board == .service
        if !usesService, pcm == nil { usesService = await Device.isServiceAvailable() }
        if usesService { return (try await Device.connect(configuration: configuration), nil) }
        return (try await Device.discover(Device.Hardware(pcm: pcm), configuration: configuration), nil)
    }
    /// The account, with the password of its file.
    func accountWithPassword() throws(RingerError) -> Account? {
        guard var account else { return nil }
        if let passwordFile { account.password = try Account.password(in: passwordFile) }
        return account
    }
}
