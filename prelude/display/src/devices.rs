//! Devices, and what belongs to one, as cards. Their text is that of `Debug`.

use gpurepl_wire::MimeBundle;

use super::card::Page;
use super::{Render, is_rich};
use crate::device::{Context, Device, DeviceAttribute, Event, Graph, Stream};
use crate::error::Bytes;
use crate::memory::{DeviceAllocation, MemoryPool};

/// A card with a title and a table of names and values.
fn facts_card(
    text: String,
    title: &str,
    place: &str,
    facts: impl FnOnce() -> Vec<(&'static str, String)>,
) -> MimeBundle {
    let bundle = MimeBundle::text(text);
    if !is_rich() {
        return bundle;
    }
    let mut page = Page::new();
    page.open("div", "gr-head");
    page.text("b", "", title);
    page.text("span", "gr-place", place);
    page.close("div");
    page.open("div", "gr-body");
    page.facts(facts());
    page.close("div");
    bundle.with("text/html", page.finish())
}

impl Render for Device {
    fn render(&self) -> MimeBundle {
        facts_card(format!("{self:?}"), self.name(), self.id(), || {
            let mut facts =
                vec![("", self.detail().to_owned()), ("memory", Bytes(self.total_memory()).to_string())];
            if let Some((major, minor)) = self.compute_capability() {
                facts.push(("compute capability", format!("{major}.{minor}")));
            }
            let attributes = [
                ("multiprocessors", DeviceAttribute::MultiprocessorCount),
                ("threads per block", DeviceAttribute::MaxThreadsPerBlock),
                ("threads per multiprocessor", DeviceAttribute::MaxThreadsPerMultiprocessor),
                ("warp size", DeviceAttribute::WarpSize),
            ];
            for (name, attribute) in attributes {
                if let Ok(value) = self.attribute(attribute) {
                    facts.push((name, value.to_string()));
                }
            }
            if let Ok(bytes) = self.attribute(DeviceAttribute::MaxSharedMemoryPerBlock) {
                facts.push(("shared memory per block", Bytes(bytes.unsigned_abs()).to_string()));
            }
            if let Ok(Some(id)) = self.pci_bus_id() {
                facts.push(("PCI bus", id));
            }
            facts
        })
    }
}

impl Render for Vec<Device> {
    fn render(&self) -> MimeBundle {
        let bundle = MimeBundle::text(super::tiers::debug_text(self));
        if !is_rich() {
            return bundle;
        }
        let mut page = Page::new();
        page.open("div", "gr-body");
        page.raw("<table class=\"gr-facts\"><thead>");
        page.open("tr", "");
        ["", "name", "", "memory"].into_iter().for_each(|title| page.text("th", "", title));
        page.close("tr");
        page.raw("</thead><tbody>");
        for device in self {
            page.open("tr", "");
            page.text("th", "", device.id());
            page.text("td", "", device.name());
            page.text("td", "", device.detail());
            page.text("td", "", &Bytes(device.total_memory()).to_string());
            page.close("tr");
        }
        page.raw("</tbody></table>");
        page.close("div");
        bundle.with("text/html", page.finish())
    }
}

impl Render for MemoryPool {
    fn render(&self) -> MimeBundle {
        facts_card(self.to_string(), self.title(), self.device().id(), || {
            let pieces = |bytes, blocks: usize| {
                format!("{} in {blocks} block{}", Bytes(bytes), if blocks == 1 { "" } else { "s" })
            };
            let mut facts = vec![
                ("in use", pieces(self.active_bytes(), self.active_blocks())),
                ("held for later", pieces(self.held_bytes(), self.held_blocks())),
            ];
            if let Some(limit) = self.limit() {
                facts.push(("limit", Bytes(limit).to_string()));
            }
            facts
        })
    }
}

impl Render for DeviceAllocation {
    fn render(&self) -> MimeBundle {
        MimeBundle::text(format!("{self:?}"))
    }
}

macro_rules! by_debug {
    ($($t:ty)*) => {$(
        impl Render for $t {
            fn render(&self) -> MimeBundle {
                MimeBundle::text(format!("{self:?}"))
            }
        }
    )*};
}
// One line says all that there is.
by_debug! { Context Event Graph Stream }
