//! What series there are: the data of each kind, and what kinds have of their own.

use super::Guide;
use crate::array::Raw;
use crate::bins::BinsOf;
use crate::color::Color;

/// Data of a kind. Places may have names, which stand at 0, 1, 2 and so on.
#[derive(Clone)]
pub(crate) enum Kind {
    Line {
        x: Option<Raw>,
        y: Raw,
        names: Vec<String>,
    },
    Scatter {
        x: Option<Raw>,
        y: Raw,
        names: Vec<String>,
    },
    Bars {
        x: Option<Raw>,
        heights: Raw,
        names: Vec<String>,
        is_lying: bool,
    },
    Stem {
        x: Option<Raw>,
        y: Raw,
        names: Vec<String>,
    },
    Between {
        x: Raw,
        low: Raw,
        high: Raw,
    },
    Guide(Guide),
    /// How many values lie in each bin.
    Histogram {
        raw: Raw,
        bins: BinsOf,
        /// What the bins are chosen by: the matrix that `raw` is a column of.
        all: Raw,
        /// Its number among so many that stand side by side.
        among: (usize, usize),
        is_lying: bool,
        /// Whether it is a line around all bins instead of an area.
        is_outline: bool,
        /// Whether each bin has those before it as well.
        is_cumulative: bool,
    },
    Image(Raw),
    /// Red, green, blue and perhaps the opacity of each place, along the last
    /// axis.
    Photo(Raw),
    Contour {
        raw: Raw,
        places: Option<(Raw, Raw)>,
        levels: Levels,
        is_filled: bool,
    },
    /// A matrix over cells between edges.
    Mesh {
        raw: Raw,
        edges: Option<(Raw, Raw)>,
    },
    /// How many points lie in each cell, in columns and rows.
    Counts {
        x: Raw,
        y: Raw,
        bins: (usize, usize),
    },
    /// The same in hexagons, so many of them side by side.
    Hexagons {
        x: Raw,
        y: Raw,
        columns: usize,
    },
    /// Groups of values: boxes, or violins.
    Groups {
        parts: Vec<Raw>,
        names: Vec<String>,
        is_violin: bool,
        /// Whether they lie on the right instead of standing.
        is_lying: bool,
        looks: GroupLooks,
    },
    /// Parts of a whole, as sectors of a disc.
    Pie {
        sizes: Raw,
        names: Vec<String>,
        /// How far each is moved outwards, in radiuses.
        explode: Option<Raw>,
        /// Where the first begins, in degrees from the right to the left.
        start: f64,
        /// Digits after the point of the shares, where these are written.
        digits: Option<usize>,
        /// How wide the ring is in radiuses, if it is not a disc.
        ring: Option<f64>,
    },
    /// Vectors as arrows, with a place for each, or places of columns and rows.
    Arrows {
        places: Option<(Raw, Raw)>,
        across: Raw,
        up: Raw,
        /// The length of a vector that is as long as the axes are wide.
        scale: Option<f64>,
    },
    /// Lines along vectors.
    Streams {
        places: Option<(Raw, Raw)>,
        across: Raw,
        up: Raw,
        density: f64,
    },
    /// Heights over places of columns and rows, or over places of their own; as a surface,
    /// or as lines.
    Surface {
        places: Option<(Raw, Raw)>,
        raw: Raw,
        is_wire: bool,
    },
    /// Points in space, which a line may join.
    Space {
        at: [Raw; 3],
        is_line: bool,
    },
}

impl Kind {
    /// The function that adds it.
    pub(crate) fn function(&self) -> &'static str {
        match self {
            Kind::Line { .. } => "plot",
            Kind::Scatter { .. } => "scatter",
            Kind::Bars { is_lying: false, .. } => "bar",
            Kind::Bars { is_lying: true, .. } => "barh",
            Kind::Stem { .. } => "stem",
            Kind::Between { .. } => "fill_between",
            Kind::Guide(guide) => guide.function(),
            Kind::Histogram { .. } => "hist",
            Kind::Image(_) | Kind::Photo(_) => "imshow",
            Kind::Contour { is_filled: false, .. } => "contour",
            Kind::Contour { is_filled: true, .. } => "contourf",
            Kind::Mesh { .. } => "pcolormesh",
            Kind::Counts { .. } => "hist2d",
            Kind::Hexagons { .. } => "hexbin",
            Kind::Groups { is_violin: false, .. } => "boxplot",
            Kind::Groups { is_violin: true, .. } => "violinplot",
            Kind::Pie { .. } => "pie",
            Kind::Arrows { .. } => "quiver",
            Kind::Streams { .. } => "streamplot",
            Kind::Surface { is_wire: false, .. } => "surface",
            Kind::Surface { is_wire: true, .. } => "wireframe",
            Kind::Space { is_line: true, .. } => "plot3d",
            Kind::Space { is_line: false, .. } => "scatter3d",
        }
    }

    /// Whether bars or groups lie instead of standing.
    pub(crate) fn is_lying(&self) -> bool {
        matches!(
            self,
            Kind::Bars { is_lying: true, .. }
                | Kind::Histogram { is_lying: true, .. }
                | Kind::Groups { is_lying: true, .. }
        )
    }

    /// What lies over what, whatever was added first: Matplotlib's `zorder`,
    /// which is 0 for images, 1 for patches and collections, 2 for lines,
    /// those of contours too (`lib/matplotlib/contour.py`), and 3 for texts.
    pub(super) fn height(&self) -> u8 {
        match self {
            Kind::Image(_) | Kind::Photo(_) | Kind::Surface { .. } | Kind::Space { .. } => 0,
            Kind::Mesh { .. } | Kind::Counts { .. } | Kind::Hexagons { .. } => 0,
            Kind::Contour { is_filled: true, .. } => 0,
            Kind::Bars { .. } | Kind::Histogram { .. } | Kind::Scatter { .. } | Kind::Between { .. } => 1,
            Kind::Pie { .. } | Kind::Arrows { .. } | Kind::Groups { is_violin: true, .. } => 1,
            Kind::Streams { .. } | Kind::Groups { .. } => 2,
            Kind::Line { .. } | Kind::Contour { .. } | Kind::Stem { .. } => 2,
            Kind::Guide(guide) => guide.height(),
        }
    }
}

/// Where contours have their levels.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Levels {
    /// At about so many numbers, which are chosen.
    About(usize),
    /// At these, in order.
    At(Vec<f64>),
}

impl Default for Levels {
    /// As many as Matplotlib has.
    fn default() -> Levels {
        Levels::About(7)
    }
}

/// What boxes and violins show, by Matplotlib's defaults.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupLooks {
    /// How far whiskers may reach, in distances of the quartiles (Tukey, 1977).
    pub(crate) reach: f64,
    pub(crate) has_outliers: bool,
    pub(crate) has_means: bool,
    pub(crate) has_medians: bool,
    pub(crate) has_notches: bool,
    /// Of a group, in distances of groups.
    pub(crate) width: Option<f64>,
}

/// Where a line in steps goes up or down: at the place before a value, at its own, or in the middle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Before,
    After,
    Between,
}

/// Where a text stands at its place, up and down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Level {
    /// Its last line stands on it.
    #[default]
    Baseline,
    Top,
    Middle,
    Bottom,
}

/// A colour that was asked for.
#[derive(Clone, Copy)]
pub(crate) enum Paint {
    Fixed(Color),
    Cycle(usize),
}
