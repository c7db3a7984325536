//! Deliveries a second to a receiver that answers at once.
//!
//! Owns that receiver: it reads a request, says 201 and closes, and keeps nothing. The floor are the same requests from as many
//! plain clients, a connection each, as a delivery has it.

use crate::bench::Bench;
use crate::figure::{Figure, Table};
use crate::sample::{Sample, Subject, drive, in_turns, wait};
use crate::served::{PLAIN, Pause, Setting, config, invoke_new, pause, start_without_delivery, workspace};
use crate::unit::{Decision, Events, ROW_BYTES};
use anyhow::{Context as _, bail};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};
use support::receiver::client;
use support::service::Service;

/// Deliveries under way at once; the host is configured to as many.
const AT_ONCE: usize = 8;

/// How long one turn's deliveries may take, in seconds.
const FINISH_LIMIT_S: u64 = 300;

/// What the receiver says, always.
const ANSWER: &[u8] =
    b"HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 10\r\nConnection: close\r\n\r\n{\"id\":\"1\"}";

/// Measure.
pub(crate) fn measure(bench: &Bench) -> anyhow::Result<Table> {
    let mut table = Table::new("deliveries", "Deliveries to a receiver that answers at once");
    let (dir, address) = (bench.dir()?, receiver()?);
    let crm = format!("http://{address}/deals");
    let config = config(&Setting { crm: &crm, ..PLAIN });
    let host = start_without_delivery(&workspace(dir.path(), &config)?)?;
    let events = Events::named("delivered");
    let mut subjects: [Subject<'_>; 2] = [
        Box::new(|| {
            let body = "x".repeat(ROW_BYTES);
            drive(AT_ONCE, bench.length(), |_| {
                Ok(|| match client::send(address, "POST", "/deals", &[], body.as_bytes())?.status() {
                    Some(201) => Ok(()),
                    other => bail!("the receiver answered {other:?}"),
                })
            })
        }),
        Box::new(|| delivered(bench, &host, &events)),
    ];
    let series = in_turns(bench.rounds(), &mut subjects)?;
    drop(subjects);
    let [floor, deliveries] = &series[..] else { bail!("two subjects have two series") };
    let what = format!("deliveries, {AT_ONCE} at once");
    table.figures.push(Figure::rate(what, deliveries).over(deliveries, floor));
    table.notes.push(
        "A delivery is a row taken and counted as an attempt, a connection of its own, and its receipt recorded, all durable."
            .to_owned(),
    );
    Ok(table)
}

/// Store rows while the destination is paused, then let it go on, and wait until all are sent.
fn delivered(bench: &Bench, host: &Service, events: &Events) -> anyhow::Result<Sample> {
    let before = host.rows("sent");
    let stored = invoke_new(host, events, Decision::Rule, AT_ONCE, bench.length())?.done();
    let wanted = before + usize::try_from(stored).context("counting rows")?;
    pause(host, Pause::Lift)?;
    let begun = Instant::now();
    while host.rows("sent") < wanted {
        if begun.elapsed() > Duration::from_secs(FINISH_LIMIT_S) {
            bail!("of {wanted} rows {} were sent", host.rows("sent"));
        }
        wait(Duration::from_millis(5));
    }
    let took = begun.elapsed();
    pause(host, Pause::Set)?;
    Sample::counted(stored, took)
}

/// A receiver with as many threads as deliveries come at once; it ends with the process.
fn receiver() -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").context("listening as the receiver")?;
    let address = listener.local_addr().context("listening as the receiver")?;
    for _ in 0..AT_ONCE {
        let listener = listener.try_clone().context("listening as the receiver")?;
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // Who goes away early is not missed here; the host counts what was sent.
                let _ = answer(stream);
            }
        });
    }
    Ok(address)
}

fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut line, mut length) = (String::new(), 0);
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    reader.read_exact(&mut vec![0; length])?;
    stream.write_all(ANSWER)
}
