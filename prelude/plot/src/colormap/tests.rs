use super::*;

#[test]
fn gradients_run_both_ways() {
    let (forth, back) = (Colormap::parse("viridis").unwrap(), Colormap::parse("viridis_r").unwrap());
    assert_eq!((forth.at(0.0), forth.at(f64::NAN)), (back.at(1.0), forth.at(-3.0)));
    assert!(Colormap::parse("jetset").unwrap_err().to_string().contains("viridis"));
}

/// Matplotlib 3.11.2's colours at 0, 3/16, 1/2, 13/16 and 1.
const MATPLOTLIBS: [(&str, [u32; 5]); 69] = [
    ("viridis", [0x440154, 0x424086, 0x21918c, 0x84d44b, 0xfde725]),
    ("plasma", [0x0d0887, 0x6600a7, 0xcc4778, 0xfdac33, 0xf0f921]),
    ("inferno", [0x000004, 0x3d0965, 0xbc3754, 0xfcac11, 0xfcffa4]),
    ("magma", [0x000004, 0x36106b, 0xb73779, 0xfea772, 0xfcfdbf]),
    ("cividis", [0x00224e, 0x32436d, 0x7d7c78, 0xcdbb63, 0xfee838]),
    ("turbo", [0x30123b, 0x4294ff, 0xa4fc3c, 0xeb500e, 0x7a0403]),
    ("gray", [0x000000, 0x303030, 0x808080, 0xd0d0d0, 0xffffff]),
    ("Greys", [0xffffff, 0xe4e4e4, 0x959595, 0x3a3a3a, 0x000000]),
    ("Purples", [0xfcfbfd, 0xe4e3f0, 0x9e9ac8, 0x5e3b98, 0x3f007d]),
    ("Blues", [0xf7fbff, 0xd2e3f3, 0x6aaed6, 0x1460a8, 0x08306b]),
    ("Greens", [0xf7fcf5, 0xd6efd0, 0x73c476, 0x117b38, 0x00441b]),
    ("Oranges", [0xfff5eb, 0xfddbb8, 0xfd8c3b, 0xbe3f02, 0x7f2704]),
    ("Reds", [0xfff5f0, 0xfdcdb9, 0xfb694a, 0xb71319, 0x67000d]),
    ("YlOrBr", [0xffffe5, 0xfeeda6, 0xfe9829, 0xb13f03, 0x662506]),
    ("YlOrRd", [0xffffcc, 0xfee38b, 0xfd8c3c, 0xcf0c21, 0x800026]),
    ("OrRd", [0xfff7ec, 0xfddeb3, 0xfc8c59, 0xc4170f, 0x7f0000]),
    ("PuRd", [0xf7f4f9, 0xddcde4, 0xdf64af, 0xb2094c, 0x67001f]),
    ("RdPu", [0xfff7f3, 0xfcd2ce, 0xf767a1, 0x93017a, 0x49006a]),
    ("BuPu", [0xf7fcfd, 0xcfdfed, 0x8c95c6, 0x84278c, 0x4d004b]),
    ("GnBu", [0xf7fcf0, 0xd6efd0, 0x7accc4, 0x1979b5, 0x084081]),
    ("PuBu", [0xfff7fb, 0xdedcec, 0x73a9cf, 0x04649e, 0x023858]),
    ("YlGnBu", [0xffffd9, 0xdaf0b3, 0x40b5c4, 0x24489d, 0x081d58]),
    ("PuBuGn", [0xfff7fb, 0xded9eb, 0x66a9cf, 0x017670, 0x014636]),
    ("BuGn", [0xf7fcfd, 0xd8f0ef, 0x65c2a3, 0x117b38, 0x00441b]),
    ("YlGn", [0xffffe5, 0xe8f6ae, 0x77c679, 0x11753d, 0x004529]),
    ("PiYG", [0x8e0152, 0xdb6ca8, 0xf7f7f6, 0x77b53c, 0x276419]),
    ("PRGn", [0x40004b, 0x9568a6, 0xf6f7f6, 0x50a65a, 0x00441b]),
    ("BrBG", [0x543005, 0xb97b29, 0xf4f5f5, 0x2d8f87, 0x003c30]),
    ("PuOr", [0x7f3b08, 0xdb7d12, 0xf6f6f7, 0x7967a6, 0x2d004b]),
    ("RdGy", [0x67001f, 0xd25849, 0xfefefe, 0x7e7e7e, 0x1a1a1a]),
    ("RdBu", [0x67001f, 0xd25849, 0xf6f7f7, 0x3e8cbf, 0x053061]),
    ("RdYlBu", [0xa50026, 0xf16640, 0xfeffc0, 0x6da4cc, 0x313695]),
    ("RdYlGn", [0xa50026, 0xf16640, 0xfeffbe, 0x5ab760, 0x006837]),
    ("Spectral", [0x9e0142, 0xf06744, 0xffffbe, 0x5eb9a9, 0x5e4fa2]),
    ("coolwarm", [0x3b4cc0, 0x779af7, 0xdddcdc, 0xeb7d62, 0xb40426]),
    ("bwr", [0x0000ff, 0x6060ff, 0xfffefe, 0xff5e5e, 0xff0000]),
    ("seismic", [0x00004d, 0x0000d3, 0xfffdfd, 0xde0000, 0x800000]),
    ("twilight", [0xe2d9e2, 0x7297c1, 0x2f1436, 0xc27c63, 0xe2d9e2]),
    ("twilight_shifted", [0x301437, 0x5e51ad, 0xe2d9e2, 0x983550, 0x2f1436]),
    ("hsv", [0xff0000, 0xe2ff00, 0x00fff6, 0xd000ff, 0xff0018]),
    ("hot", [0x0b0000, 0x890000, 0xff5c00, 0xffff46, 0xffffff]),
    ("afmhot", [0x000000, 0x600000, 0xff8101, 0xffffa1, 0xffffff]),
    ("bone", [0x000000, 0x2a2a3a, 0x707b90, 0xbfd6d6, 0xffffff]),
    ("copper", [0x000000, 0x3b2518, 0x9e6440, 0xffa267, 0xffc77f]),
    ("pink", [0x1e0000, 0x8d5a5a, 0xd0ac94, 0xefefcb, 0xffffff]),
    ("cool", [0x00ffff, 0x30cfff, 0x807fff, 0xd02fff, 0xff00ff]),
    ("spring", [0xff00ff, 0xff30cf, 0xff807f, 0xffd02f, 0xffff00]),
    ("summer", [0x008066, 0x309866, 0x80c066, 0xd0e866, 0xffff66]),
    ("autumn", [0xff0000, 0xff3000, 0xff8000, 0xffd000, 0xffff00]),
    ("winter", [0x0000ff, 0x0030e7, 0x0080bf, 0x00d097, 0x00ff80]),
    ("jet", [0x000080, 0x0041ff, 0x7dff7a, 0xff5900, 0x800000]),
    ("rainbow", [0x8000ff, 0x208ef4, 0x81ffb4, 0xff8c49, 0xff0000]),
    ("cubehelix", [0x000000, 0x17374d, 0xa1794a, 0xc1d1f3, 0xffffff]),
    ("terrain", [0x333399, 0x00adc5, 0xfefe98, 0xa18781, 0xffffff]),
    ("ocean", [0x008000, 0x003830, 0x004180, 0x72b9d0, 0xffffff]),
    ("gist_earth", [0x000000, 0x20597b, 0x5ea04b, 0xc8a779, 0xfdfbfb]),
    ("Pastel1", [0xfbb4ae, 0xb3cde3, 0xfed9a6, 0xfddaec, 0xf2f2f2]),
    ("Pastel2", [0xb3e2cd, 0xfdcdac, 0xe6f5c9, 0xf1e2cc, 0xcccccc]),
    ("Paired", [0xa6cee3, 0xb2df8a, 0xfdbf6f, 0x6a3d9a, 0xb15928]),
    ("Accent", [0x7fc97f, 0xbeaed4, 0x386cb0, 0xbf5b17, 0x666666]),
    ("Dark2", [0x1b9e77, 0xd95f02, 0x66a61e, 0xa6761d, 0x666666]),
    ("Set1", [0xe41a1c, 0x377eb8, 0xff7f00, 0xf781bf, 0x999999]),
    ("Set2", [0x66c2a5, 0xfc8d62, 0xa6d854, 0xe5c494, 0xb3b3b3]),
    ("Set3", [0x8dd3c7, 0xbebada, 0xb3de69, 0xbc80bd, 0xffed6f]),
    ("tab10", [0x1f77b4, 0xff7f0e, 0x8c564b, 0xbcbd22, 0x17becf]),
    ("tab20", [0x1f77b4, 0xffbb78, 0x8c564b, 0xbcbd22, 0x9edae5]),
    ("tab10_r", [0x17becf, 0xbcbd22, 0x9467bd, 0xff7f0e, 0x1f77b4]),
    ("Set2_r", [0xb3b3b3, 0xe5c494, 0xe78ac3, 0xfc8d62, 0x66c2a5]),
    ("RdBu_r", [0x053061, 0x3f8ec0, 0xf7f6f6, 0xd05548, 0x67001f]),
];

#[test]
fn names_of_matplotlib_had_other_colours() {
    for (name, colors) in MATPLOTLIBS {
        let map = Colormap::parse(name).unwrap();
        // Tables may be off by 2 of 255, lists by nothing.
        let most = if matches!(map.gradient, Gradient::Steps(_)) { 0 } else { 2 };
        for (place, wanted) in [0.0, 3.0, 8.0, 13.0, 16.0].into_iter().zip(colors) {
            let (found, wanted) = (map.at(place / 16.0), Color::hex(wanted));
            let is_near = |a: u8, b: u8| a.abs_diff(b) <= most;
            assert!(
                is_near(found.red, wanted.red)
                    && is_near(found.green, wanted.green)
                    && is_near(found.blue, wanted.blue),
                "{name} at {place}/16: {found:?}, not {wanted:?}"
            );
        }
    }
    for (name, _) in GRADIENTS {
        assert!(MATPLOTLIBS.iter().any(|(known, _)| *known == name), "{name}");
    }
}

#[test]
fn a_list_has_a_colour_for_each_equal_part() {
    let map = Colormap::parse("Tab10").unwrap();
    for (number, color) in lists::TAB10.into_iter().enumerate() {
        let (start, end) = (number as f64 / 10.0, (number + 1) as f64 / 10.0);
        assert_eq!((map.at(start), map.at(end - 1e-9)), (Color::hex(color), Color::hex(color)), "{number}");
    }
    assert_eq!((map.at(f64::NAN), map.at(7.0)), (Color::hex(0x1f77b4), Color::hex(0x17becf)));
}

#[test]
fn names_are_read_without_regard_to_case() {
    for (text, name) in [("grey", "gray"), ("GREY_r", "gray_r"), ("ylorrd", "YlOrRd"), ("SET2_r", "Set2_r")] {
        assert_eq!(format!("{:?}", Colormap::parse(text).unwrap()), name);
    }
}

#[test]
fn misspelt_names_are_asked_back_and_all_are_listed() {
    let message = |text: &str| Colormap::parse(text).unwrap_err().to_string();
    let all = "There are viridis, plasma, inferno,";
    for (text, question) in [
        ("YlOrRed", "did you mean `YlOrRd`?"),
        ("virids_r", "did you mean `viridis_r`?"),
        ("tab01", "did you mean `tab10`?"),
    ] {
        let wanted = format!("`{text}` is not a known colormap; {question} {all}");
        assert!(message(text).contains(&wanted), "{}", message(text));
    }
    let message = message("jetset");
    assert!(message.contains("`jetset` is not a known colormap; there are viridis, plasma"), "{message}");
    assert!(message.ends_with("tab10 and tab20, and each is reversed by `_r` after its name"), "{message}");
}
