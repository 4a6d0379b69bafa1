import Synchronization

extension AudioSessions {
    /// Interrupts every session for something that is no session: a call that rings, an alarm clock. The PCMs that no sound
    /// plays on are closed for it, soon after the call returns; `Device.releaseOutput()` returns once they are.
    ///
    /// Over the service it interrupts the sessions of this process alone; one of ``SessionPriority/call`` that is activated
    /// interrupts those of others.
    ///
    /// - Returns: The interruption. Until it is answered or ended no session can be activated.
    public func interruptionBegan() -> OutsideInterruption {
        let interruption = OutsideInterruption(rawValue: nextNumber.wrappingAdd(1, ordering: .relaxed).newValue)
        runner.send(.coordinator(.outsideBegan(interruption)))
        return interruption
    }

    /// The interruptions that are under way, the oldest first.
    public var interruptions: [OutsideInterruption] { runner.read { $0.coordinator.outside } }

    /// Reports that the user accepted the interruption: the sessions that it interrupted become inactive, and get no end.
    /// PCMs are closed as by ``interruptionBegan()``.
    public func interruptionAnswered(_ interruption: OutsideInterruption) {
        endOutside(.outsideAnswered(interruption))
    }

    /// Ends the interruption.
    ///
    /// - Parameters:
    ///   - interruption: What ``interruptionBegan()`` returned; one that has ended already is ignored.
    ///   - shouldResume: Whether the sessions that it interrupted resume.
    public func interruptionEnded(_ interruption: OutsideInterruption, shouldResume: Bool = true) {
        endOutside(.outsideEnded(interruption, shouldResume: shouldResume))
    }

    /// Ends an interruption from outside, which the service knows nothing of, and deactivates there what may not resume here.
    /// A session that the service interrupts too is inactive here once the service reports its end.
    private func endOutside(_ event: SessionCoordinator.Event) {
        core.transition {
            let interrupted = runner.read { $0.coordinator.sessions.filter(\.isInterrupted).map(\.id) }
            runner.send(.coordinator(event))
            if deviceService == nil { return }
            for id in interrupted {
                guard let session = runner.read({ $0.coordinator.session(id) }),
                    session.phase == .inactive || session.isInterrupted && !session.mayResume
                else { continue }
                turns.take(id, { _ in }) { [self] answer in deactivateAtService(id, notifyOthers: true, answer) }
            }
        }
    }
}
