/// All kinds, a file for each group of them.
enum Kinds {
    static var all: [Kind] {
        sounds + requests + sessions + board + outputs + hardware + files + service + plugin + apple + library
    }
}
