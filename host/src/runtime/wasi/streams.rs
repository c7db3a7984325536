//! `streams` and `error`: output that is noted, and an input that has ended before it began.

use crate::runtime::wasi::bindings::wasi::io::error::{Host as ErrorHost, HostError};
use crate::runtime::wasi::bindings::wasi::io::streams::{
    Host, HostInputStream, HostOutputStream, StreamError,
};
use crate::runtime::wasi::output::Output;
use crate::runtime::wasi::poll::Pollable;
use crate::runtime::wasi::sandbox::Sandbox;
use wasmtime::component::Resource;

/// How much a step may write in one call, in bytes, where it asks. Any call that the limits of a run let through is taken.
const WRITE_BYTES: u64 = 65_536;

/// The standard input, which has ended.
#[derive(Clone, Copy, Debug)]
pub struct InputStream;

/// An error of a stream. There is none: a stream is open or has ended.
#[derive(Clone, Copy, Debug)]
pub enum IoError {}

type Answer<T> = wasmtime::Result<Result<T, StreamError>>;

impl Sandbox {
    fn input(&mut self, stream: &Resource<InputStream>) -> wasmtime::Result<StreamError> {
        self.calls.count()?;
        self.table.get(stream)?;
        Ok(StreamError::Closed)
    }

    fn output(&mut self, stream: &Resource<Output>) -> wasmtime::Result<Output> {
        self.calls.count()?;
        Ok(*self.table.get(stream)?)
    }

    fn take(&mut self, stream: &Resource<Output>, bytes: &[u8]) -> Answer<()> {
        let output = self.output(stream)?;
        self.write(output, bytes);
        Ok(Ok(()))
    }

    /// Bytes of zero are no text: they are counted as a call, and not noted.
    fn take_zeroes(&mut self, stream: &Resource<Output>) -> Answer<()> {
        self.output(stream)?;
        Ok(Ok(()))
    }
}

impl Host for Sandbox {}

impl HostInputStream for Sandbox {
    fn read(&mut self, stream: Resource<InputStream>, _: u64) -> Answer<Vec<u8>> {
        Ok(Err(self.input(&stream)?))
    }

    fn blocking_read(&mut self, stream: Resource<InputStream>, _: u64) -> Answer<Vec<u8>> {
        Ok(Err(self.input(&stream)?))
    }

    fn skip(&mut self, stream: Resource<InputStream>, _: u64) -> Answer<u64> {
        Ok(Err(self.input(&stream)?))
    }

    fn blocking_skip(&mut self, stream: Resource<InputStream>, _: u64) -> Answer<u64> {
        Ok(Err(self.input(&stream)?))
    }

    fn subscribe(&mut self, stream: Resource<InputStream>) -> wasmtime::Result<Resource<Pollable>> {
        self.input(&stream)?;
        Ok(self.table.push(Pollable::Ready)?)
    }

    fn drop(&mut self, stream: Resource<InputStream>) -> wasmtime::Result<()> {
        self.table.delete(stream)?;
        Ok(())
    }
}

impl HostOutputStream for Sandbox {
    fn check_write(&mut self, stream: Resource<Output>) -> Answer<u64> {
        self.output(&stream)?;
        Ok(Ok(WRITE_BYTES))
    }

    fn write(&mut self, stream: Resource<Output>, bytes: Vec<u8>) -> Answer<()> {
        self.take(&stream, &bytes)
    }

    fn blocking_write_and_flush(&mut self, stream: Resource<Output>, bytes: Vec<u8>) -> Answer<()> {
        self.take(&stream, &bytes)
    }

    fn flush(&mut self, stream: Resource<Output>) -> Answer<()> {
        self.take(&stream, &[])
    }

    fn blocking_flush(&mut self, stream: Resource<Output>) -> Answer<()> {
        self.take(&stream, &[])
    }

    fn subscribe(&mut self, stream: Resource<Output>) -> wasmtime::Result<Resource<Pollable>> {
        self.output(&stream)?;
        Ok(self.table.push(Pollable::Ready)?)
    }

    fn write_zeroes(&mut self, stream: Resource<Output>, _: u64) -> Answer<()> {
        self.take_zeroes(&stream)
    }

    fn blocking_write_zeroes_and_flush(&mut self, stream: Resource<Output>, _: u64) -> Answer<()> {
        self.take_zeroes(&stream)
    }

    fn splice(&mut self, _: Resource<Output>, source: Resource<InputStream>, _: u64) -> Answer<u64> {
        Ok(Err(self.input(&source)?))
    }

    fn blocking_splice(&mut self, _: Resource<Output>, source: Resource<InputStream>, _: u64) -> Answer<u64> {
        Ok(Err(self.input(&source)?))
    }

    fn drop(&mut self, stream: Resource<Output>) -> wasmtime::Result<()> {
        self.table.delete(stream)?;
        Ok(())
    }
}

impl ErrorHost for Sandbox {}

impl HostError for Sandbox {
    fn to_debug_string(&mut self, error: Resource<IoError>) -> wasmtime::Result<String> {
        self.calls.count()?;
        match *self.table.get(&error)? {}
    }

    fn drop(&mut self, error: Resource<IoError>) -> wasmtime::Result<()> {
        match self.table.delete(error)? {}
    }
}
