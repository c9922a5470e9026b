//! What workers say, passed on to the front end, and what they ask.

use std::time::Instant;

use gpurepl_wire::{Command as Order, Frame, PluginAnswer};

use super::Workers;
use super::pump::Line;
use crate::output::{InputRequest, Sink, Stream};
use crate::store::plugin;

impl Workers {
    pub(super) fn output(&mut self, rank: usize, stream: Stream, bytes: &[u8], sink: &mut dyn Sink) {
        self.processes[rank].line.add(bytes);
        match self.processes.len() {
            1 => sink.output(stream, bytes),
            _ => self.agreement.print(rank, stream, bytes, Instant::now()),
        }
    }

    pub(super) fn pass_on(&mut self, rank: usize, frame: Frame, sink: &mut dyn Sink) {
        match frame {
            Frame::Input { request, prompt, is_password } => {
                self.ask(rank, request, prompt, is_password, sink);
            }
            Frame::InterruptTaken => self.interrupter.begin(),
            Frame::Plugin { request, name } => self.bring_plugin(rank, request, &name, sink),
            Frame::DeviceChosen { .. } | Frame::NoDevice { .. } => self.note_device(rank, frame, sink),
            frame if self.processes.len() == 1 => pass_on(frame, self.running, sink),
            frame => self.agreement.show(rank, frame, Instant::now()),
        }
    }

    /// Tells of the devices, once all are known.
    fn note_device(&mut self, rank: usize, frame: Frame, sink: &mut dyn Sink) {
        self.devices[rank] = Some(frame.clone());
        if self.processes.len() == 1 {
            return pass_on(frame, None, sink);
        }
        if self.devices.iter().any(Option::is_none) {
            return;
        }
        let (mut ids, mut names, mut why) = (Vec::new(), Vec::new(), String::new());
        for (rank, device) in self.devices.iter().enumerate() {
            match device {
                Some(Frame::DeviceChosen { id, name, rule }) => {
                    if !ids.contains(id) {
                        ids.push(id.clone());
                    }
                    if !names.contains(name) {
                        names.push(name.clone());
                    }
                    if why.is_empty() {
                        why.clone_from(rule);
                    }
                }
                Some(Frame::NoDevice { problem }) => {
                    sink.no_device(&format!("rank {rank}: {problem}"));
                }
                _ => {}
            }
        }
        if !ids.is_empty() {
            let name = format!("{}, {} workers", names.join(", "), self.processes.len());
            sink.device(&ids.join(", "), &name, &why);
        }
    }

    /// Has a plugin built if it is not there. The cell waits meanwhile; what its
    /// threads print waits in the pipes.
    fn bring_plugin(&mut self, rank: usize, request: u64, name: &str, sink: &mut dyn Sink) {
        let interrupter = Some(&self.interrupter);
        let answer = match plugin::ready(&self.toolchain, &self.prelude, name, interrupter, sink) {
            Ok(library) => PluginAnswer::Library(library),
            Err(error) => {
                let text = error.to_string();
                let (message, help) = text.split_once("\n  = help: ").unwrap_or((&text, ""));
                PluginAnswer::Problem { message: message.to_owned(), help: help.to_owned() }
            }
        };
        self.processes[rank].send(&Order::Plugin { request, answer });
    }

    /// Has the front end ask its user, and passes the answer on. Of several workers each is given the same lines,
    /// and the user is asked once.
    fn ask(
        &mut self,
        rank: usize,
        request: u64,
        prompt: Option<String>,
        is_password: bool,
        sink: &mut dyn Sink,
    ) {
        let process = &mut self.processes[rank];
        let number = process.answered;
        process.answered += 1;
        let known = self.answers.get(number).cloned();
        let text = match known {
            Some(text) => Some(text),
            // Whoever has interrupted wants no more questions.
            None if self.interrupter.was_asked() => None,
            None => {
                let is_shown = prompt.is_none();
                let prompt = prompt.unwrap_or_else(|| self.processes[rank].line.text());
                self.agreement.tell_all(self.running, sink);
                let text = sink.input(&InputRequest { prompt, is_shown, is_password }).map(|text| {
                    let line = text.split(['\n', '\r']).next().unwrap_or_default();
                    line.to_owned()
                });
                self.answers.extend(text.clone());
                text
            }
        };
        // The terminal is at the start of a line again.
        self.processes[rank].line = Line::default();
        let is_interrupted = self.interrupter.was_asked();
        self.processes[rank].send(&Order::Input { request, text, is_interrupted });
    }
}

/// Passes a frame on to the sink of the cell that runs, if one does. What
/// threads of that cell show is the cell's own; else it is passed on as that
/// of the cell that the frame names, also while the next one compiles.
pub(super) fn pass_on(frame: Frame, running: Option<u64>, sink: &mut dyn Sink) {
    let other = |cell: Option<u64>| cell.filter(|cell| running != Some(*cell));
    match frame {
        Frame::Display(display) => match (display.id, display.is_update, other(display.cell)) {
            (Some(id), true, _) => sink.update_display(id, &display.bundle),
            (id, _, Some(cell)) => sink.display_of(cell, id, &display.bundle),
            (Some(id), false, None) => sink.display_by_id(id, &display.bundle),
            (None, _, None) => sink.display(&display.bundle, display.is_result),
        },
        Frame::Output { cell, is_stderr, text } => {
            let stream = if is_stderr { Stream::Stderr } else { Stream::Stdout };
            match other(Some(cell)) {
                Some(cell) => sink.output_of(cell, stream, text.as_bytes()),
                None => sink.output(stream, text.as_bytes()),
            }
        }
        Frame::ClearOutput { wait, cell } => match other(cell) {
            Some(cell) => sink.clear_output_of(cell, wait),
            None => sink.clear_output(wait),
        },
        Frame::Notice { text } => sink.note(&text),
        Frame::DeviceChosen { id, name, rule } => sink.device(&id, &name, &rule),
        Frame::NoDevice { problem } => sink.no_device(&problem),
        // Answers to orders that nobody waits for any more, and questions of
        // cells that have ended.
        Frame::Ready
        | Frame::Done(_)
        | Frame::Forgotten { .. }
        | Frame::Finished
        | Frame::Devices(_)
        | Frame::Cache(_)
        | Frame::Tuned(_)
        | Frame::InterruptTaken
        | Frame::Interacted { .. }
        | Frame::Loaded { .. }
        | Frame::Held { .. }
        | Frame::Answer(_)
        | Frame::Input { .. }
        | Frame::Plugin { .. } => {}
    }
}
