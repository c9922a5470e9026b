//! Where places connect to.
//!
//! Whoever connects has ten seconds to prove that it has the token. A limited number may be at that at a time, and
//! each is on a thread of its own, so that neither a scan of ports nor a slow peer keeps others waiting for long.

use std::io;
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::handshake::{Token, answer};
use super::link::{Kind, Link};
use super::{Hello, launch::Address};

/// How many may be about to prove that they have the token.
const MOST_BEFORE: usize = 64;

/// How often the thread that listens looks whether it still has to, in milliseconds.
const STEP: u16 = 100;

/// A place that has come.
pub(super) type Arrival = (Hello, Link);

/// A thread that takes connections, until this is dropped.
#[derive(Debug)]
pub(super) struct Listener {
    pub(super) port: u16,
    is_over: Arc<AtomicBool>,
}

impl Listener {
    /// Listens; who has the token arrives.
    pub(super) fn start(address: &Address, token: Token, arrivals: Sender<Arrival>) -> io::Result<Listener> {
        let listener = TcpListener::bind((address.host.as_str(), address.port))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        let is_over = Arc::new(AtomicBool::new(false));
        let until = is_over.clone();
        std::thread::Builder::new().name("listener".to_owned()).spawn(move || {
            let before = Arc::new(AtomicUsize::new(0));
            while !until.load(Ordering::SeqCst) {
                let _ =
                    poll(&mut [PollFd::new(listener.as_fd(), PollFlags::POLLIN)], PollTimeout::from(STEP));
                let Ok((stream, _)) = listener.accept() else { continue };
                // Those that are many at once and prove nothing are not known to anybody.
                if before.fetch_add(1, Ordering::SeqCst) >= MOST_BEFORE {
                    before.fetch_sub(1, Ordering::SeqCst);
                    std::thread::sleep(Duration::from_millis(10));
                    continue;
                }
                let (token, arrivals, before) = (token.clone(), arrivals.clone(), before.clone());
                let thread = std::thread::Builder::new().name("handshake".to_owned());
                let _ = thread.spawn(move || {
                    if let Ok(arrival) = receive(stream, &token) {
                        let _ = arrivals.send(arrival);
                    }
                    before.fetch_sub(1, Ordering::SeqCst);
                });
            }
        })?;
        Ok(Listener { port, is_over })
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
    }
}

fn receive(stream: TcpStream, token: &Token) -> io::Result<Arrival> {
    let mut link = answer(stream, token)?;
    let hello = link.reader.receive_json(Kind::Hello)?;
    Ok((hello, link))
}
