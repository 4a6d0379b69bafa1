import Ringer

/// What is done while there is a connection, each in a task of its own.
extension Connection {
    /// How long a broker that has refused a message for now is left alone.
    private static let pauseAfterRefusal = Duration.seconds(10)

    /// Serves the connection until it ends.
    func serve() async throws(RingerError) {
        lastSent = device.clock.now
        try client.write()
        let descriptor = client.descriptor
        // A new one each time: cancelling its reader ends a stream for good.
        let unsent = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        wakeWriter = { unsent.continuation.yield() }
        let acceptance = AsyncStream.makeStream(of: Void.self)
        beginAsking = { acceptance.continuation.yield() }
        let subscription = AsyncStream.makeStream(of: Void.self)
        beginProbation = { subscription.continuation.yield() }
        let refusals = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        beginPause = { refusals.continuation.yield() }
        let result = await withTaskGroup(of: Result<Void, RingerError>.self) { group in
            group.addTask { await Self.result { () throws(RingerError) in try await self.read(descriptor) } }
            group.addTask {
                await Self.result { () throws(RingerError) in try await self.write(unsent.stream, descriptor) }
            }
            group.addTask {
                await Self.result { () throws(RingerError) in try await self.ask(acceptance.stream) }
            }
            group.addTask { await Self.result { () throws(RingerError) in try await self.expectAnswer() } }
            group.addTask { await self.prove(subscription.stream) }
            group.addTask { await self.publishAgain(refusals.stream) }
            defer { group.cancelAll() }
            return await group.next() ?? .success(())
        }
        try result.get()
    }

    private static func result(
        _ body: @PaymentActor () async throws(RingerError) -> Void
    ) async -> Result<Void, RingerError> {
        do throws(RingerError) {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }

    private func read(_ descriptor: CInt) async throws(RingerError) {
        for await _ in try device.watch(descriptor) {
            try client.read()
            if client.wantsWrite { wakeWriter() }
        }
    }

    private func write(_ unsent: AsyncStream<Void>, _ descriptor: CInt) async throws(RingerError) {
        for await _ in unsent {
            guard client.wantsWrite else { continue }
            for await _ in try device.watch(descriptor, for: .writable) {
                try client.write()
                if !client.wantsWrite { break }
            }
        }
    }

    /// Asks the broker whether it is there, when nothing was sent for the keep-alive time, which the broker may have chosen.
    private func ask(_ acceptance: AsyncStream<Void>) async throws(RingerError) {
        for await _ in acceptance {
            let keepAlive = client.keepAliveTime
            // The broker does not want to be asked. The end of the connection ends the wait.
            guard keepAlive > 0 else { continue }
            while true {
                let due = lastSent + .seconds(keepAlive)
                if due <= device.clock.now {
                    try client.keepAlive()
                    lastSent = device.clock.now
                } else {
                    // Cancelled, or the device is closed.
                    guard (try? await device.sleep(until: due)) != nil else { return }
                }
            }
        }
    }

    /// Waits for the end of the connection, once the broker has accepted it and the subscriptions.
    ///
    /// - Throws: ``RingerError`` if it does not accept them in time.
    private func expectAnswer() async throws(RingerError) {
        guard (try? await device.sleep(for: patience)) != nil else { return }
        guard isConnected else {
            throw RingerError(.timedOut, "subscribe at", client.broker, detail: "no answer within \(patience)")
        }
        _ = try? await device.sleep(for: .seconds(Int64.max))
    }

    /// Asks the broker for the answer that makes the connection a good one: the health, once more.
    private func prove(_ subscription: AsyncStream<Void>) async -> Result<Void, RingerError> {
        for await _ in subscription {
            // Cancelled, or the device is closed.
            guard (try? await device.sleep(for: BackOff.probation)) != nil else { break }
            question = publishHealth()
        }
        return .success(())
    }

    /// Publishes what the broker has refused once more.
    private func publishAgain(_ refusals: AsyncStream<Void>) async -> Result<Void, RingerError> {
        for await _ in refusals {
            guard (try? await device.sleep(for: Self.pauseAfterRefusal)) != nil else { break }
            speaker.setProblem("broker", nil)
            (publishedState, publishedHealth) = (nil, nil)
            publishStatusNow()
            publishWaiting()
        }
        return .success(())
    }
}
