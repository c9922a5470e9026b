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
use std::thread::JoinHandle;
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::handshake::{PATIENCE, Token, answer};
use super::link::{Kind, Link};
use super::{Hello, launch::Address};

/// How many may be about to prove that they have the token.
const MOST_BEFORE: usize = 256;

/// How often the thread that listens looks whether it still has to, in milliseconds.
const STEP: u16 = 20;

/// A place that has come.
pub(super) type Arrival = (Hello, Link);

/// One that has come, or why one that was asked for has not.
pub(super) type Coming = Result<Arrival, String>;

/// A thread that takes connections, until this is dropped.
#[derive(Debug)]
pub(super) struct Listener {
    pub(super) port: u16,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Listener {
    /// Listens; who has the token arrives.
    pub(super) fn start(address: &Address, token: Token, arrivals: Sender<Coming>) -> io::Result<Listener> {
        let listener = TcpListener::bind((address.host.as_str(), address.port))?;
        // A machine's own name is often one of itself alone.
        let is_meant =
            address.host.starts_with("127.") || ["localhost", "::1"].contains(&address.host.as_str());
        if listener.local_addr()?.ip().is_loopback() && !is_meant {
            let message =
                "on this machine that is a name for itself alone; say the address by which others reach it";
            return Err(io::Error::other(message));
        }
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        let is_over = Arc::new(AtomicBool::new(false));
        let until = is_over.clone();
        let thread = std::thread::Builder::new().name("listener".to_owned());
        let thread = thread.spawn(move || {
            let before = Arc::new(AtomicUsize::new(0));
            while !until.load(Ordering::SeqCst) {
                // Others wait at the door meanwhile.
                if before.load(Ordering::SeqCst) >= MOST_BEFORE {
                    std::thread::sleep(Duration::from_millis(10));
                    continue;
                }
                let mut polled = [PollFd::new(listener.as_fd(), PollFlags::POLLIN)];
                let _ = poll(&mut polled, PollTimeout::from(STEP));
                if until.load(Ordering::SeqCst) {
                    break;
                }
                let Ok((stream, _)) = listener.accept() else { continue };
                let (token, arrivals, guest) = (token.clone(), arrivals.clone(), Guest::new(&before));
                let thread = std::thread::Builder::new().name("handshake".to_owned());
                let _ = thread.spawn(move || {
                    let _guest = guest;
                    // What a stranger does wrong is nobody's concern.
                    if let Ok(arrival) = receive(stream, &token) {
                        let _ = arrivals.send(Ok(arrival));
                    }
                });
            }
        })?;
        Ok(Listener { port, is_over, thread: Some(thread) })
    }
}

/// Somebody at the door, counted as long as this lives.
struct Guest(Arc<AtomicUsize>);

impl Guest {
    fn new(count: &Arc<AtomicUsize>) -> Guest {
        count.fetch_add(1, Ordering::SeqCst);
        Guest(count.clone())
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // Who comes after this finds nobody.
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn receive(stream: TcpStream, token: &Token) -> io::Result<Arrival> {
    let mut link = answer(stream, token)?;
    let hello = link.reader.receive_json_within(Kind::Hello, PATIENCE)?;
    Ok((hello, link))
}
