//! The line of a cell that called what panicked: `a.get()[7]` panics in a
//! crate, whose own lines mean nothing to the user.
//!
//! Cells are compiled without line tables, which would take each of them time.
//! When one has panicked elsewhere, it is compiled once more with them; the
//! machine code is the same to the byte, so the places of the calls are too.

use std::borrow::Cow;
use std::path::Path;

use gpurepl_wire::{Failure, Location};
use object::{Object as _, ObjectSection as _};

use super::RustcEngine;
use super::compile::{Compiler, Emit, Run};
use super::generate::{Generated, Origin};
use crate::engine::Cell;

impl RustcEngine {
    /// Where in a cell's text the innermost call stands that led to a panic.
    pub(super) fn calling_line(
        &mut self,
        cell: &Cell,
        generated: &Generated,
        failure: &Failure,
    ) -> Option<Location> {
        let library = self.compiler.library(cell.id);
        let name = library.file_name()?.to_str()?.to_owned();
        let own: Vec<u64> =
            failure.calls.iter().filter(|call| call.library == name).map(|call| call.offset).collect();
        if own.is_empty() {
            return None;
        }
        let epoch = self.state.epoch;
        let run = self.compiler.compile(cell.id, generated, Emit::ObjectWithLines, epoch);
        let Run::Ended { succeeded: true, .. } = run else { return None };
        let with_lines = self.compiler.link_with_lines(cell.id).ok()?;
        let is_users = |location: &Location| {
            let origin = (location.line as usize).checked_sub(1).and_then(|line| generated.origins.get(line));
            matches!(origin, Some(Origin::User { .. }))
        };
        let found = places(&library, &with_lines, &own, &Compiler::file_name(cell.id))
            .and_then(|places| places.into_iter().find(is_users));
        let _ = std::fs::remove_file(with_lines);
        found
    }
}

/// The places in a file's text of instructions in a library, if the one with
/// line tables has the same code.
fn places(library: &Path, with_lines: &Path, offsets: &[u64], file: &str) -> Option<Vec<Location>> {
    let (plain, with_lines) = (std::fs::read(library).ok()?, std::fs::read(with_lines).ok()?);
    let (plain, with_lines) = (object::File::parse(&*plain).ok()?, object::File::parse(&*with_lines).ok()?);
    if code(&plain)? != code(&with_lines)? {
        return None;
    }
    let load = |id: gimli::SectionId| -> Result<Cow<'_, [u8]>, gimli::Error> {
        let section = with_lines.section_by_name(id.name());
        Ok(section.and_then(|section| section.uncompressed_data().ok()).unwrap_or_default())
    };
    let sections = gimli::DwarfSections::load(load).ok()?;
    let dwarf = sections.borrow(|section| gimli::EndianSlice::new(section, gimli::LittleEndian));
    let context = addr2line::Context::from_dwarf(dwarf).ok()?;
    let mut places = Vec::new();
    for offset in offsets {
        let mut frames = context.find_frames(*offset).skip_all_loads().ok()?;
        while let Ok(Some(frame)) = frames.next() {
            if let Some(location) = frame.location
                && location.file.is_some_and(|own| own.ends_with(file))
                && let (Some(line), Some(column)) = (location.line, location.column)
            {
                places.push(Location { file: file.to_owned(), line, column });
            }
        }
    }
    Some(places)
}

/// A library's machine code and where it is.
fn code<'o>(file: &object::File<'o>) -> Option<(u64, &'o [u8])> {
    let text = file.section_by_name(".text")?;
    Some((text.address(), text.data().ok()?))
}
