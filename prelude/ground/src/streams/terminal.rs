//! The terminal that standard input is, where a program of the user's own has
//! one.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd as _;

/// A terminal that does not show what is typed, until this is dropped.
pub struct Hidden(libc::termios);

impl Hidden {
    /// None if standard input is not a terminal.
    pub fn new() -> Option<Hidden> {
        let stdin = io::stdin().as_raw_fd();
        let mut before = MaybeUninit::<libc::termios>::uninit();
        // SAFETY: the pointer is to memory of the structure's size, which the
        // call writes and does not read.
        let is_terminal = unsafe { libc::tcgetattr(stdin, before.as_mut_ptr()) } == 0;
        if !is_terminal {
            return None;
        }
        // SAFETY: the call has succeeded, so it has written all of it.
        let before = unsafe { before.assume_init() };
        let without = libc::termios { c_lflag: before.c_lflag & !libc::ECHO, ..before };
        // SAFETY: the pointer is to a whole structure, which is only read.
        let is_set = unsafe { libc::tcsetattr(stdin, libc::TCSAFLUSH, &raw const without) } == 0;
        is_set.then_some(Hidden(before))
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        // SAFETY: the pointer is to a whole structure, which is only read. A
        // descriptor that is closed by now is an error of the call's.
        unsafe { libc::tcsetattr(io::stdin().as_raw_fd(), libc::TCSANOW, &raw const self.0) };
    }
}
