//! Which line of the user's text a place in machine code comes from.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use object::{Object as _, ObjectSection as _};

/// A loaded module's machine code.
#[derive(Clone)]
pub(super) struct Code {
    /// The file that was loaded: its line tables are read when one is wanted.
    file: std::sync::Arc<[u8]>,
    /// Where its first byte lies.
    base: usize,
    /// The byte that every module has.
    anchor: usize,
    text: Range<usize>,
    data: Range<usize>,
}

impl Code {
    /// The code around a function of a module that was loaded from `file`.
    pub(super) fn around(function: usize, file: std::sync::Arc<[u8]>) -> Code {
        // SAFETY: the structure is valid when zeroed and filled by the call,
        // which may be asked about any address.
        let base = unsafe {
            let mut information: libc::Dl_info = std::mem::zeroed();
            libc::dladdr(function as *const libc::c_void, &raw mut information);
            information.dli_fbase as usize
        };
        let (text, data) = segments(&file, base).unwrap_or((function..function + 1, 0..0));
        Code { file, base, anchor: function, text, data }
    }

    /// Where its instructions lie.
    pub(super) fn text(&self) -> &Range<usize> {
        &self.text
    }

    /// A place by its distance from the byte that every module has.
    pub(super) fn place(&self, distance: i32) -> usize {
        self.anchor.wrapping_add_signed(distance as isize)
    }

    /// Where its variables lie.
    pub(super) fn data(&self) -> &Range<usize> {
        &self.data
    }

    /// Where the module lies: what addresses of its symbols are relative to.
    pub(super) fn base(&self) -> usize {
        self.base
    }

    pub(super) fn file(&self) -> &[u8] {
        &self.file
    }

    /// Where a section of it lies; nowhere if it has none of this name.
    pub(super) fn section(&self, name: &str) -> Range<usize> {
        let file = object::File::parse(&*self.file).ok();
        let section = file.as_ref().and_then(|file| file.section_by_name(name));
        section.map_or(0..0, |section| {
            let start = self.base + section.address() as usize;
            start..start + section.size() as usize
        })
    }

    /// The line of the user's text that a place comes from. A function of the
    /// shim stands for the line that calls it.
    pub(super) fn line(&self, place: usize, names: &[&str]) -> Option<usize> {
        let address = u64::try_from(place.checked_sub(self.base)?).ok()?;
        let file = object::File::parse(&*self.file).ok()?;
        let load = |id: gimli::SectionId| -> Result<Cow<'_, [u8]>, gimli::Error> {
            let section = file.section_by_name(id.name());
            Ok(section.and_then(|section| section.uncompressed_data().ok()).unwrap_or_default())
        };
        let sections = gimli::DwarfSections::load(load).ok()?;
        let dwarf = sections.borrow(|section| gimli::EndianSlice::new(section, gimli::LittleEndian));
        let context = addr2line::Context::from_dwarf(dwarf).ok()?;
        let is_users = |location: &addr2line::Location<'_>| {
            location.file.is_some_and(|file| names.iter().any(|name| file.ends_with(name)))
        };
        let mut frames = context.find_frames(address).skip_all_loads().ok()?;
        while let Ok(Some(frame)) = frames.next() {
            if let Some(location) = frame.location.filter(is_users) {
                return location.line.map(|line| line as usize);
            }
        }
        // Without frames that the user wrote: the row of the table before it.
        let rows = context.find_location_range(address.saturating_sub(256), address + 1).ok()?;
        rows.filter(|(start, _, location)| *start <= address && is_users(location))
            .last()
            .and_then(|(_, _, location)| location.line)
            .map(|line| line as usize)
    }
}

/// The memory of a module's instructions and of its variables.
fn segments(file: &[u8], base: usize) -> Option<(Range<usize>, Range<usize>)> {
    use object::ObjectSegment as _;
    let file = object::File::parse(file).ok()?;
    let (mut text, mut data): (Option<Range<usize>>, Option<Range<usize>>) = (None, None);
    for segment in file.segments() {
        let start = base + segment.address() as usize;
        let range = start..start + segment.size() as usize;
        let object::SegmentFlags::Elf { p_flags, .. } = segment.flags() else { continue };
        if p_flags.0 & object::elf::PF_X.0 != 0 {
            text = Some(range);
        } else {
            let all = data.unwrap_or(range.clone());
            data = Some(all.start.min(range.start)..all.end.max(range.end));
        }
    }
    Some((text?, data.unwrap_or(0..0)))
}

/// Whether a place lies in the C library's maths functions. Safe to call in a
/// signal handler once [`find_maths`] has been called.
pub(super) fn is_maths(place: usize) -> bool {
    MATHS.get().is_some_and(|range| range.contains(&place))
}

static MATHS: OnceLock<Range<usize>> = OnceLock::new();

/// Finds the code of `libm`.
pub(super) fn find_maths() {
    MATHS.get_or_init(|| {
        unsafe extern "C" fn visit(
            information: *mut libc::dl_phdr_info,
            _: usize,
            found: *mut libc::c_void,
        ) -> libc::c_int {
            // SAFETY: the loader passes valid structures, and `found` is the
            // caller's.
            unsafe {
                let name = (*information).dlpi_name;
                if name.is_null()
                    || !std::ffi::CStr::from_ptr(name).to_bytes().windows(8).any(|part| part == b"/libm.so")
                {
                    return 0;
                }
                let headers = std::slice::from_raw_parts(
                    (*information).dlpi_phdr,
                    usize::from((*information).dlpi_phnum),
                );
                for header in headers.iter().filter(|header| header.p_flags & libc::PF_X != 0) {
                    let start = (*information).dlpi_addr as usize + header.p_vaddr as usize;
                    *found.cast::<Range<usize>>() = start..start + header.p_memsz as usize;
                }
                1
            }
        }
        let mut found = 0..0;
        // SAFETY: `visit` gets the range that lives here.
        unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut found).cast()) };
        found
    });
}
