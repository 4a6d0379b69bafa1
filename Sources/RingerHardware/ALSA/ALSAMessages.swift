import CALSA
import CLinux

/// What alsa-lib says of its failures, besides their number.
enum ALSAMessages {
    /// From now on keeps what alsa-lib says on this thread, instead of printing it. What the process set for its other
    /// threads stays. The corresponding C function is `snd_lib_error_set_local`.
    static func keepOnThisThread() {
        ringer_alsa_keep_messages()
    }

    /// Forgets what was said so far, so that what is taken later belongs to what is done from here on.
    static func forget() {
        ringer_forget_message()
    }

    /// What was said first since ``forget()``; nil where nothing was.
    static func take() -> String? {
        defer { ringer_forget_message() }
        guard let message = ringer_kept_message() else { return nil }
        // SAFETY: the text ends in a zero and stays until this thread keeps another, which needs a call to alsa-lib.
        let text = String(cString: message)
        return text.isEmpty ? nil : text
    }
}
