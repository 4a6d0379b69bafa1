import Glibc
import RingerCore
import SystemPackage

/// Starts a program, whose name, the first word, is searched in PATH; `prepare` adds what its descriptors become.
package func startProcess(
    _ words: [String], _ prepare: (inout posix_spawn_file_actions_t) -> Void
) throws(RingerError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    prepare(&actions)
    var arguments = words.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    var process: pid_t = 0
    let result = posix_spawnp(&process, words[0], &actions, nil, &arguments, environ)
    guard result == 0 else { throw RingerError("start", words[0], Errno(rawValue: result)) }
    return process
}

/// Starts a program that has no input, and whose output, errors included, goes to a file.
package func startProcess(_ words: [String], output path: String) throws(RingerError) -> pid_t {
    try startProcess(words) { actions in
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
    }
}
