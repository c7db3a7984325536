//! `wasi:cli`: a program without arguments, variables and terminals, which may not end itself.

use crate::runtime::stop::Stop;
use crate::runtime::wasi::bindings::wasi::cli::{
    environment, exit, stderr, stdin, stdout, terminal_input, terminal_output, terminal_stderr,
    terminal_stdin, terminal_stdout,
};
use crate::runtime::wasi::output::Output;
use crate::runtime::wasi::sandbox::Sandbox;
use crate::runtime::wasi::streams::InputStream;
use wasmtime::component::Resource;

/// A terminal. There is none.
#[derive(Clone, Copy, Debug)]
pub enum Terminal {}

type NoTerminal = wasmtime::Result<Option<Resource<Terminal>>>;

impl Sandbox {
    fn no_terminal(&mut self) -> NoTerminal {
        self.calls.count()?;
        Ok(None)
    }

    fn forget_terminal(&mut self, terminal: Resource<Terminal>) -> wasmtime::Result<()> {
        match self.table.delete(terminal)? {}
    }
}

impl environment::Host for Sandbox {
    fn get_environment(&mut self) -> wasmtime::Result<Vec<(String, String)>> {
        self.calls.count()?;
        Ok(Vec::new())
    }

    fn get_arguments(&mut self) -> wasmtime::Result<Vec<String>> {
        self.calls.count()?;
        Ok(Vec::new())
    }

    fn initial_cwd(&mut self) -> wasmtime::Result<Option<String>> {
        self.calls.count()?;
        Ok(None)
    }
}

impl exit::Host for Sandbox {
    fn exit(&mut self, status: Result<(), ()>) -> wasmtime::Result<()> {
        let code = if status.is_ok() { 0 } else { 1 };
        Err(Stop::Exited { code }.into())
    }

    fn exit_with_code(&mut self, code: u8) -> wasmtime::Result<()> {
        Err(Stop::Exited { code }.into())
    }
}

impl stdin::Host for Sandbox {
    fn get_stdin(&mut self) -> wasmtime::Result<Resource<InputStream>> {
        self.calls.count()?;
        Ok(self.table.push(InputStream)?)
    }
}

impl stdout::Host for Sandbox {
    fn get_stdout(&mut self) -> wasmtime::Result<Resource<Output>> {
        self.calls.count()?;
        Ok(self.table.push(Output::Stdout)?)
    }
}

impl stderr::Host for Sandbox {
    fn get_stderr(&mut self) -> wasmtime::Result<Resource<Output>> {
        self.calls.count()?;
        Ok(self.table.push(Output::Stderr)?)
    }
}

impl terminal_input::Host for Sandbox {}

impl terminal_input::HostTerminalInput for Sandbox {
    fn drop(&mut self, terminal: Resource<Terminal>) -> wasmtime::Result<()> {
        self.forget_terminal(terminal)
    }
}

impl terminal_output::Host for Sandbox {}

impl terminal_output::HostTerminalOutput for Sandbox {
    fn drop(&mut self, terminal: Resource<Terminal>) -> wasmtime::Result<()> {
        self.forget_terminal(terminal)
    }
}

impl terminal_stdin::Host for Sandbox {
    fn get_terminal_stdin(&mut self) -> NoTerminal {
        self.no_terminal()
    }
}

impl terminal_stdout::Host for Sandbox {
    fn get_terminal_stdout(&mut self) -> NoTerminal {
        self.no_terminal()
    }
}

impl terminal_stderr::Host for Sandbox {
    fn get_terminal_stderr(&mut self) -> NoTerminal {
        self.no_terminal()
    }
}
