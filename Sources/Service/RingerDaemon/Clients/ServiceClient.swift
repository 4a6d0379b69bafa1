import RingerCore
import RingerBus

/// A program on the bus for which something was begun, until it leaves the bus. It runs on the event loop's thread.
final class ServiceClient {
    /// Its unique name.
    let name: String
    /// Who it is, as the bus vouches for it.
    let credentials: Authorization.Credentials
    /// In whose name it takes of the budget.
    private let payer: Budget.Payer
    private let budget: ServiceBudget
    /// Its place among the clients.
    private let share: BudgetShare
    /// Watches for its leaving the bus.
    var watch: BusName?
    /// The requests that have not ended.
    var requests: Set<UInt32> = []
    /// The sessions that it has not released.
    var sessions: Set<UInt32> = []
    /// Its system sounds, which nobody else can name.
    let sounds: SystemSoundServices
    /// Reads its files.
    let reads: FileReads

    init(
        _ credentials: Authorization.Credentials, _ payer: Budget.Payer, _ share: BudgetShare, _ budget: ServiceBudget,
        _ device: Device
    ) {
        name = payer.connection
        self.credentials = credentials
        (self.payer, self.budget, self.share) = (payer, budget, share)
        (sounds, reads) = (device.sounds.makeClient(), FileReads(device))
    }

    /// Throws where it may have no more of a resource; nothing is taken.
    func check(_ resource: Budget.Resource) throws(BusError) {
        try budget.check(resource, for: payer)
    }

    /// Takes one of a resource.
    func take(_ resource: Budget.Resource) throws(BusError) -> BudgetShare {
        try budget.share(resource, for: payer)
    }
}
