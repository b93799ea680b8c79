//! The first process of the jail in tests that run real code. It is no part of the program.

fn main() {
    sandbox::jail_main();
}
