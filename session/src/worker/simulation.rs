//! Workers that run nothing, to see what many of them cost a session.

use std::io;
use std::sync::Arc;
use std::thread;

use gpurepl_wire::{Activity, Command as Order, Decoder, Display, Done, Frame, MimeBundle, RandomState};

use crate::elsewhere::{Hello, Kind, Start, Started, Writer, allow_files, connect};

/// The stack of a thread that waits for messages.
const STACK: usize = 256 << 10;

/// Joins the session at an address as so many workers, which answer each cell with the same value and run none. They
/// find the token in their environment, as `gpurepl join` does. Returns when the session has ended.
///
/// # Errors
///
/// If the session cannot be reached, or no thread can be started.
#[doc(hidden)]
pub fn simulate_workers(address: &str, count: usize) -> Result<(), String> {
    allow_files(count);
    let mut workers = Vec::new();
    for _ in 0..count {
        let address = address.to_owned();
        let thread = thread::Builder::new().stack_size(STACK);
        let worker = thread.spawn(move || simulate(&address).map_err(|error| error.to_string()));
        workers.push(worker.map_err(|error| error.to_string())?);
    }
    let ends =
        workers.into_iter().map(|worker| worker.join().unwrap_or_else(|_| Err("it panicked".to_owned())));
    ends.collect()
}

fn simulate(address: &str) -> io::Result<()> {
    let mut link = connect(address).map_err(io::Error::other)?;
    link.writer.send_json(Kind::Hello, &Hello::own())?;
    let _: Start = link.reader.receive_json(Kind::Start)?;
    link.writer.send_json(Kind::Wanted, &Vec::<usize>::new())?;
    link.writer.send_json(Kind::Started, &Started::default())?;
    tell(&link.writer, &Frame::Ready)?;
    let mut decoder = Decoder::default();
    while let Some((kind, bytes)) = link.reader.receive()? {
        if kind != Kind::Order {
            continue;
        }
        decoder.push(&bytes);
        while let Some(order) = decoder.take::<Order>()? {
            match order {
                Order::Run { cell, .. } => {
                    let bundle = MimeBundle::text("2");
                    let display = Display { is_result: true, bundle, id: None, is_update: false, cell: None };
                    tell(&link.writer, &Frame::Display(display))?;
                    tell(&link.writer, &Frame::Done(done(cell)))?;
                }
                Order::Finish => tell(&link.writer, &Frame::Finished)?,
                Order::End => return Ok(()),
                _ => {}
            }
        }
    }
    Ok(())
}

fn done(cell: u64) -> Done {
    Done {
        cell,
        failure: None,
        variables: Vec::new(),
        put: Vec::new(),
        is_rescued: false,
        restored: Vec::new(),
        result: None,
        dropped_results: Vec::new(),
        nanoseconds: 1000,
        random: RandomState::default(),
        activity: Activity::default(),
        ranks: Vec::new(),
    }
}

fn tell(writer: &Arc<Writer>, frame: &Frame) -> io::Result<()> {
    let mut bytes = Vec::new();
    gpurepl_wire::send(&mut bytes, frame)?;
    writer.send(Kind::Frame, &bytes)
}
