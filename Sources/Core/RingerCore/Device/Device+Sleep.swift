extension Device {
    /// How long ``prepareForSleep()`` waits at most for another thread that is turning the motor off or on.
    private static let longestPreparation = Duration.seconds(1)
    /// How often it tries to turn the motor off.
    private static let preparationAttempts = 5

    /// Turns the motor off before the machine sleeps: a GPIO line keeps its level meanwhile, and the clock that ends a
    /// vibration stands still.
    ///
    /// A firmware that puts the machine to sleep itself calls it right before, as before it writes to `/sys/power/state`;
    /// `ringerd` calls it when logind announces a sleep. Running vibrations end as stopped. Until the
    /// machine woke, later ones fail as ``RingerError/Code/busy``, so that an alert that repeats does not turn the motor on
    /// again. The next vibration after the sleep turns it. After a sleep that was given up, call ``wokeFromSleep()``;
    /// otherwise vibrations go on failing for 10 s. Sounds are not stopped.
    ///
    /// It returns once the motor is off, which is at once unless another thread is just turning it on or off, or its driver
    /// fails; at the latest after 1 s, and each failure is a ``DeviceEvent/vibration(_:)``. The device's own thread, whose
    /// wait would delay edges, waits for no other: there it returns false while the thread of a motor on a GPIO line is
    /// turning that off. Over the service it does nothing.
    ///
    /// - Returns: Whether the motor is off; true for a device without one, false in a child of `fork`.
    @discardableResult
    public func prepareForSleep() -> Bool {
        guard let vibrator else { return true }
        // The motor is its parent's, which may want it to turn.
        if !process.isCurrent { return false }
        let isOwnThread = clock.thread?.isCurrentThread == true
        let deadline = MonotonicTime.now + (isOwnThread ? .zero : Self.longestPreparation)
        for _ in 0..<Self.preparationAttempts {
            let isDone = Latch()
            vibrator.prepareForSleep { isDone.open() }
            guard isDone.wait(until: deadline) else { break }
            if vibrator.isOff { return true }
        }
        return vibrator.isOff
    }

    /// Lets the motor turn again, and reads the switch anew: the machine woke, or does not sleep after all.
    ///
    /// A waking is noticed without this call where the device follows sleep: where its switch or its motor is a GPIO line,
    /// and with `Device.Hardware.Following.sleep`; but not on a board where no clock goes on during sleep, such as an RTC.
    public func wokeFromSleep() {
        if !process.isCurrent { return }
        vibrator?.wakes()
        // Before anything sounds.
        rereadSwitch()
        lazyAnnouncements.ifMade { $0.wakes() }
    }
}
