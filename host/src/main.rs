//! The `onceward` binary.

fn main() -> std::process::ExitCode {
    onceward::cli::main()
}
